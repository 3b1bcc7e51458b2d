/* SPDX-License-Identifier: BSD-2-Clause */
/* Debug registers: hardware breakpoints and watchpoints. Intel SDM volume 3, "Debug Registers". */
#ifndef ARCH_X86_DEBUG_H
#define ARCH_X86_DEBUG_H

#include <stdbool.h>
#include <stdint.h>

#define DEBUG_SLOTS 4

/* DR6: the slots that were hit, and other causes. */
#define DR6_SLOTS       0xful
#define DR6_SINGLE_STEP (1ul << 14)
#define DR6_OTHERS      (1ul << 13 | DR6_SINGLE_STEP | 1ul << 15)

/* The kind of access, in DR7's encoding. */
enum debug_use { DEBUG_EXECUTE = 0, DEBUG_WRITE = 1, DEBUG_ACCESS = 3 };

struct debug_registers {
	uint64_t control; /* DR7; 0: nothing is watched */
	uint64_t address[DEBUG_SLOTS];
};

/* Returns the bits of DR7 for a slot that watches `bytes` bytes (1, 2, 4 or 8; for DEBUG_EXECUTE 1)
 * at its address, which must be a multiple of them. */
static inline uint64_t debug_control(unsigned slot, enum debug_use use, unsigned bytes)
{
	uint64_t length = bytes == 8 ? 2 : bytes - 1;

	return 2ul << 2 * slot | (use | length << 2) << (16 + 4 * slot);
}

/* Returns the kind of access that a slot of DR7 watches. */
static inline enum debug_use debug_use(uint64_t control, unsigned slot)
{
	return control >> (16 + 4 * slot) & 3;
}

/* Loads these debug registers: writes only the ones that change. Context: interrupts masked. */
void debug_load(const struct debug_registers *wanted);

/* True if addresses from `first` to `last` may be watched: the path to the handler of a hit must
 * not use them. Context: any. */
bool debug_may_watch(uint64_t first, uint64_t last);

#endif
