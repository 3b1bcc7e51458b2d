/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions whose place others may take while the kernel runs: trace/functions.c. */
#ifndef KERNEL_PATCHED_H
#define KERNEL_PATCHED_H

/* Callers know nothing of what the function does, so that another may do it. */
#ifdef __clang__
#define PATCHED_FUNCTION __attribute__((noinline))
#else
#define PATCHED_FUNCTION __attribute__((noipa))
#endif

#endif
