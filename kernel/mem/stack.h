/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernel stacks, each above an unmapped guard page. */
#ifndef KERNEL_STACK_H
#define KERNEL_STACK_H

#include <stdbool.h>
#include <stdint.h>

#define STACK_BYTES 16384ul

/* Returns the top (highest address, 16-aligned) of a new stack of STACK_BYTES, or 0. Context:
 * task. */
uint64_t stack_alloc(void);
/* Frees it; not the stack that the caller runs on. Context: task. */
void stack_free(uint64_t top);

/* True if the address is in the guard page below a kernel stack. Context: any. */
bool stack_is_guard(uint64_t address);

#endif
