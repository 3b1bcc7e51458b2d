/* SPDX-License-Identifier: BSD-2-Clause */
/* A region of interest by the marks of several simulators: argv[1] says whose. Between them are a
 * million instructions, before and after them more. */
#include <stdio.h>
#include <string.h>

#include "apps/sdk/barepmu.h"

#define SNIPER(command) \
	__asm__ volatile("mov %0, %%rax\n\txchg %%bx, %%bx" : : "i"(command) : "rax")
#define GEM5(number) __asm__ volatile(".byte 0x0f, 0x04\n\t.word %c0" : : "i"(number) : "rax")

static void work(unsigned rounds)
{
	__asm__ volatile("1:\n\tnop\n\tnop\n\tdec %0\n\tjnz 1b" : "+r"(rounds));
}

int main(int argc, char **argv)
{
	const char *whose = argc > 1 ? argv[1] : "";

	work(100000);
	if (!strcmp(whose, "sniper"))
		SNIPER(1);
	else if (!strcmp(whose, "gem5"))
		GEM5(0x5a);
	else
		barepmu_roi_begin();
	work(250000);
	if (!strcmp(whose, "sniper"))
		SNIPER(2);
	else if (!strcmp(whose, "gem5"))
		GEM5(0x5b);
	else
		barepmu_roi_end();
	work(300000);
	puts("done");
	return 0;
}
