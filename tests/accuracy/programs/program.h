/* SPDX-License-Identifier: BSD-2-Clause */
/* Helpers of the comparison's programs: an argument, numbers, an end that uses the result. */
#ifndef TESTS_ACCURACY_PROGRAMS_PROGRAM_H
#define TESTS_ACCURACY_PROGRAMS_PROGRAM_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The size that the command line asks for. */
static inline unsigned program_size(int argc, char **argv, unsigned otherwise)
{
	return argc > 1 ? (unsigned)atoi(argv[1]) : otherwise;
}

/* xorshift64: the same numbers in every run. */
static inline uint32_t program_random(void)
{
	static uint64_t state = 88172645463325252ULL;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state >> 32;
}

/* Memory that was written, with zeros: what is first read is the kernel's page of zeros, then
 * another one. */
static inline void *program_zeros(size_t bytes)
{
	return memset(malloc(bytes), 0, bytes);
}

/* Writes the result, so that no compiler leaves its computation out. Returns main's status. */
static inline int program_end(uint64_t result)
{
	char text[17];

	for (int i = 15; i >= 0; i--, result >>= 4)
		text[i] = "0123456789abcdef"[result & 15];
	text[16] = '\n';
	return write(1, text, sizeof(text)) != sizeof(text);
}

#endif
