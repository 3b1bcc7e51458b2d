/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes and strings, as the C library names them. Context of all: any, NMI included. */
#ifndef KERNEL_STRING_H
#define KERNEL_STRING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The areas must not overlap for memcpy(); they may for memmove(). `byte` is used as an unsigned
 * char. */
void *memcpy(void *to, const void *from, size_t bytes);
void *memmove(void *to, const void *from, size_t bytes);
void *memset(void *to, int byte, size_t bytes);
int memcmp(const void *a, const void *b, size_t bytes);
/* For NUL-terminated strings. strchr() and strrchr() return NULL if the character is not found. */
size_t strlen(const char *string);
int strcmp(const char *a, const char *b);
char *strchr(const char *string, int character);
char *strrchr(const char *string, int character);

/* Copies at most size-1 characters and ends them with NUL; returns the length of `from`. */
size_t strlcpy(char *to, const char *from, size_t size);

/* True if `length` bytes, not necessarily NUL-terminated, equal the string. */
static inline bool string_is(const char *bytes, size_t length, const char *string)
{
	return strlen(string) == length && memcmp(bytes, string, length) == 0;
}

/* True if `text` equals `word`, except an optional newline at its end (Linux's sysfs_streq()). */
static inline bool line_is(const char *text, const char *word)
{
	size_t length = strlen(text);

	if (length && text[length - 1] == '\n')
		length--;
	return string_is(text, length, word);
}

/* Zeroes a page; copies a page. Both are page-aligned. */
void page_zero(void *page);
void page_copy(void *to, const void *from);

#endif
