/* SPDX-License-Identifier: BSD-2-Clause */
/* The kinds of events on which every operation is tried. */
#ifndef TESTS_ORACLE_KINDS_H
#define TESTS_ORACLE_KINDS_H

#include "oracle.h"
#include <poll.h>

struct kind {
	const char *name;
	uint32_t type;
	uint64_t config, period, flags;
};

#define DISABLED_USER 0x61 /* disabled, exclude_kernel, exclude_hv */
#define INHERIT       (1 << 1)
#define FREQ          (1 << 10)

static const struct kind kinds[] = {
    {"dummy", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, 0, DISABLED_USER},
    {"dummy sampling", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, 1000, DISABLED_USER},
    {"dummy inherited", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, 1000, DISABLED_USER | INHERIT},
    {"dummy frequency", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, 100, DISABLED_USER | FREQ},
    {"cpu-clock sampling", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 1000000000, DISABLED_USER},
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0, DISABLED_USER},
    {"instructions sampling", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 1ul << 40,
     DISABLED_USER},
    {"cycles frequency", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 1, DISABLED_USER | FREQ},
    {"branches sampling", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 1ul << 40,
     DISABLED_USER},
};

static inline struct perf_event_attr attr_of(const struct kind *kind)
{
	struct perf_event_attr attr = perf_attr(kind->type, kind->config);

	attr.sample_period = kind->period;
	*attr_flags(&attr) = kind->flags;
	return attr;
}

static inline int open_kind(const struct kind *kind)
{
	struct perf_event_attr attr = attr_of(kind);

	return perf_try(&attr, 0, -1, -1, 0);
}

static inline long control(int fd, unsigned long command, unsigned long argument)
{
	return failed(ioctl(fd, command, argument));
}

static inline void *map(int fd, size_t pages)
{
	void *at = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return at == MAP_FAILED ? NULL : at;
}

static inline unsigned polled(int fd)
{
	struct pollfd one = {.fd = fd, .events = 0xffff & ~POLLNVAL};
	int n = poll(&one, 1, 0);

	return n < 0 ? (unsigned)-errno : (unsigned)one.revents;
}

#endif
