/* SPDX-License-Identifier: BSD-2-Clause */
/* Errors of the machine below the visor. AMD APM vol. 3, CMPXCHG16B: it changes ZF only. */
#include "emulator/visor/base/errata.h"

#include "emulator/visor/base/cpu.h"

#define FLAG_CARRY (1u << 0)

bool errata_cmpxchg16b(void)
{
	static enum { UNKNOWN, ABSENT, PRESENT } state;

	if (state == UNKNOWN)
		state = cpu_flags_of_cmpxchg16b() & FLAG_CARRY ? PRESENT : ABSENT;
	return state == PRESENT;
}
