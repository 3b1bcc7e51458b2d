/* SPDX-License-Identifier: BSD-2-Clause */
/* The host command's decoder of frames, at the moment when they go from the serial line to
 * memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "host/machine/link/frames.c"

#define LINK_FRAME_BYTES (HEADER + 8)

static bool attached;
static char taken[16];

bool link_attached(void)
{
	return attached;
}

void results_frame(struct results *results, char type, unsigned flags, const char *name,
		   size_t name_length, const unsigned char *payload, size_t length)
{
	(void)results, (void)flags, (void)name, (void)name_length, (void)payload, (void)length;
	taken[strlen(taken)] = type;
	attached |= type == 'R';
}

/* A frame of `length` bytes of payload, which are 0, with its checksum. */
static size_t put_frame(unsigned char *to, char type, uint32_t sequence, size_t length)
{
	uint32_t crc;

	memset(to, 0, HEADER + length);
	memcpy(to, "BPMU", 4);
	to[4] = (unsigned char)type;
	to[8] = (unsigned char)length;
	memcpy(to + 12, &sequence, 4);
	crc = frame_crc(to, HEADER + length);
	memcpy(to + CRC_OFFSET, &crc, 4);
	return HEADER + length;
}

static int begin(void **state)
{
	(void)state;
	attached = false;
	memset(taken, 0, sizeof(taken));
	return 0;
}

/* Rings that follow the frame with the memory's address in one read, in any number of pieces. */
static void rings_are_no_frames(void **state)
{
	unsigned char line[LINK_FRAME_BYTES + 3], memory[HEADER];
	size_t size = put_frame(line, 'R', 0, 8);

	(void)state;
	memcpy(line + size, "!!!", 3);
	put_frame(memory, 'O', 1, 0);
	memset(memory + CRC_OFFSET, 0, 4);
	for (size_t cut = 0; cut <= sizeof(line); cut++) {
		static struct frames frames;
		struct results results = {0};

		begin(NULL);
		memset(&frames, 0, sizeof(frames));
		frames_feed(&frames, &results, line, cut);
		if (!attached)
			frames_feed(&frames, &results, line + cut, sizeof(line) - cut);
		frames_feed(&frames, &results, memory, sizeof(memory));
		assert_false(frames.damaged);
		assert_string_equal(taken, "RO");
	}
}

/* Firmware may talk before the first frame; afterwards a wrong byte is damage. */
static void noise_goes_first_only(void **state)
{
	static struct frames frames;
	struct results results = {0};
	unsigned char line[5 + HEADER + 4 + 1 + HEADER];
	size_t size = 5;

	(void)state;
	memcpy(line, "noise", 5);
	size += put_frame(line + size, 'E', 0, 4);
	frames_feed(&frames, &results, line, size);
	assert_string_equal(taken, "E");
	assert_false(frames.damaged);
	line[0] = '!';
	size = 1 + put_frame(line + 1, 'O', 1, 0);
	frames_feed(&frames, &results, line, size);
	assert_true(frames.damaged);
	assert_string_equal(taken, "E");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(rings_are_no_frames, begin),
	    cmocka_unit_test_setup(noise_goes_first_only, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
