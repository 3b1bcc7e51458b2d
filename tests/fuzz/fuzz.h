/* SPDX-License-Identifier: BSD-2-Clause */
/* Helpers of the hostile programs: TAP, repeatable random numbers, bounded children, and a check
 * that the system is still well. The programs pass on Linux as well. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "abi/linux/perf_event.h"
#include "tests/guest/tap.h"

#define PAGE       4096ul
#define USER_LAST  0x7fffffffe000ul /* the last page of ring 3 */
#define KERNEL_MAP 0xffff888000000000ul
#define KERNEL     0xffffffff80000000ul
#define COUNT(a)   (sizeof(a) / sizeof((a)[0]))

/* xorshift64*: the same numbers in every run. */
static uint64_t random_state = 1;

static inline uint64_t random_u64(void)
{
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return random_state * 2685821657736338717ul;
}

/* 0 .. below - 1 */
static inline unsigned random_below(unsigned below)
{
	return (unsigned)((random_u64() >> 33) % below);
}

static inline void random_seed(uint64_t seed)
{
	random_state = seed * 0x9e3779b97f4a7c15ul + 1;
}

#define PICK(array) ((array)[random_below(COUNT(array))])

static inline long raw_syscall(long number, const uint64_t a[6])
{
	register uint64_t r10 __asm__("r10");
	register uint64_t r8 __asm__("r8");
	register uint64_t r9 __asm__("r9");
	long result;

	r10 = a[3];
	r8 = a[4];
	r9 = a[5];
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

static inline uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Time limit of children that end by themselves: only one that hangs reaches it. Several
 * processors have the host's time, of which a busy one leaves them little. */
#define ENDS_MS 60000

/* Steps that contained bodies made, where that is looked at. */
static volatile unsigned *progress;

/* From now on, where time is the host's, a body that makes steps is not late. */
static inline void watch_progress(void)
{
	if (sysconf(_SC_NPROCESSORS_ONLN) > 1)
		progress =
		    mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

static inline void step_made(void)
{
	if (progress)
		++*progress;
}

/*
 * Runs `body(argument)` in a process of its own session for at most `ms` of time, since its last
 * step where these are watched; then the whole session is killed. Returns the status of wait(2), or
 * -1 when time was up.
 */
static inline int contained(void (*body)(uint64_t), uint64_t argument, unsigned ms)
{
	const struct timespec nap = {.tv_nsec = 500000};
	pid_t child = fork();
	unsigned steps = 0;
	int status = -1;

	if (!child) {
		setsid();
		body(argument);
		_exit(0);
	}
	if (child < 0)
		return -1;
	for (unsigned i = 0; i < 2 * ms; i++) {
		if (waitpid(child, &status, WNOHANG) == child)
			break;
		status = -1;
		nanosleep(&nap, NULL);
		if (progress && *progress != steps) {
			steps = *progress;
			i = 0;
		}
	}
	kill(-child, SIGKILL);
	if (status == -1) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	while (waitpid(-1, NULL, WNOHANG) > 0)
		; /* orphans may have come to us */
	return status;
}

static inline uint64_t free_memory(void)
{
	struct sysinfo info;

	return sysinfo(&info) ? 0 : info.freeram * (uint64_t)info.mem_unit;
}

/* ---- is the system still well? ---- */

static inline bool file_is_well(void)
{
	char buffer[6] = "";
	int fd = open("/tmp/well", O_RDWR | O_CREAT | O_TRUNC, 0600);
	bool well = write(fd, "hello", 5) == 5 && pread(fd, buffer, 5, 0) == 5;

	close(fd);
	unlink("/tmp/well");
	return well && !strcmp(buffer, "hello");
}

static inline bool pipe_is_well(void)
{
	int ends[2];
	char byte = 0;
	bool well = !pipe(ends) && write(ends[1], "x", 1) == 1 && read(ends[0], &byte, 1) == 1;

	close(ends[0]);
	close(ends[1]);
	return well && byte == 'x';
}

/* fork, exec of this program with the argument "well" (see be_well_first), wait. */
static inline bool exec_is_well(void)
{
	pid_t child = fork();
	int status = -1;

	if (!child) {
		execl("/proc/self/exe", "fuzz", "well", (char *)NULL);
		_exit(1);
	}
	return waitpid(child, &status, 0) == child && WIFEXITED(status) &&
	       WEXITSTATUS(status) == 42;
}

static inline bool perf_is_well(void)
{
	struct perf_event_attr attr = {
	    .type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = PERF_COUNT_SW_TASK_CLOCK};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	uint64_t first = 0, second = 0;
	bool well = read(fd, &first, 8) == 8 && read(fd, &second, 8) == 8;

	close(fd);
	return well && first && second > first;
}

static inline bool floats_are_well(void)
{
	volatile double one = 1, three = 3;

	return one / three * three == 1.0;
}

static inline bool system_is_well(const char *after)
{
	bool file = file_is_well(), ends = pipe_is_well(), exec = exec_is_well();
	bool perf = perf_is_well(), floats = floats_are_well();

	if (!(file && ends && exec && perf && floats))
		printf("# file %d, pipe %d, exec %d, perf %d, floats %d\n", file, ends, exec, perf,
		       floats);
	return ok(file && ends && exec && perf && floats, "the system is well after %s", after);
}

/* main() calls this first. */
static inline void be_well_first(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "well"))
		exit(42);
}

#endif
