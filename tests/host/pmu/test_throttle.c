/* SPDX-License-Identifier: BSD-2-Clause */
/* What bounds samples: throttling, frequencies, limits. */
#include <poll.h>
#include "kernel/fs/file.h"
#include "pmu/core/core.h"
#include "tests/host/pmu/core_events.h"

/* Samples of ring 0 are limited: the event stops, goes on with the next tick, and says both. */
static void storms_are_throttled(void **state)
{
	struct perf_event_attr attr = instructions();
	struct tally t = {0};
	int fd, error;
	void *map;

	(void)state;
	attr.exclude_kernel = 0;
	attr.sample_period = 10;
	fd = open_ok(&attr, 0, -1, -1);
	map = fake_mmap(fd, 1 + 64, true, &error);
	fake_run(5000000, MODEL_KERNEL);
	tally_ring(map, 64, &t);
	assert_in_range(t.throttles, 2, 5);
	assert_in_range(t.unthrottles, t.throttles - 1, t.throttles);
	/* 300 ns are reckoned for each, and the fake clock stands still while one is written. */
	assert_in_range(t.samples, t.throttles * 800, t.throttles * 900 + 900);
	/* Ring 3 is not limited. */
	memset(&t, 0, sizeof(t));
	fake_run(2000000, MODEL_USER); /* until the next tick, and on */
	tally_ring(map, 64, &t);
	memset(&t, 0, sizeof(t));
	fake_run(200000, MODEL_USER);
	fake_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	tally_ring(map, 64, &t);
	assert_int_equal(t.throttles, 0);
	/* And one that tells of those lost before. */
	assert_in_range(t.samples, 19999, 20001);
	fake_munmap(fd, map);
	fake_close(fd);
}

/* How many PMIs of an event, each 100 us after the last one, find ring 0 `step` bytes further
 * before they stop it. */
static unsigned pmis_until_throttled(int fd, uint64_t step, unsigned most)
{
	struct frame frame = {.vector = FRAME_NMI, .cs = 8, .rip = FAKE_KERNEL_RIP};
	struct file *file = fd_get(fd);
	unsigned pmis = 1;

	while (!event_overflow(file->priv, &frame, 0, 1, true) && pmis < most) {
		fake_pass(100000);
		frame.rip += step;
		pmis++;
	}
	file_put(file);
	return pmis;
}

/* PMIs without end at one instruction stop the event, however long each takes: in 100 us the budget
 * of a tick is never spent. Where ring 0 goes on it is not stopped. */
static void pmis_that_lead_nowhere_end(void **state)
{
	struct perf_event_attr attr = instructions();
	int fd;

	(void)state;
	attr.exclude_kernel = 0;
	attr.sample_period = 1000000000;
	fd = open_ok(&attr, 0, -1, -1);
	assert_in_range(pmis_until_throttled(fd, 0, 1000), 2, 100);
	assert_int_equal(pmis_until_throttled(fd, 1, 1000), 1000);
	fake_close(fd);
}

/* A frequency finds its period, upwards and downwards. */
static void frequency_adapts(void **state)
{
	struct perf_event_attr attr = instructions();
	struct tally t = {0};
	uint64_t frequency = 2000;
	int fd, error;
	void *map;

	(void)state;
	attr.freq = 1;
	attr.sample_freq = 20000;
	fd = open_ok(&attr, 0, -1, -1);
	map = fake_mmap(fd, 1 + 64, true, &error);
	fake_run(20000000, MODEL_USER);
	tally_ring(map, 64, &t);
	memset(&t, 0, sizeof(t));
	fake_run(20000000, MODEL_USER); /* 20 ms */
	tally_ring(map, 64, &t);
	assert_in_range(t.samples, 380, 420);
	assert_int_equal(fake_ioctl(fd, PERF_EVENT_IOC_PERIOD, (uint64_t)&frequency), 0);
	fake_run(100000000, MODEL_USER);
	memset(&t, 0, sizeof(t));
	tally_ring(map, 64, &t);
	memset(&t, 0, sizeof(t));
	fake_run(100000000, MODEL_USER);
	tally_ring(map, 64, &t);
	assert_in_range(t.samples, 190, 210);
	frequency = 1000000;
	assert_int_equal(fake_ioctl(fd, PERF_EVENT_IOC_PERIOD, (uint64_t)&frequency), -EINVAL);
	fake_munmap(fd, map);
	fake_close(fd);
}

/* REFRESH: so many samples, and the event is off as soon as the interrupt after the last is over.
 */
static void refresh_counts_down(void **state)
{
	struct perf_event_attr attr = instructions();
	struct tally t = {0};
	int fd, error;
	void *map;

	(void)state;
	attr.sample_period = 100;
	attr.disabled = 1;
	fd = open_ok(&attr, 0, -1, -1);
	map = fake_mmap(fd, 1 + 8, true, &error);
	for (unsigned i = 1; i <= 3; i++) {
		assert_int_equal(fake_ioctl(fd, PERF_EVENT_IOC_REFRESH, i), 0);
		fake_run(10000, MODEL_USER);
	}
	tally_ring(map, 8, &t);
	assert_int_equal(t.samples, 6);
	assert_int_equal(value_of(fd), 600);
	fake_munmap(fd, map);
	fake_close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(storms_are_throttled),
	    TEST(pmis_that_lead_nowhere_end),
	    TEST(frequency_adapts),
	    TEST(refresh_counts_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
