/* SPDX-License-Identifier: BSD-2-Clause */
/* Errors of the machine below the visor. AMD APM vol. 3, CMPXCHG16B: it changes ZF only. */
#include "emulator/visor/base/errata.h"

#include <stdint.h>

#define FLAG_CARRY (1u << 0)

/* Returns RFLAGS after an ADD that clears CF and a CMPXCHG16B. POPF makes QEMU take the flags in
 * memory as they are, and from there CMPXCHG16B reads the ADD's operand, 1: CF. */
static uint64_t try_cmpxchg16b(void)
{
	static uint64_t memory[2] __attribute__((aligned(16)));
	uint64_t flags, low = 0, high = 0;

	__asm__ volatile("pushfq\n\t"
			 "popfq\n\t"
			 "addq $1, %[low]\n\t"
			 "cmpxchg16b %[memory]\n\t"
			 "pushfq\n\t"
			 "popq %[flags]"
			 : [memory] "+m"(memory), [flags] "=&r"(flags), [low] "+a"(low), "+d"(high)
			 : "b"(0ull), "c"(0ull)
			 : "cc", "memory");
	return flags;
}

bool errata_cmpxchg16b(void)
{
	static enum { UNKNOWN, ABSENT, PRESENT } state;

	if (state == UNKNOWN)
		state = try_cmpxchg16b() & FLAG_CARRY ? PRESENT : ABSENT;
	return state == PRESENT;
}
