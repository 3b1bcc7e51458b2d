/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the vector registers of one of QEMU's processors. */
#include "emulator/sim/plugin/qemu/vectors.h"

#include <stddef.h>
#include <string.h>

#define STEP 16 /* bytes: their alignment */

static bool are_zero(const uint8_t registers[VECTORS][VECTOR_BYTES])
{
	static const uint8_t zero[VECTORS][VECTOR_BYTES];

	return !memcmp(registers, zero, sizeof(zero));
}

static bool are_at(const uint8_t *at, const uint8_t registers[VECTORS][VECTOR_BYTES])
{
	for (unsigned i = 0; i < VECTORS; i++)
		if (memcmp(at + (size_t)i * VECTOR_STRIDE_BYTES, registers[i], VECTOR_BYTES) != 0)
			return false;
	return true;
}

unsigned vectors_find(const void *from, unsigned bytes,
		      const uint8_t registers[VECTORS][VECTOR_BYTES])
{
	const uint8_t *start = from;
	unsigned found = 0;

	if (are_zero(registers))
		return 0;
	for (unsigned at = -(uintptr_t)from % STEP; at + VECTORS * VECTOR_STRIDE_BYTES <= bytes;
	     at += STEP) {
		if (!are_at(start + at, registers))
			continue;
		if (found)
			return 0;
		found = at;
	}
	return found;
}
