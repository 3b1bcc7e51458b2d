/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that can be replaced while the kernel runs: trace/functions.c. */
#ifndef KERNEL_PATCHED_H
#define KERNEL_PATCHED_H

/* Keeps the compiler from using knowledge of the function's body, because the body may be replaced
 * at run time. */
#ifdef __clang__
#define PATCHED_FUNCTION __attribute__((noinline))
#else
#define PATCHED_FUNCTION __attribute__((noipa))
#endif

#endif
