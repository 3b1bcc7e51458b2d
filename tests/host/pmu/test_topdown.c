/* SPDX-License-Identifier: BSD-2-Clause */
/* Top-down events: slots and their shares, and the rules of their groups. Expectations:
 * perf_event_open(2) on Linux 6.1 with a Sapphire Rapids; the model's shares are in
 * docs/emulated-pmu.md. */
#include "tests/host/pmu/intel_test.h"

#define SLOTS     0x0400
#define METRIC(i) (0x8000 + 0x100 * (i))
#define METRICS   8
#define SCALE     16384
#define RATE      73728 /* slots in so many instructions */

/* Level 2 has heavy operations, mispredicted branches, fetch latency and memory. */
static const unsigned shares[METRICS] = {77, 25, 51, 102, 10, 20, 30, 60};

static struct perf_event_attr raw(uint64_t config)
{
	return user_attr(PERF_TYPE_RAW, config);
}

static int open_raw(uint64_t config, int leader)
{
	struct perf_event_attr attr = raw(config);

	return open_ok(&attr, leader);
}

static void open_group(int fds[1 + METRICS])
{
	fds[0] = open_raw(SLOTS, -1);
	for (unsigned i = 0; i < METRICS; i++)
		fds[1 + i] = open_raw(METRIC(i), fds[0]);
}

static void close_group(const int fds[1 + METRICS])
{
	for (unsigned i = 0; i <= METRICS; i++)
		fake_close(fds[METRICS - i]);
}

/* Slots are exact; each reading rounds a share down once. */
static void check(const int fds[1 + METRICS], uint64_t slots, uint64_t readings)
{
	uint64_t got = value_of(fds[0]);

	assert_int_equal(got, slots);
	for (unsigned i = 0; i < METRICS; i++) {
		uint64_t whole = slots * shares[i] / 255;

		got = value_of(fds[1 + i]);
		assert_in_range(got, whole - readings - 1, whole);
	}
}

static void shares_of_slots(void **state)
{
	int fds[1 + METRICS];

	(void)state;
	fake_boot("intel-v5");
	open_group(fds);
	for (unsigned i = 1; i <= 10; i++) {
		fake_run(SCALE, MODEL_USER);
		fake_run(777, MODEL_KERNEL);
		check(fds, i * RATE, 9 * i);
	}
	/* Stopped as a whole and started again. */
	fake_ioctl(fds[0], PERF_EVENT_IOC_DISABLE, 0);
	fake_run(SCALE, MODEL_USER);
	fake_ioctl(fds[0], PERF_EVENT_IOC_ENABLE, 0);
	fake_run(SCALE, MODEL_USER);
	check(fds, 11 * RATE, 110);
	close_group(fds);
	end();
}

/* Across task switches, which take the group off and put it on. */
static void switches(void **state)
{
	struct task *other;
	int fds[1 + METRICS];

	(void)state;
	fake_boot("intel-v5");
	open_group(fds);
	other = fake_fork(false);
	for (unsigned i = 1; i <= 20; i++) {
		fake_run(SCALE, MODEL_USER);
		fake_switch(other);
		fake_run(5 * SCALE, MODEL_USER);
		fake_switch(fake_first_task());
	}
	check(fds, 20 * RATE, 50);
	fake_switch(other);
	fake_exit(fake_first_task());
	fake_reap(other);
	close_group(fds);
	end();
}

static void rules(void **state)
{
	struct perf_event_attr attr;

	(void)state;
	fake_boot("intel-v5");
	int slots = open_raw(SLOTS, -1), other = open_raw(0xc0, -1);

	attr = raw(METRIC(0));
	assert_int_equal(fake_open(&attr, 0, -1, -1, 0), -EINVAL);
	assert_int_equal(fake_open(&attr, 0, -1, other, 0), -EINVAL);
	attr.sample_period = 1000;
	assert_int_equal(fake_open(&attr, 0, -1, slots, 0), -EINVAL);
	attr = raw(METRIC(0) | 1u << 18);
	assert_int_equal(fake_open(&attr, 0, -1, slots, 0), -EINVAL);
	attr = raw(SLOTS | 1u << 24);
	assert_int_equal(fake_open(&attr, 0, -1, -1, 0), -EINVAL);
	attr = raw(SLOTS);
	attr.config1 = 1;
	assert_int_equal(fake_open(&attr, 0, -1, -1, 0), -EINVAL);
	/* A leader that samples does not count from 0. */
	attr = raw(SLOTS);
	attr.sample_period = 100000;
	int sampling = open_ok(&attr, -1);

	attr = raw(METRIC(1));
	assert_int_equal(fake_open(&attr, 0, -1, sampling, 0), -EINVAL);
	fake_close(sampling);
	fake_close(other);
	fake_close(slots);
	end();
}

/* Without PERF_METRICS the codes are raw events like any other. */
static void other_processors(void **state)
{
	struct perf_event_attr attr = raw(METRIC(0));

	(void)state;
	fake_boot("intel-v4");
	int fd = open_ok(&attr, -1);

	fake_run(SCALE, MODEL_USER);
	assert_int_equal(value_of(fd), 0);
	fake_close(fd);
	end();
}

/* A sample of another event that reads the group finds the shares as of then. */
static void read_in_sample(void **state)
{
	struct perf_event_attr attr = user_attr(PERF_TYPE_HARDWARE, INSTRUCTIONS);
	int fds[1 + METRICS], error, sampler;
	void *map;

	(void)state;
	fake_boot("intel-v5");
	open_group(fds);
	attr.sample_period = 1000;
	attr.sample_type = PERF_SAMPLE_READ;
	attr.read_format = PERF_FORMAT_GROUP;
	sampler = open_ok(&attr, fds[0]);
	map = fake_mmap(sampler, 1 + 16, true, &error);
	assert_non_null(map);
	fake_run(10 * SCALE, MODEL_USER);
	check(fds, 10 * RATE, 1000);
	fake_munmap(sampler, map);
	fake_close(sampler);
	close_group(fds);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(shares_of_slots), cmocka_unit_test(switches),
	    cmocka_unit_test(rules),           cmocka_unit_test(other_processors),
	    cmocka_unit_test(read_in_sample),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
