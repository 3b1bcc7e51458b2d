/* SPDX-License-Identifier: BSD-2-Clause */
/* The few functions of a C library that a freestanding program needs. */
#include "emulator/visor/base/lib.h"

#include <stdint.h>

/* Jumps are expensive in an emulator. */
#define UNROLL _Pragma("GCC unroll 8")

void *memcpy(void *to, const void *from, size_t bytes)
{
	return memmove(to, from, bytes);
}

static void copy_up(uint8_t *to, const uint8_t *from, size_t bytes)
{
	UNROLL
	for (; bytes >= sizeof(uint64_t); bytes -= sizeof(uint64_t)) {
		*(uint64_t *)to = *(const uint64_t *)from;
		to += sizeof(uint64_t);
		from += sizeof(uint64_t);
	}
	while (bytes--)
		*to++ = *from++;
}

static void copy_down(uint8_t *to, const uint8_t *from, size_t bytes)
{
	while (bytes--)
		to[bytes] = from[bytes];
}

void *memmove(void *to, const void *from, size_t bytes)
{
	if ((uintptr_t)to - (uintptr_t)from >= bytes)
		copy_up(to, from, bytes);
	else
		copy_down(to, from, bytes);
	return to;
}

void *memset(void *to, int value, size_t bytes)
{
	uint64_t pattern = 0x0101010101010101ull * (uint8_t)value;
	uint8_t *p = to;

	UNROLL
	for (; bytes >= sizeof(pattern); bytes -= sizeof(pattern), p += sizeof(pattern))
		*(uint64_t *)p = pattern;
	while (bytes--)
		*p++ = (uint8_t)value;
	return to;
}

int memcmp(const void *a, const void *b, size_t bytes)
{
	const uint8_t *x = a, *y = b;

	for (; bytes; bytes--, x++, y++)
		if (*x != *y)
			return *x - *y;
	return 0;
}

size_t strlen(const char *text)
{
	size_t n = 0;

	while (text[n])
		n++;
	return n;
}

bool has_word(const char *text, const char *word)
{
	size_t length = strlen(word);

	for (const char *p = text; *p; p++)
		if ((p == text || p[-1] == ' ') && !memcmp(p, word, length) &&
		    (p[length] == ' ' || !p[length]))
			return true;
	return false;
}
