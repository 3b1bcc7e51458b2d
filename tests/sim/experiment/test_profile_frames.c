/* SPDX-License-Identifier: BSD-2-Clause */
/* Callers by frame pointers, in each size of code, of memory that the guest made up. */
#include "emulator/sim/profile/frames.h"
#include "tests/sim/core_test.h"

#define BASE   0x10000u
#define BYTES  0x4000u
#define CALLS  0x1000u /* returns from calls are multiples of 16 above it */
#define STACK  0x3000u
#define ROUNDS 5000

static uint8_t memory[BYTES]; /* at BASE */

static bool fake_read(uint64_t address, void *to, size_t bytes)
{
	if (address < BASE || address - BASE > BYTES - bytes)
		return false;
	memcpy(to, memory + (address - BASE), bytes);
	return true;
}

static void put(uint32_t at, unsigned width, uint64_t value)
{
	memcpy(memory + at, &value, width);
}

/* A frame at `at`, of which the caller's is at `next`; both as the guest's registers have them. */
static void put_frame(uint32_t at, unsigned width, uint64_t next, uint64_t returns)
{
	put(at, width, next);
	put(at + width, width, returns);
}

/* Three calls, of different forms, return to CALLS + 16, 32 and 48. */
static void make_calls(unsigned immediate)
{
	memset(memory, 0x90, sizeof(memory));
	memory[CALLS + 16 - 1 - immediate] = 0xe8;
	memory[CALLS + 32 - 2] = 0xff; /* call by a register */
	memory[CALLS + 32 - 1] = 0xd0;
	memory[CALLS + 48 - 6] = 0xff; /* call by memory */
	memory[CALLS + 48 - 5] = 0x15;
}

/* Two frames in code of a segment at `segment`, with words of `width` bytes. */
static struct frames_start two_frames(unsigned bits, unsigned width, uint64_t segment)
{
	uint64_t here = BASE - segment;

	make_calls(bits == 16 && width == 2 ? 2 : 4);
	put_frame(STACK, width, here + STACK + 64, here + CALLS + 16);
	put_frame(STACK + 64, width, 0, here + CALLS + 32);
	return (struct frames_start){.stack = BASE + STACK - 32,
				     .frame = here + STACK,
				     .stack_base = segment,
				     .code_base = segment,
				     .bits = bits};
}

static void two_callers_are_found_in_each_mode(void **state)
{
	static const struct {
		unsigned bits, width;
		uint64_t segment;
	} modes[] = {{64, 8, 0}, {32, 4, 0}, {16, 2, 0xf000}, {16, 4, 0xf000}};
	uint64_t sites[4];

	(void)state;
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		struct frames_start start =
		    two_frames(modes[i].bits, modes[i].width, modes[i].segment);

		assert_int_equal(frames_read(&start, fake_read, sites, 4), 2);
		assert_int_equal(sites[0], BASE + CALLS + 16 - 1);
		assert_int_equal(sites[1], BASE + CALLS + 32 - 1);
		assert_int_equal(frames_read(&start, fake_read, sites, 1), 1);
	}
}

static void a_function_without_a_frame_has_its_caller(void **state)
{
	struct frames_start start = two_frames(64, 8, 0);
	uint64_t sites[4];

	(void)state;
	put(STACK - 64, 8, BASE + CALLS + 48);
	start.entered = true;
	start.entry = BASE + STACK - 64;
	assert_int_equal(frames_read(&start, fake_read, sites, 4), 3);
	assert_int_equal(sites[0], BASE + CALLS + 48 - 1);
	assert_int_equal(sites[1], BASE + CALLS + 16 - 1);
}

static void code_that_returned_has_the_caller_that_it_returned_to(void **state)
{
	struct frames_start start = two_frames(64, 8, 0);
	uint64_t sites[4];

	(void)state;
	put(STACK - 40, 8, BASE + CALLS + 48);
	start.returned = true;
	assert_int_equal(frames_read(&start, fake_read, sites, 4), 3);
	assert_int_equal(sites[0], BASE + CALLS + 48 - 1);
}

static void what_is_behind_no_call_is_no_caller(void **state)
{
	struct frames_start start = two_frames(64, 8, 0);
	uint64_t sites[4];

	(void)state;
	put_frame(STACK + 64, 8, 0, BASE + CALLS + 40);
	assert_int_equal(frames_read(&start, fake_read, sites, 4), 1);
	start.frame = 0x5555; /* used for something else */
	assert_int_equal(frames_read(&start, fake_read, sites, 4), 0);
	start = two_frames(64, 8, 0);
	put(STACK, 8, BASE + STACK); /* a frame that is its own caller's */
	assert_int_equal(frames_read(&start, fake_read, sites, 4), 1);
}

static void random_memory_ends_a_chain(void **state)
{
	uint64_t sites[8];

	(void)state;
	for (unsigned i = 0; i < ROUNDS; i++) {
		static const unsigned bits[] = {16, 32, 64};
		struct frames_start start = two_frames(bits[i % 3], bits[i % 3] / 8, 0);

		for (unsigned n = 0; n < 64; n++)
			memory[STACK + (n * 37 + i) % 128] ^= (uint8_t)(i * 31 + n * 7);
		start.frame += i % 8;
		start.entered = i & 1;
		start.returned = i & 2;
		start.entry = UINT64_MAX - i % 16;
		assert_true(frames_read(&start, fake_read, sites, 8) <= 8);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(two_callers_are_found_in_each_mode),
	    cmocka_unit_test(a_function_without_a_frame_has_its_caller),
	    cmocka_unit_test(code_that_returned_has_the_caller_that_it_returned_to),
	    cmocka_unit_test(what_is_behind_no_call_is_no_caller),
	    cmocka_unit_test(random_memory_ends_a_chain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
