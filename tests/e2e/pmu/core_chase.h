/* SPDX-License-Identifier: BSD-2-Clause */
/* Chases through memory, whose only load of it is chase_load. */
#ifndef TESTS_E2E_CORE_CHASE_H
#define TESTS_E2E_CORE_CHASE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { LINE = 64 };

struct chase {
	const char *name;
	unsigned kib, threshold;
	unsigned spread; /* instructions between two steps */
};

extern const char chase_load[], chase_end[];

static void check(int result, const char *what)
{
	if (result < 0) {
		perror(what);
		exit(1);
	}
}

static void *memory(size_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	check(at == MAP_FAILED ? -1 : 0, "mmap");
	return at;
}

static uint32_t number(void)
{
	static uint64_t state = 88172645463325252ULL;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state >> 32;
}

/* A ring through all lines, in random order. */
static char *make(const struct chase *c)
{
	unsigned lines = c->kib * 1024 / LINE;
	uint32_t *order = memory(lines * sizeof(*order));
	char *buffer = memory(c->kib * 1024);

	for (unsigned i = 0; i < lines; i++) {
		unsigned j = number() % (i + 1);

		order[i] = order[j];
		order[j] = i;
	}
	for (unsigned i = 0; i < lines; i++)
		*(void **)(buffer + order[i] * LINE) = buffer + order[(i + 1) % lines] * LINE;
	munmap(order, lines * sizeof(*order));
	return buffer;
}

static __attribute__((noinline, noclone)) char *run(char *at, unsigned steps, unsigned spread)
{
	__asm__ volatile("1: mov %2, %%ecx\n"
			 "2: dec %%ecx\n"
			 "jns 2b\n"
			 "chase_load: mov (%0), %0\n"
			 "chase_end: dec %1\n"
			 "jnz 1b\n"
			 : "+r"(at), "+r"(steps)
			 : "r"(spread)
			 : "rcx", "memory");
	return at;
}

#endif
