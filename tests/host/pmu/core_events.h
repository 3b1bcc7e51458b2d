/* SPDX-License-Identifier: BSD-2-Clause */
/* Helpers of the event core's tests: events, records of their rings, a machine for each test. */
#ifndef TESTS_HOST_PMU_CORE_EVENTS_H
#define TESTS_HOST_PMU_CORE_EVENTS_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>
#include "tests/host/fake/fake_machine.h"
#include "tests/host/kernel/ring_reader.h"

static inline struct perf_event_attr instructions(void)
{
	struct perf_event_attr attr = fake_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);

	attr.exclude_kernel = 1;
	return attr;
}

static inline int open_ok(struct perf_event_attr *attr, int pid, int cpu, int group)
{
	int fd = fake_open(attr, pid, cpu, group, 0);

	assert_true(fd >= 0);
	return fd;
}

static inline uint64_t value_of(int fd)
{
	uint64_t values[8];

	assert_true(fake_read(fd, values, sizeof(values)) > 0);
	return values[0];
}

struct tally {
	unsigned samples, throttles, unthrottles;
	uint64_t lost;
};

static inline void tally_ring(void *map, uint64_t pages, struct tally *t)
{
	struct ring_reader reader = ring_reader(map, pages);
	const struct ring_record *record;

	while ((record = ring_next(&reader))) {
		t->samples += record->header.type == PERF_RECORD_SAMPLE;
		t->throttles += record->header.type == PERF_RECORD_THROTTLE;
		t->unthrottles += record->header.type == PERF_RECORD_UNTHROTTLE;
		if (record->header.type == PERF_RECORD_LOST)
			t->lost += record->words[1];
	}
	ring_done(&reader);
}

static inline int setup(void **state)
{
	(void)state;
	fake_boot("intel-v4");
	return 0;
}

static inline int teardown(void **state)
{
	(void)state;
	fake_shutdown();
	return fake_open_objects != 0 || fake_unclaimed != 0;
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

#endif
