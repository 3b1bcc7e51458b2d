/* SPDX-License-Identifier: BSD-2-Clause */
/* What the tests of the hardware drivers share. */
#ifndef TESTS_HOST_INTEL_TEST_H
#define TESTS_HOST_INTEL_TEST_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>
#include <linux/perf_event.h>
#include "tests/host/fake/fake_machine.h"

#define INSTRUCTIONS PERF_COUNT_HW_INSTRUCTIONS
#define CYCLES       PERF_COUNT_HW_CPU_CYCLES

/* All whose PMIs are not late, Intel's, and those with fixed counters, which count more events at a
 * time. */
static const char *const personalities[] = {"amd-k7",   "amd-v2",   "intel-v1", "intel-v2",
					    "intel-v3", "intel-v4", "intel-v5"};
static const char *const *const with_fixed = personalities + 3;
#define PERSONALITIES (sizeof(personalities) / sizeof(personalities[0]))
#define WITH_FIXED    (PERSONALITIES - 3)

static inline struct perf_event_attr user_attr(uint32_t type, uint64_t config)
{
	struct perf_event_attr attr = fake_attr(type, config);

	attr.exclude_kernel = attr.exclude_hv = 1;
	return attr;
}

static inline uint64_t value_of(int fd)
{
	uint64_t value = 0;

	assert_int_equal(fake_read(fd, &value, sizeof(value)), sizeof(value));
	return value;
}

static inline int open_ok(struct perf_event_attr *attr, int group)
{
	int fd = fake_open(attr, 0, -1, group, 0);

	assert_true(fd >= 0);
	return fd;
}

static inline void end(void)
{
	fake_shutdown();
	assert_int_equal(fake_open_objects, 0);
	assert_int_equal(fake_unclaimed, 0);
}

#endif
