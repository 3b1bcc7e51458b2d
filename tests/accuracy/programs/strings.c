/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The C library's string functions without REP: valgrind counts each repetition as an instruction,
 * processors the whole as one.
 */
#include <stddef.h>

void *memcpy(void *to, const void *from, size_t n)
{
	char *t = to;
	const char *f = from;

	while (n--)
		*t++ = *f++;
	return to;
}

void *memset(void *to, int value, size_t n)
{
	char *t = to;

	while (n--)
		*t++ = value;
	return to;
}

void *memmove(void *to, const void *from, size_t n)
{
	char *t = to;
	const char *f = from;

	if (t < f)
		return memcpy(to, from, n);
	while (n--)
		t[n] = f[n];
	return to;
}
