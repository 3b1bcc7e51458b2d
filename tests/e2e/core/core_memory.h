/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory and chance for programs about the core, which end when something fails. */
#ifndef TESTS_E2E_CORE_MEMORY_H
#define TESTS_E2E_CORE_MEMORY_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

static inline void check(int result, const char *what)
{
	if (result < 0) {
		perror(what);
		exit(1);
	}
}

static inline void *memory_of(size_t bytes, int flags)
{
	void *at =
	    mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

	check(at == MAP_FAILED ? -1 : 0, "mmap");
	return at;
}

static inline void *memory(size_t bytes)
{
	return memory_of(bytes, 0);
}

/* xorshift64: the same in each run. */
static inline uint32_t number(void)
{
	static uint64_t state = 88172645463325252ULL;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state >> 32;
}

#endif
