/* SPDX-License-Identifier: BSD-2-Clause */
/* A program for experiments: a function with branches by chance, one with regular ones, an indirect
 * call. */
#include <stdint.h>
#include <stdio.h>

static uint64_t state = 88172645463325252;
static volatile uint64_t sums[4096];

__attribute__((noinline)) void chance(void)
{
	for (unsigned i = 0; i < 50000; i++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		if (state & 1)
			sums[i % 4096]++;
		else
			sums[(i + 7) % 4096] += state;
	}
}

__attribute__((noinline)) void regular(void)
{
	for (unsigned i = 0; i < 100000; i++)
		sums[i % 4096] += i;
}

int main(void)
{
	void (*volatile functions[])(void) = {regular, chance, regular};

	for (unsigned i = 0; i < 3; i++)
		functions[i]();
	puts("done");
	return 0;
}
