/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Instructions that name memory without an access to it: CLFLUSH, PREFETCHh, INVLPG and their kind.
 * QEMU tells nobody their address, so it is worked out from the registers at the block's begin.
 */
#ifndef CORE_DECODE_TOUCH_H
#define CORE_DECODE_TOUCH_H

#include <stdbool.h>
#include <stdint.h>

#define TOUCH_REGISTERS 16
#define TOUCH_FS        16 /* the bases of two segments lie after them */
#define TOUCH_GS        17
#define TOUCH_VALUES    18

/* Beside the numbers of registers. */
enum { TOUCH_CONSTANT = TOUCH_REGISTERS, TOUCH_UNKNOWN };

enum touch_kind {
	TOUCH_FLUSH,    /* CLFLUSH, CLFLUSHOPT: the line leaves all caches */
	TOUCH_CLEAN,    /* CLWB: it stays, but memory has it */
	TOUCH_PREFETCH, /* PREFETCHh, PREFETCHW */
	TOUCH_PAGE,     /* INVLPG */
};

/* The address: two registers' values at the block's begin, the second times `scale`, the segment's
 * base (0, TOUCH_FS, TOUCH_GS) and the displacement. TOUCH_CONSTANT: no register. */
struct touch {
	uint8_t kind; /* enum touch_kind */
	uint8_t base, index, scale, segment;
	uint64_t displacement;
};

/* What each register is after the instructions so far: what `from` was at the block's begin, plus
 * `plus`. */
struct touch_tracker {
	struct {
		uint8_t from; /* a register, TOUCH_CONSTANT (0), TOUCH_UNKNOWN */
		uint64_t plus;
	} registers[TOUCH_REGISTERS];
};

/* At a block's begin. */
void touch_begin(struct touch_tracker *tracker);

/* The block's next instruction, of 64-bit mode, at `address`. Returns true and fills in *touch when
 * it is of this kind and its address is known. */
bool touch_next(struct touch_tracker *tracker, uint64_t address, const void *bytes, unsigned length,
		struct touch *touch);

/* Registers as they were at the block's begin, in the order of their numbers, then the bases. */
static inline uint64_t touch_address(const struct touch *touch,
				     const uint64_t registers[TOUCH_VALUES])
{
	return touch->displacement + (touch->segment ? registers[touch->segment] : 0) +
	       (touch->base < TOUCH_REGISTERS ? registers[touch->base] : 0) +
	       (touch->index < TOUCH_REGISTERS ? registers[touch->index] * touch->scale : 0);
}

#endif
