/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A function's frame begins with its caller's frame pointer and the return address, each as wide as
 * the operands of its code: 16-bit code of GCC's (-m16) has frames of 32 bits.
 */
#include "emulator/sim/profile/frames.h"

#define REACH     (1u << 20) /* from a frame to its caller's, in bytes */
#define CALL_MAX  7          /* bytes of a call by memory */
#define CALL_NEAR 0xe8
#define CALL_FAR  0x9a
#define GROUP_5   0xff /* /2 is a near call, /3 a far one */

typedef bool read_memory(uint64_t address, void *to, size_t bytes);

/* SDM volume 2, CALL: E8 and 9A with an immediate of two sizes, FF with a ModRM byte. */
static bool ends_with_call(const uint8_t code[CALL_MAX])
{
	static const uint8_t near[] = {5, 3}, far[] = {7, 5};

	for (unsigned i = 0; i < 2; i++)
		if (code[CALL_MAX - near[i]] == CALL_NEAR || code[CALL_MAX - far[i]] == CALL_FAR)
			return true;
	for (unsigned length = 2; length <= CALL_MAX; length++) {
		unsigned operation = code[CALL_MAX - length + 1] >> 3 & 7;

		if (code[CALL_MAX - length] == GROUP_5 && (operation == 2 || operation == 3))
			return true;
	}
	return false;
}

static bool read_word(read_memory *read, uint64_t address, unsigned width, uint64_t *value)
{
	*value = 0;
	return read(address, value, width);
}

/* Sets *site for the return address at `place`; false: there is none. */
static bool site_at(const struct frames_start *start, read_memory *read, uint64_t place,
		    unsigned width, uint64_t *site)
{
	uint8_t code[CALL_MAX];
	uint64_t value;

	if (!read_word(read, place, width, &value) || value < CALL_MAX ||
	    !read(start->code_base + value - CALL_MAX, code, sizeof(code)) || !ends_with_call(code))
		return false;
	*site = start->code_base + value - 1;
	return true;
}

static unsigned walk(const struct frames_start *start, read_memory *read, unsigned width,
		     uint64_t *sites, unsigned max)
{
	uint64_t mask = width == sizeof(mask) ? UINT64_MAX : (1ull << 8 * width) - 1,
		 frame = start->frame & mask, next;
	unsigned nr = 0;

	while (nr < max && read_word(read, start->stack_base + frame, width, &next) &&
	       site_at(start, read, start->stack_base + frame + width, width, &sites[nr])) {
		nr++;
		if (next <= frame || next - frame > REACH)
			break;
		frame = next;
	}
	return nr;
}

static unsigned read_width(const struct frames_start *start, read_memory *read, unsigned width,
			   uint64_t *sites, unsigned max)
{
	unsigned nr = 0;

	if (start->returned)
		nr = site_at(start, read, start->stack - width, width, sites);
	else if (start->entered)
		nr = site_at(start, read, start->entry, width, sites);
	return nr + walk(start, read, width, sites + nr, max - nr);
}

unsigned frames_read(const struct frames_start *start, read_memory *read, uint64_t *sites,
		     unsigned max)
{
	unsigned width = start->bits / 8, nr = read_width(start, read, width, sites, max);

	if (!nr && start->bits == 16)
		nr = read_width(start, read, 2 * width, sites, max);
	return nr;
}
