/* SPDX-License-Identifier: BSD-2-Clause */
/* Sets of bits. Context of all: any. */
#ifndef KERNEL_BITS_H
#define KERNEL_BITS_H

#include <stdint.h>

/* How many bits are set. Not every processor that this runs on has POPCNT. */
static inline uint32_t bits_set(uint64_t mask)
{
	uint32_t n = 0;

	for (; mask; mask &= mask - 1)
		n++;
	return n;
}

#endif
