/* SPDX-License-Identifier: BSD-2-Clause */
/* Does one thing so many times: `rate cpuid|loop|calls N`. For visor.sh. */
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void cpuid(void)
{
	unsigned a = 0, c = 0;

	__asm__ volatile("cpuid" : "+a"(a), "+c"(c) : : "rbx", "rdx");
}

/* Four instructions, including the loop's own. */
static void loop(void)
{
	__asm__ volatile("nop\n\tnop");
}

static void get_parent(void)
{
	syscall(SYS_getppid);
}

int main(int argc, char **argv)
{
	long n = argc > 2 ? atol(argv[2]) : 0;

	if (n <= 0)
		return 2;
	if (!strcmp(argv[1], "cpuid"))
		for (; n; n--)
			cpuid();
	else if (!strcmp(argv[1], "loop"))
		for (; n; n--)
			loop();
	else
		for (; n; n--)
			get_parent();
	return 0;
}
