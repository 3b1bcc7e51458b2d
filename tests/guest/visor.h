/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks whether a program of the tests runs under the visor, with its guarantees; also on Linux
 * and other machines. */
#ifndef TESTS_GUEST_VISOR_H
#define TESTS_GUEST_VISOR_H

#include <cpuid.h>
#include <stdbool.h>
#include <stdint.h>
#include "abi/visor_cpuid.h"

/* CPUID shows it to every ring. */
static inline bool under_visor(void)
{
	uint32_t a, b, c, d;

	__cpuid(VISOR_LEAF, a, b, c, d);
	return a >= VISOR_LEAF_FLAGS && b == VISOR_SIGNATURE_EBX && c == VISOR_SIGNATURE_ECX &&
	       d == VISOR_SIGNATURE_EDX;
}

/* Exact counts are promised by the visor with icount only. */
static inline bool counts_are_exact(void)
{
	uint32_t a, b, c, d;

	if (!under_visor())
		return false;
	__cpuid(VISOR_LEAF_FLAGS, a, b, c, d);
	return a & VISOR_FLAG_EXACT;
}

/* A tick of the clock is an instruction, not a cycle of a simulated core. */
static inline bool ticks_are_instructions(void)
{
	uint32_t a, b, c, d;

	__cpuid(VISOR_LEAF_FLAGS, a, b, c, d);
	return under_visor() && !(a & VISOR_FLAG_CLOCK);
}

#endif
