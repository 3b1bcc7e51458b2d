/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Costs of tasks, pipes and pages, in instructions: 2^N TSC ticks each under QEMU's -icount
 * shift=N. The bounds are a third of Debian's Linux 6.1's costs for this program (docs/linux.md).
 */
#include <stdlib.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include "tests/guest/cost.h"
#include "tests/guest/perf.h"

#define RUNS 40

/* A third of Linux's cost: it depends on the pages that the C library's start touched. By the
 * kernel's layout 21,360 instructions take 26,070 to 26,470 ticks. glibc 2.36 takes 36,000, 2.41
 * 39,200 to 39,800. Behind other programs in the same boot all take up to 3% more. */
#ifdef __GLIBC__
#define FORK_MAX  (__GLIBC_PREREQ(2, 37) ? 40200 : 38400)
#define PAGES_MAX 96000
#else
#define FORK_MAX  27000
#define PAGES_MAX 81000
#endif

static uint64_t empty;    /* a measurement of nothing */
static uint64_t unit = 1; /* ticks of an instruction */
static bool here;         /* not on Linux: the bounds hold */

static void bound(uint64_t cost, uint64_t most, const char *what)
{
	if (here)
		ok(cost <= most, "%s: %llu instructions, at most %llu", what,
		   (unsigned long long)cost, (unsigned long long)most);
	else
		ok(cost > 0, "%s: %llu instructions", what, (unsigned long long)cost);
}

/* The least of many runs of one operation. */
static uint64_t least_of(void (*operation)(void *), void *argument)
{
	return LEAST_TICKS(RUNS, operation(argument)) / unit;
}

static void null_call(void *argument)
{
	(void)argument;
	call(SYS_getppid, 0, 0, 0);
}

static void two_thousand(void *argument)
{
	(void)argument;
	perf_loop(1000);
}

static void nothing(void *argument)
{
	(void)argument;
}

/* One byte there and one back, between two processes. */
static void round_trip(void *argument)
{
	const int *ends = argument;
	char byte = 0;

	call(SYS_write, ends[1], (long)&byte, 1);
	call(SYS_read, ends[0], (long)&byte, 1);
}

static void pipes(void)
{
	int there[2], back[2], ends[2];
	char byte;
	pid_t child;

	if (pipe(there) || pipe(back) || (child = fork()) < 0) {
		ok(false, "two pipes and a process");
		return;
	}
	if (!child) {
		close(there[1]);
		while (call(SYS_read, there[0], (long)&byte, 1) == 1)
			call(SYS_write, back[1], (long)&byte, 1);
		_exit(0);
	}
	ends[0] = back[0];
	ends[1] = there[1];
	bound(least_of(round_trip, ends), 3500, "a round trip through two pipes");
	close(there[1]);
	waitpid(child, NULL, 0);
}

static void fork_exit_wait(void *argument)
{
	long child = call(SYS_fork, 0, 0, 0);

	(void)argument;
	if (!child)
		call(SYS_exit_group, 0, 0, 0);
	__asm__ volatile("mov $0, %%r10d\n\tsyscall"
			 : "=a"(child)
			 : "0"(SYS_wait4), "D"(child), "S"(0), "d"(0)
			 : "rcx", "r10", "r11", "memory");
}

static void touch(void *argument)
{
	unsigned char **page = argument;

	**page = 1;
	*page += 4096;
}

#define PROTECTED 400 /* pages */

/* Makes pages that were written read-only, and writable again. */
static void protect(void *argument)
{
	call(SYS_mprotect, (long)argument, PROTECTED * 4096, PROT_READ);
	call(SYS_mprotect, (long)argument, PROTECTED * 4096, PROT_READ | PROT_WRITE);
}

int main(void)
{
	const size_t many = 400 * 4096;
	struct utsname name;
	unsigned char *pages, *page;

	setvbuf(stdout, NULL, _IOLBF, 0);
	uname(&name);
	here = !strcmp(name.nodename, "barepmu");
	if (here && !counts_are_exact()) {
		skip("costs", "instructions cannot be counted here");
		return tap_end();
	}
	if (here && !ticks_are_instructions()) {
		skip("costs", "the clock counts the core's cycles: --time instructions");
		return tap_end();
	}
	unit = least_of(two_thousand, NULL) / 2000;
	empty = least_of(nothing, NULL);
	bound(least_of(null_call, NULL) - empty, 80, "getppid");
	pipes();
	bound(least_of(fork_exit_wait, NULL), FORK_MAX, "fork, exit and wait");
	pages = mmap(NULL, many, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	page = pages;
	bound(least_of(touch, &page), 540, "the first write to an anonymous page");
	memset(pages, 1, many);
	bound(least_of(fork_exit_wait, NULL), PAGES_MAX, "fork, exit and wait with 400 pages more");
	memset(pages, 1, many);
	bound(least_of(protect, pages) / PROTECTED, 100, "mprotect twice, each page");
	return tap_end();
}
