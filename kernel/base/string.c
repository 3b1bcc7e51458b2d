/* SPDX-License-Identifier: BSD-2-Clause */
/* Strings; copying and filling are in arch/x86/cpu/copy/copy.asm. */
#include "kernel/base/string.h"

int memcmp(const void *a, const void *b, size_t bytes)
{
	const uint8_t *left = a, *right = b;

	for (; bytes; bytes--, left++, right++)
		if (*left != *right)
			return *left - *right;
	return 0;
}

size_t strlen(const char *string)
{
	size_t length = 0;

	while (string[length])
		length++;
	return length;
}

int strcmp(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return (uint8_t)*a - (uint8_t)*b;
}

char *strchr(const char *string, int character)
{
	for (;; string++) {
		if (*string == (char)character)
			return (char *)string;
		if (!*string)
			return NULL;
	}
}

char *strrchr(const char *string, int character)
{
	char *found = NULL;

	for (;; string++) {
		if (*string == (char)character)
			found = (char *)string;
		if (!*string)
			return found;
	}
}

size_t strlcpy(char *to, const char *from, size_t size)
{
	size_t length = strlen(from), part = length < size ? length : size - 1;

	memcpy(to, from, part);
	to[part] = 0;
	return length;
}
