/* SPDX-License-Identifier: BSD-2-Clause */
/* Marks by which programs name their region of interest. */
#include "emulator/sim/experiment/marks.h"

#include <string.h>

enum { SNIPER_TOGGLE, SNIPER_BEGIN, SNIPER_END };
enum {
	GEM5_RESET_STATS = 0x40,
	GEM5_DUMP_STATS = 0x41,
	GEM5_DUMP_RESET_STATS = 0x42,
	GEM5_WORK_BEGIN = 0x5a,
	GEM5_WORK_END = 0x5b
};

#define NOT_SEEN UINT64_MAX

/* The number of 32 bits at the end of the instruction that ends before code[at], if it begins with
 * these bytes. */
static uint64_t loaded(const uint8_t *code, size_t at, const uint8_t *opcode, size_t bytes)
{
	uint32_t number;

	if (at < bytes + sizeof(number) ||
	    memcmp(code + at - sizeof(number) - bytes, opcode, bytes))
		return NOT_SEEN;
	memcpy(&number, code + at - sizeof(number), sizeof(number));
	return number;
}

/* RAX or EAX by MOV. */
static enum mark sniper(const uint8_t *code, size_t at)
{
	static const uint8_t mov_rax[] = {0x48, 0xc7, 0xc0}, mov_eax[] = {0xb8};
	uint64_t command = loaded(code, at, mov_rax, sizeof(mov_rax));

	if (command == NOT_SEEN)
		command = loaded(code, at, mov_eax, sizeof(mov_eax));
	return command == NOT_SEEN || command == SNIPER_TOGGLE ? MARK_TOGGLE
	       : command == SNIPER_BEGIN                       ? MARK_BEGIN
	       : command == SNIPER_END                         ? MARK_END
							       : MARK_OTHER;
}

/* The numbers that are usual for both: SDE's examples, PinPlay's, IACA's, and ones of barepmu.h. */
static enum mark ssc(const uint8_t *code, size_t at)
{
	static const uint8_t mov_ebx[] = {0xbb};
	static const uint32_t begins[] = {1, 0x111, 111, 0xface}, ends[] = {2, 0x222, 222, 0xdead};
	uint64_t number = loaded(code, at, mov_ebx, sizeof(mov_ebx));

	if (number == NOT_SEEN)
		return MARK_TOGGLE;
	for (unsigned i = 0; i < 4; i++)
		if (number == begins[i] || number == ends[i])
			return number == begins[i] ? MARK_BEGIN : MARK_END;
	return MARK_OTHER;
}

static enum mark gem5(const uint8_t *more)
{
	switch (more[0] | more[1] << 8) {
	case GEM5_WORK_BEGIN:
	case GEM5_RESET_STATS:
		return MARK_BEGIN;
	case GEM5_WORK_END:
	case GEM5_DUMP_STATS:
	case GEM5_DUMP_RESET_STATS:
		return MARK_END;
	default:
		return MARK_OTHER;
	}
}

enum mark mark_of(const uint8_t *code, size_t at, size_t length, const uint8_t *more)
{
	static const uint8_t xchg_bx[] = {0x66, 0x87, 0xdb}, nop_fs[] = {0x64, 0x67, 0x90},
			     m5[] = {0x0f, 0x04};

	if (length == sizeof(xchg_bx) && !memcmp(code + at, xchg_bx, length))
		return sniper(code, at);
	if (length == sizeof(nop_fs) && !memcmp(code + at, nop_fs, length))
		return ssc(code, at);
	if (length >= sizeof(m5) && more && !memcmp(code + at, m5, sizeof(m5)))
		return gem5(more);
	return MARK_NONE;
}
