/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory for the libraries' programs, in which addresses are the same in every run. */
#ifndef TESTS_ACCURACY_LIBRARIES_ARENA_H
#define TESTS_ACCURACY_LIBRARIES_ARENA_H

#include <stddef.h>

/* Looks at each page of code and data, writes to each of the arena: what a kernel does when one is
 * first touched is no part of the program. */
void arena_touch(void);
/* Returns NULL when there is no more. */
void *arena_take(size_t bytes);
/* NULL is fine. */
void arena_give(void *place);
/* How many bytes a place has. */
size_t arena_bytes(const void *place);
/* As realloc(). */
void *arena_change(void *place, size_t bytes);
/* Calls work on a stack in static memory, whose addresses are the same in every run. */
void arena_run(void (*work)(void));

#endif
