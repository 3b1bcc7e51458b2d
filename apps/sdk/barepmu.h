/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts events of a marked region of a C or C++ program, by RDPMC if the kernel allows it, else by
 * read(2), and calls functions in ring 0 through /dev/ring0. It works on Linux and in the barepmu
 * image.
 *
 *         struct barepmu pmu;
 *         if (barepmu_open(&pmu, "cycles,instructions"))
 *                 return barepmu_error(&pmu);
 *         barepmu_begin(&pmu);
 *         for (int i = 0; i < 1000; i++)
 *                 work();
 *         barepmu_end(&pmu);
 *         barepmu_print(&pmu, "work", 1000);
 *
 * A struct barepmu belongs to the thread that opened it; each thread opens its own. A thread may be
 * moved to another processor inside a region: the user pages show it, and the counters' values are
 * joined. The cost of begin and end is measured at open, and subtracted.
 */
#ifndef BAREPMU_H
#define BAREPMU_H

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "barepmu_events.h"

#define BAREPMU_COUNTERS 8
#define BAREPMU_TRIES    100 /* empty regions that the overhead is the least of */
#define BAREPMU_STACK    65536

struct barepmu {
	int nr, rdpmc;  /* counters; all can be read by RDPMC */
	int clock;      /* no counters: the time in nanoseconds takes their place */
	int joined;     /* from[] holds whole counts: the counters were moved within the region */
	uint32_t locks; /* the sum of the pages' sequence numbers, as of index[] and offset[] */
	int fd[BAREPMU_COUNTERS];
	struct perf_event_mmap_page *page[BAREPMU_COUNTERS];
	uint32_t index[BAREPMU_COUNTERS];  /* RDPMC's index */
	int unused[BAREPMU_COUNTERS];      /* the bits of 64 that a counter has not */
	uint64_t offset[BAREPMU_COUNTERS]; /* count before the current enabling */
	int modelled[BAREPMU_COUNTERS];    /* 0: an emulated PMU has no model of the event */
	char name[BAREPMU_COUNTERS][48];
	uint64_t from[BAREPMU_COUNTERS], to[BAREPMU_COUNTERS];
	uint64_t overhead[BAREPMU_COUNTERS]; /* of an empty region */
	uint64_t total[BAREPMU_COUNTERS];    /* of all regions since it was opened or reset */
	uint64_t regions;
	char error[160];
};

/*
 * Marks of the region of interest for simulators: `barepmu run --roi marks`, and others that know
 * SSC marks. They do nothing elsewhere, and need no struct barepmu.
 */
static inline __attribute__((always_inline)) void barepmu_roi_begin(void)
{
	__asm__ volatile("movl $0x111, %%ebx\n\t.byte 0x64, 0x67, 0x90" : : : "rbx", "memory");
}

static inline __attribute__((always_inline)) void barepmu_roi_end(void)
{
	__asm__ volatile("movl $0x222, %%ebx\n\t.byte 0x64, 0x67, 0x90" : : : "rbx", "memory");
}

/* ---- inside ---- */

static inline int barepmu_fail_(struct barepmu *pmu, const char *what, const char *name)
{
	snprintf(pmu->error, sizeof(pmu->error), "%s '%.60s': %s", what, name, strerror(errno));
	return -1;
}

static inline int barepmu_open_event_(struct perf_event_attr *attr, int leader)
{
	return (int)syscall(SYS_perf_event_open, attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

/* Says why an event cannot be counted: it has no counter beside the others, or not even alone. */
static inline int barepmu_refuse_(struct barepmu *pmu, struct perf_event_attr *attr,
				  const char *name)
{
	int why = errno, alone = barepmu_open_event_(attr, -1);

	if (alone >= 0)
		close(alone);
	errno = why;
	if (alone < 0)
		return barepmu_fail_(pmu, "this machine does not count", name);
	snprintf(pmu->error, sizeof(pmu->error),
		 "'%.60s' does not fit: it has no counter beside the %d event%s before it", name,
		 pmu->nr, pmu->nr == 1 ? "" : "s");
	return -1;
}

static inline int barepmu_add_(struct barepmu *pmu, const char *name)
{
	struct perf_event_attr attr;
	int i = pmu->nr;
	void *page;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.pinned = !i;
	if (i == BAREPMU_COUNTERS) {
		snprintf(pmu->error, sizeof(pmu->error), "'%.60s' does not fit: at most %d events",
			 name, BAREPMU_COUNTERS);
		return -1;
	}
	if (!barepmu_event_(name, &attr)) {
		snprintf(pmu->error, sizeof(pmu->error), "no such event '%.60s'%s", name,
			 barepmu_vendor_hint_(name));
		return -1;
	}
	pmu->fd[i] = barepmu_open_event_(&attr, i ? pmu->fd[0] : -1);
	if (pmu->fd[i] < 0)
		return barepmu_refuse_(pmu, &attr, name);
	snprintf(pmu->name[i], sizeof(pmu->name[i]), "%.47s", name);
	page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, pmu->fd[i], 0);
	pmu->page[i] = page == MAP_FAILED ? NULL : (struct perf_event_mmap_page *)page;
	pmu->nr++;
	return 0;
}

/* True if the machine has no counter at all: a virtual machine without a PMU, or one that this user
 * may not use. */
static inline int barepmu_is_missing_(void)
{
	struct perf_event_attr attr;
	int fd;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.config = PERF_COUNT_HW_INSTRUCTIONS;
	attr.exclude_kernel = attr.exclude_hv = 1;
	fd = barepmu_open_event_(&attr, -1);
	if (fd >= 0)
		close(fd);
	return fd < 0;
}

/* Measures time instead of events, and says so. */
static inline int barepmu_use_clock_(struct barepmu *pmu)
{
	fprintf(stderr, "barepmu: %s: nanoseconds of the clock instead\n", pmu->error);
	while (pmu->nr)
		close(pmu->fd[--pmu->nr]);
	pmu->clock = pmu->nr = 1;
	pmu->modelled[0] = 1;
	snprintf(pmu->name[0], sizeof(pmu->name[0]), "nanoseconds");
	return 0;
}

/* Reads each counter's page, until all are consistent. Clears `rdpmc` if a counter cannot be read
 * by RDPMC. */
static inline void barepmu_find_counters_(struct barepmu *pmu)
{
	pmu->rdpmc = 1;
	pmu->locks = 0;
	for (int i = 0; i < pmu->nr; i++) {
		volatile struct perf_event_mmap_page *page = pmu->page[i];
		uint32_t lock;

		if (!page || !page->cap_user_rdpmc) {
			pmu->rdpmc = 0;
			return;
		}
		do {
			lock = page->lock;
			__asm__ volatile("" : : : "memory");
			pmu->index[i] = page->index - 1;
			pmu->offset[i] = (uint64_t)page->offset;
			pmu->unused[i] = 64 - page->pmc_width;
			__asm__ volatile("" : : : "memory");
		} while (page->lock != lock);
		pmu->locks += lock;
		if (pmu->index[i] == UINT32_MAX)
			pmu->rdpmc = 0;
	}
}

static inline void barepmu_cpuid_(uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
	__asm__ volatile("cpuid"
			 : "=a"(regs[0]), "=b"(regs[1]), "=c"(regs[2]), "=d"(regs[3])
			 : "a"(leaf), "c"(subleaf));
}

/* 0: an emulated PMU has no model of the event of the counter that RDPMC names so. The barepmu
 * hypervisor, whose signature is in leaf 40000000H, answers 1 in leaf 40000011H then. */
static inline int barepmu_is_modelled_(uint32_t counter)
{
	uint32_t regs[4];

	barepmu_cpuid_(1, 0, regs);
	if (!(regs[2] >> 31))
		return 1;
	barepmu_cpuid_(0x40000000, 0, regs);
	if (memcmp(&regs[1], "barepmuVISOR", 12) || regs[0] < 0x40000011)
		return 1;
	barepmu_cpuid_(0x40000011, counter, regs);
	return regs[0] != 1;
}

static inline __attribute__((always_inline)) uint64_t barepmu_rdpmc_(uint32_t counter)
{
	uint32_t low, high;

	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(counter));
	return (uint64_t)high << 32 | low;
}

/* Returns the whole count for a counter's raw value. */
static inline uint64_t barepmu_whole_(const struct barepmu *pmu, int i, uint64_t number)
{
	return pmu->offset[i] + (uint64_t)((int64_t)(number << pmu->unused[i]) >> pmu->unused[i]);
}

/* Reads the counters by RDPMC. Returns 0 if the pages changed in between, which makes the numbers
 * invalid. */
static inline __attribute__((always_inline)) int barepmu_numbers_(struct barepmu *pmu, uint64_t *to)
{
	uint32_t locks = 0;

	__asm__ volatile("lfence" : : : "memory");
	for (int i = 0; i < pmu->nr; i++)
		to[i] = barepmu_rdpmc_(pmu->index[i]);
	__asm__ volatile("lfence" : : : "memory");
	for (int i = 0; i < pmu->nr; i++)
		locks += ((volatile struct perf_event_mmap_page *)pmu->page[i])->lock;
	return locks == pmu->locks;
}

/* Reads the counters' positions; converts from[] to whole counts while that is possible. */
static inline void barepmu_moved_(struct barepmu *pmu)
{
	for (int i = 0; i < pmu->nr && !pmu->joined; i++)
		pmu->from[i] = barepmu_whole_(pmu, i, pmu->from[i]);
	pmu->joined = 1;
	barepmu_find_counters_(pmu);
}

static inline __attribute__((always_inline)) void barepmu_read_(struct barepmu *pmu, uint64_t *to)
{
	while (pmu->rdpmc) {
		if (__builtin_expect(barepmu_numbers_(pmu, to), 1))
			return;
		barepmu_moved_(pmu);
	}
	if (pmu->clock) {
		struct timespec now;

		clock_gettime(CLOCK_MONOTONIC, &now);
		to[0] = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
		return;
	}
	for (int i = 0; i < pmu->nr; i++)
		if (read(pmu->fd[i], &to[i], sizeof(to[i])) != (ssize_t)sizeof(to[i]))
			to[i] = 0;
}

/* Returns the count of the last region, including the cost of begin and end. */
static inline uint64_t barepmu_count_(const struct barepmu *pmu, int i)
{
	if (!pmu->rdpmc)
		return pmu->to[i] - pmu->from[i];
	if (pmu->joined)
		return barepmu_whole_(pmu, i, pmu->to[i]) - pmu->from[i];
	return (pmu->to[i] - pmu->from[i]) << pmu->unused[i] >> pmu->unused[i];
}

static inline void barepmu_account_(struct barepmu *pmu)
{
	for (int i = 0; i < pmu->nr; i++) {
		uint64_t count = barepmu_count_(pmu, i);

		pmu->total[i] += count > pmu->overhead[i] ? count - pmu->overhead[i] : 0;
	}
	pmu->regions++;
}

/* ---- the interface ---- */

/* Begin and end a region. */
static inline __attribute__((always_inline)) void barepmu_begin(struct barepmu *pmu)
{
	barepmu_read_(pmu, pmu->from);
	pmu->joined = 0;
}

static inline __attribute__((always_inline)) void barepmu_end(struct barepmu *pmu)
{
	barepmu_read_(pmu, pmu->to);
	barepmu_account_(pmu);
}

/* Discards the regions so far: after a warm-up. */
static inline void barepmu_reset(struct barepmu *pmu)
{
	memset(pmu->total, 0, sizeof(pmu->total));
	pmu->regions = 0;
}

/* Returns the end of the first event of a list: commas between slashes belong to the event. */
static inline const char *barepmu_event_end_(const char *list)
{
	int inside = 0;

	for (; *list && (*list != ',' || inside); list++)
		inside ^= *list == '/';
	return list;
}

/* Opens the events of a comma list. */
static inline int barepmu_add_all_(struct barepmu *pmu, const char *events)
{
	char name[256];

	while (*events) {
		const char *end = barepmu_event_end_(events);

		snprintf(name, sizeof(name), "%.*s", (int)(end - events), events);
		if (*name && barepmu_add_(pmu, name))
			return -1;
		events = end + (*end == ',');
	}
	return 0;
}

/* Opens a comma list of events by the names that `barepmu stat -e` takes (barepmu_events.h), which
 * must have counters together; without a modifier they count ring 3 only. On a machine that has no
 * counters it measures nanoseconds instead, and prints that once. Returns 0, or -1 with the reason
 * in pmu->error: no such event, or an event that does not fit. */
static inline int barepmu_open(struct barepmu *pmu, const char *events)
{
	memset(pmu, 0, sizeof(*pmu));
	if (barepmu_add_all_(pmu, events)) {
		int unknown = !strncmp(pmu->error, "no such event", 13);

		if (unknown || !barepmu_is_missing_())
			return -1;
		barepmu_use_clock_(pmu);
	}
	if (!pmu->clock)
		barepmu_find_counters_(pmu);
	for (int i = 0; i < pmu->nr; i++) {
		pmu->overhead[i] = 0;
		pmu->modelled[i] = !pmu->rdpmc || barepmu_is_modelled_(pmu->index[i]);
	}
	uint64_t least[BAREPMU_COUNTERS];
	memset(least, 0xff, sizeof(least));
	for (int tries = 0; tries < BAREPMU_TRIES; tries++) {
		barepmu_begin(pmu);
		barepmu_end(pmu);
		for (int i = 0; i < pmu->nr; i++)
			if (barepmu_count_(pmu, i) < least[i])
				least[i] = barepmu_count_(pmu, i);
	}
	memcpy(pmu->overhead, least, sizeof(least));
	barepmu_reset(pmu);
	return 0;
}

static inline void barepmu_close(struct barepmu *pmu)
{
	for (int i = pmu->nr; i-- && !pmu->clock;) {
		if (pmu->page[i])
			munmap(pmu->page[i], (size_t)sysconf(_SC_PAGESIZE));
		close(pmu->fd[i]);
	}
	pmu->nr = 0;
}

/* Prints the error on stderr; returns 1, for main(). */
static inline int barepmu_error(const struct barepmu *pmu)
{
	fprintf(stderr, "barepmu: %s\n", pmu->error);
	return 1;
}

/* Events of one iteration, of `iterations` in each region. Not a number (NAN): the PMU is emulated,
 * and nothing models the event. */
static inline double barepmu_value(const struct barepmu *pmu, int counter, uint64_t iterations)
{
	double all = (double)pmu->regions * (double)iterations;

	if (!pmu->modelled[counter])
		return __builtin_nan("");
	return all > 0 ? (double)pmu->total[counter] / all : 0;
}

/* Prints one line: the name, each event by iteration of a region, and how it was read. */
static inline void barepmu_print(const struct barepmu *pmu, const char *name, uint64_t iterations)
{
	flockfile(stdout); /* one line, whatever other threads print */
	printf("%s:", name);
	for (int i = 0; i < pmu->nr; i++) {
		if (pmu->modelled[i])
			printf(" %.2f %s", barepmu_value(pmu, i, iterations), pmu->name[i]);
		else
			printf(" <not counted> %s", pmu->name[i]);
	}
	printf(" (%llu regions, by %s)\n", (unsigned long long)pmu->regions,
	       pmu->rdpmc   ? "RDPMC"
	       : pmu->clock ? "clock_gettime"
			    : "read");
	funlockfile(stdout);
}

/* The layout of abi/ring0.h. */
struct barepmu_ring0_call {
	uint64_t code, argument, stack, value;
	uint32_t ended, error;
	uint64_t rip, rflags, cr2, registers[16];
};

/*
 * Calls the function in ring 0 with interrupts masked, on a separate stack. Its memory must be
 * resident, because it must not fault: no calls into libraries. Returns 0 and its value; -1 and
 * errno: ENOTSUP on a kernel without /dev/ring0, EACCES or EPERM without root, EFAULT if an
 * exception ended it, whose vector is then *value.
 */
static inline int barepmu_ring0(uint64_t (*function)(void *), void *argument, uint64_t *value)
{
	struct barepmu_ring0_call call;
	int file = open("/dev/ring0", O_RDWR | O_CLOEXEC), failed;
	char *stack;

	if (file < 0) {
		errno = errno == ENOENT ? ENOTSUP : errno;
		return -1;
	}
	stack = (char *)mmap(NULL, BAREPMU_STACK, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	memset(&call, 0, sizeof(call));
	call.code = (uint64_t)(uintptr_t)function;
	call.argument = (uint64_t)(uintptr_t)argument;
	call.stack = (uint64_t)(uintptr_t)stack + BAREPMU_STACK;
	failed = stack == (char *)MAP_FAILED ||
		 ioctl(file, _IOWR('b', 0, struct barepmu_ring0_call), &call);
	if (stack != (char *)MAP_FAILED)
		munmap(stack, BAREPMU_STACK);
	close(file);
	if (failed)
		return -1;
	*value = call.ended == UINT32_MAX ? call.value : call.ended;
	errno = EFAULT;
	return call.ended == UINT32_MAX ? 0 : -1;
}

#endif
