/* SPDX-License-Identifier: BSD-2-Clause */
/* Helpers of the hardware drivers' tests. */
#ifndef TESTS_HOST_INTEL_TEST_H
#define TESTS_HOST_INTEL_TEST_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>
#include "abi/linux/perf_event.h"
#include "tests/host/fake/fake_machine.h"
#include "emulator/visor/model/model.h"
#include "emulator/visor/model/base/personality.h"

#define INSTRUCTIONS PERF_COUNT_HW_INSTRUCTIONS
#define CYCLES       PERF_COUNT_HW_CPU_CYCLES

/* The next personality whose PMIs are not late, of machines whose processors are alike; `fixed`:
 * with fixed counters, which count more events at a time. NULL: there are no more. */
static inline const char *next_punctual(unsigned *at, bool fixed)
{
	const struct personality *p;

	while ((p = personality_at((*at)++)))
		if (p->version && !p->pmi_delay && !p->efficient && (p->fixed || !fixed))
			return personality_name(p);
	return NULL;
}

struct punctual {
	unsigned at;
	const char *name;
};

#define for_each_punctual(p, fixed) \
	for (struct punctual p = {0, NULL}; (p.name = next_punctual(&p.at, fixed));)

static inline struct perf_event_attr user_attr(uint32_t type, uint64_t config)
{
	struct perf_event_attr attr = fake_attr(type, config);

	attr.exclude_kernel = attr.exclude_hv = 1;
	return attr;
}

/* 1,000 instructions between samples. */
static inline struct perf_event_attr precise_attr(unsigned precise, uint64_t sample_type)
{
	struct perf_event_attr attr = user_attr(PERF_TYPE_HARDWARE, INSTRUCTIONS);

	attr.precise_ip = precise;
	attr.sample_period = 1000;
	attr.sample_type = sample_type;
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
