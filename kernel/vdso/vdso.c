/* SPDX-License-Identifier: BSD-2-Clause */
/* The vDSO: clocks and the processor's number without a system call, with the names and versions of
 * Linux's vDSO. It runs in ring 3. */
#include <asm/unistd.h>
#include <linux/time.h>
#include "abi/vdso.h"

#define NS_PER_SEC 1000000000ul
#define EXPORT     __attribute__((visibility("default")))
/* The plain name in addition to Linux's own, weak as there. */
#define ALSO(name) __attribute__((weak, visibility("default"), alias("__vdso_" #name)))

#define BIT(clock) (1u << (clock))
#define CLOCKS_SINCE_START                                                               \
	(BIT(CLOCK_MONOTONIC) | BIT(CLOCK_MONOTONIC_RAW) | BIT(CLOCK_MONOTONIC_COARSE) | \
	 BIT(CLOCK_BOOTTIME))
#define CLOCKS_REAL   (BIT(CLOCK_REALTIME) | BIT(CLOCK_REALTIME_COARSE) | BIT(CLOCK_TAI))
#define CLOCKS_COARSE (BIT(CLOCK_REALTIME_COARSE) | BIT(CLOCK_MONOTONIC_COARSE))

extern const struct vvar vvar __attribute__((visibility("hidden"))); /* vdso.lds places it */

/* All other clocks, including processor time by pid, need the system call. */
static long call(long number, long first, void *second)
{
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "0"(number), "D"(first), "S"(second)
			 : "rcx", "r11", "memory");
	return result;
}

/* Returns nanoseconds since start; never less than an earlier reading. */
static inline uint64_t now(void)
{
	__builtin_ia32_lfence();
	return (uint64_t)((unsigned __int128)__builtin_ia32_rdtsc() * vvar.mult >> vvar.shift) -
	       vvar.zero;
}

static inline uint64_t now_real(void)
{
	return now() + (uint64_t)vvar.real_ns;
}

static inline unsigned clock_bit(int clock)
{
	return (unsigned)clock <= CLOCK_TAI ? BIT(clock) : 0;
}

EXPORT int __vdso_clock_gettime(int clock, struct timespec *time)
{
	unsigned bit = clock_bit(clock);
	uint64_t ns;

	if (bit & CLOCKS_SINCE_START)
		ns = now();
	else if (bit & CLOCKS_REAL)
		ns = now_real();
	else
		return (int)call(__NR_clock_gettime, clock, time);
	time->tv_sec = (long)(ns / NS_PER_SEC);
	time->tv_nsec = (long)(ns % NS_PER_SEC);
	return 0;
}

EXPORT int __vdso_clock_getres(int clock, struct timespec *resolution)
{
	unsigned bit = clock_bit(clock);

	if (!(bit & (CLOCKS_SINCE_START | CLOCKS_REAL)))
		return (int)call(__NR_clock_getres, clock, resolution);
	if (resolution)
		*resolution =
		    (struct timespec){.tv_nsec = bit & CLOCKS_COARSE ? VDSO_COARSE_NS : 1};
	return 0;
}

EXPORT int __vdso_gettimeofday(struct timeval *time, struct timezone *zone)
{
	uint64_t ns;

	if (time) {
		ns = now_real();
		time->tv_sec = (long)(ns / NS_PER_SEC);
		time->tv_usec = (long)(ns % NS_PER_SEC / 1000);
	}
	if (zone)
		*zone = (struct timezone){0};
	return 0;
}

EXPORT long __vdso_time(long *seconds)
{
	long now_seconds = (long)(now_real() / NS_PER_SEC);

	if (seconds)
		*seconds = now_seconds;
	return now_seconds;
}

EXPORT long __vdso_getcpu(unsigned *processor, unsigned *node, void *unused)
{
	unsigned limit;

	(void)unused;
	__asm__ volatile("lsl %1, %0" : "=r"(limit) : "r"(VDSO_PROCESSOR_SELECTOR));
	if (processor)
		*processor = limit & ((1u << VDSO_PROCESSOR_NODE_SHIFT) - 1);
	if (node)
		*node = limit >> VDSO_PROCESSOR_NODE_SHIFT;
	return 0;
}

ALSO(clock_gettime) int clock_gettime(int clock, struct timespec *time);
ALSO(clock_getres) int clock_getres(int clock, struct timespec *resolution);
ALSO(gettimeofday) int gettimeofday(struct timeval *time, struct timezone *zone);
ALSO(time) long time(long *seconds);
ALSO(getcpu) long getcpu(unsigned *processor, unsigned *node, void *unused);
