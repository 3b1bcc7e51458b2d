/* SPDX-License-Identifier: BSD-2-Clause */
/* Argument and environment strings on their way to a new program. Context of all: task. */
#ifndef KERNEL_ARGUMENTS_H
#define KERNEL_ARGUMENTS_H

#include <stddef.h>
#include <stdint.h>

#define ARGUMENT_LONGEST 131072ul    /* one string, as Linux's MAX_ARG_STRLEN */
#define ARGUMENTS_MAX    (2ul << 20) /* all strings and pointers: a quarter of the stack's limit */

/* Consecutive NUL-terminated argument and environment strings. */
struct arguments {
	char **pages; /* a page of pointers to pages, which need not be contiguous */
	size_t used;
	unsigned argc, envc;
};

/* Frees the strings, not the struct. */
void arguments_free(struct arguments *arguments);
/* Adds a string; adds the strings in `from` from `offset` on. Return 0, -E2BIG or -ENOMEM. */
int arguments_add(struct arguments *arguments, const char *string);
int arguments_add_rest(struct arguments *arguments, const struct arguments *from, size_t offset);
/* Adds the strings of a user array of pointers; counts them in *count. Returns 0 or a negative
 * errno. */
int arguments_add_user(struct arguments *arguments, uint64_t array, unsigned *count);
/* Returns the address of the byte at `offset` < used, and the number of contiguous bytes in
 * *bytes. */
const char *arguments_at(const struct arguments *arguments, size_t offset, size_t *bytes);
/* Returns the size of the string at `offset` < used, including its NUL. */
size_t arguments_string(const struct arguments *arguments, size_t offset);

#endif
