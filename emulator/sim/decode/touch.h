/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Instructions that name memory without accessing it: CLFLUSH, PREFETCHh, INVLPG and similar ones.
 * QEMU does not report their address, so it is computed from the registers at the block's start.
 */
#ifndef CORE_DECODE_TOUCH_H
#define CORE_DECODE_TOUCH_H

#include <stdbool.h>
#include <stdint.h>

#define TOUCH_REGISTERS 16
#define TOUCH_FS        16 /* followed by the bases of two segments */
#define TOUCH_GS        17
#define TOUCH_VALUES    18

/* In addition to the numbers of registers. */
enum { TOUCH_CONSTANT = TOUCH_REGISTERS, TOUCH_UNKNOWN };

enum touch_kind {
	TOUCH_FLUSH,    /* CLFLUSH, CLFLUSHOPT: the line leaves all caches */
	TOUCH_CLEAN,    /* CLWB: it stays, but memory has it */
	TOUCH_PREFETCH, /* PREFETCHh, PREFETCHW */
	TOUCH_PAGE,     /* INVLPG */
};

/* The address: two registers' values at the block's start, the second one times `scale`, the
 * segment's base (0, TOUCH_FS, TOUCH_GS) and the displacement. TOUCH_CONSTANT: no register. */
struct touch {
	uint8_t kind; /* enum touch_kind */
	uint8_t base, index, scale, segment;
	uint64_t displacement;
};

/* The value of each register after the instructions so far: the value of `from` at the block's
 * start, plus `plus`. */
struct touch_tracker {
	struct {
		uint8_t from; /* a register, TOUCH_CONSTANT (0), TOUCH_UNKNOWN */
		uint64_t plus;
	} registers[TOUCH_REGISTERS];
};

/* Called at a block's start. */
void touch_begin(struct touch_tracker *tracker);

/* Handles the block's next instruction, in 64-bit mode, at `address`. Returns true and fills in
 * *touch if it touches memory and its address is known. */
bool touch_next(struct touch_tracker *tracker, uint64_t address, const void *bytes, unsigned length,
		struct touch *touch);

/* `values`: registers at the block's start, in the order of their numbers, then the bases. */
static inline uint64_t touch_address(const struct touch *touch,
				     const uint64_t registers[TOUCH_VALUES])
{
	return touch->displacement + (touch->segment ? registers[touch->segment] : 0) +
	       (touch->base < TOUCH_REGISTERS ? registers[touch->base] : 0) +
	       (touch->index < TOUCH_REGISTERS ? registers[touch->index] * touch->scale : 0);
}

#endif
