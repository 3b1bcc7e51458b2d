/* SPDX-License-Identifier: BSD-2-Clause */
/* Lets the debug kernel interpose a function before another one of its type. */
#ifndef DEBUG_REPLACE_H
#define DEBUG_REPLACE_H

/*
 * Defines debug_NAME(), which is called in place of NAME() from all files except NAME()'s own,
 * after the check of its context; it calls the original as __real_NAME(). The linker does both:
 * kernel/debug/contexts.awk.
 */
#define REPLACE(type, name, ...)                             \
	extern __typeof__(name) __real_##name, debug_##name; \
	type debug_##name(__VA_ARGS__)

/* Declares __real_NAME() for callers that precede the REPLACE(). */
#define REAL(name) extern __typeof__(name) __real_##name

#endif
