/* SPDX-License-Identifier: BSD-2-Clause */
/* Leaving the kernel. */
#ifndef ARCH_X86_LEAVE_H
#define ARCH_X86_LEAVE_H

#include <stdint.h>

/* Loads the tables at `root`, which must map the kernel as it is now, and jumps to `entry` with
 * `result` in RDX. Context: interrupts masked, the first processor. leave.asm. */
_Noreturn void leave_kernel(uint64_t root, uint64_t entry, uint64_t result);

#endif
