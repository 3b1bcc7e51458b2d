/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls 1,000 functions in random order: more code than L1I holds. */
#include "tests/accuracy/programs/program.h"

#define FUNCTION(n)                                                             \
	static __attribute__((noinline, aligned(64))) uint64_t f##n(uint64_t x) \
	{                                                                       \
		x = x * (2 * n + 1) + n;                                        \
		x ^= x >> 7;                                                    \
		return x % 3 ? x + n : x * 5;                                   \
	}
#define TEN(what, n)                                                                            \
	what(n##0) what(n##1) what(n##2) what(n##3) what(n##4) what(n##5) what(n##6) what(n##7) \
	    what(n##8) what(n##9)
#define HUNDRED(what, n) \
	TEN(what, n##0)  \
	TEN(what, n##1)  \
	TEN(what, n##2)  \
	TEN(what, n##3)  \
	TEN(what, n##4)  \
	TEN(what, n##5) TEN(what, n##6) TEN(what, n##7) TEN(what, n##8) TEN(what, n##9)
#define THOUSAND(what)   \
	HUNDRED(what, 1) \
	HUNDRED(what, 2) \
	HUNDRED(what, 3) \
	HUNDRED(what, 4) \
	HUNDRED(what, 5) \
	HUNDRED(what, 6) HUNDRED(what, 7) HUNDRED(what, 8) HUNDRED(what, 9) HUNDRED(what, 10)
#define NAME(n) f##n,

THOUSAND(FUNCTION)

int main(int argc, char **argv)
{
	static uint64_t (*const functions[])(uint64_t) = {THOUSAND(NAME)};
	unsigned n = program_size(argc, argv, 100000);
	uint64_t x = 1;

	while (n--)
		x = functions[program_random() % 1000](x);
	return program_end(x);
}
