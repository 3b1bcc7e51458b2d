/* SPDX-License-Identifier: BSD-2-Clause */
/* Where code runs, as the "Context:" notes of the headers say it: checked in the debug kernel. */
#ifndef DEBUG_CONTEXT_H
#define DEBUG_CONTEXT_H

#include <stdbool.h>

/* Bits: kernel/debug/contexts.awk reads their names for the thunks. */
enum {
	CONTEXT_TASK = 1 << 0,     /* a task or the idle loop, no interrupt; the kernel lock held */
	CONTEXT_LOCKED = 1 << 1,   /* no NMI; the kernel lock held, here or by whom this runs for */
	CONTEXT_MASKED = 1 << 2,   /* interrupts masked */
	CONTEXT_UNMASKED = 1 << 3, /* interrupts enabled */
	CONTEXT_NO_NMI = 1 << 4,
	CONTEXT_START = 1 << 5, /* before the first program */
};

/* True from the first program to the end of the machine, or a panic. */
extern bool checking;

/* Panics unless the caller of function `name` may call it. Context: any. */
void check_context(unsigned wanted, const char *name);

/* Before and after system call `name`. Context: task. */
void check_call_begins(const char *name);
void check_call_ended(const char *name);

#endif
