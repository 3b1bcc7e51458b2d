/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether a program of the tests runs under the visor, and what that promises; on Linux on other
 * machines, too. */
#ifndef TESTS_GUEST_VISOR_H
#define TESTS_GUEST_VISOR_H

#include <cpuid.h>
#include <stdbool.h>
#include <stdint.h>
#include "abi/visor_cpuid.h"

/* CPUID tells, to every ring. */
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

#endif
