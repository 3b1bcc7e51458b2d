/* SPDX-License-Identifier: BSD-2-Clause */
/* PEBS records that wait in the debug store: the events that allow it, the ends of waiting, and
 * that no sample or count is lost. Expectations: Linux, arch/x86/events/intel/core.c
 * (LARGE_PEBS_FLAGS, intel_pmu_hw_config()) and ds.c. */
#include "tests/host/kernel/ring_reader.h"
#include "tests/host/pmu/intel_test.h"
#include "pmu/base/later.h"

#define PAGES  64
#define PERIOD 1000
#define FIELDS (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME)

static const char *const machines[] = {"skylake", "ice-lake", "sapphire-rapids"};
#define SKYLAKE  0 /* its records are not adaptive */
#define MACHINES (sizeof(machines) / sizeof(machines[0]))

struct run {
	int fd;
	void *map;
};

static struct perf_event_attr waiting_attr(uint64_t sample_type)
{
	struct perf_event_attr attr = precise_attr(2, sample_type);

	attr.sample_period = PERIOD;
	return attr;
}

static struct run begin(struct perf_event_attr *attr)
{
	struct run run = {.fd = open_ok(attr, -1)};
	int error;

	run.map = fake_mmap(run.fd, 1 + PAGES, true, &error);
	assert_non_null(run.map);
	return run;
}

static void finish(struct run *run)
{
	fake_munmap(run->fd, run->map);
	fake_close(run->fd);
	end();
}

/* Returns the samples in the ring, whose times never go back. */
static unsigned samples_in(const struct run *run)
{
	struct ring_reader reader = ring_reader(run->map, PAGES);
	const struct ring_record *record;
	uint64_t last = 0;
	unsigned samples = 0;

	while ((record = ring_next(&reader))) {
		if (record->header.type == PERF_RECORD_THROTTLE)
			continue; /* a frequency begins with short periods */
		assert_int_equal(record->header.type, PERF_RECORD_SAMPLE);
		assert_true(record->words[2] >= last);
		last = record->words[2];
		samples++;
	}
	return samples;
}

/* A read, a stop and a switch each empty the buffer. */
static void what_empties_it(void **state)
{
	(void)state;
	for (size_t i = 0; i < MACHINES; i++) {
		struct perf_event_attr attr = waiting_attr(FIELDS);
		struct task *first, *other;
		struct run run;

		fake_boot(machines[i]);
		run = begin(&attr);
		first = fake_first_task();
		other = fake_fork(false);
		fake_run(10500, MODEL_USER);
		assert_int_equal(samples_in(&run), 0);
		assert_int_equal(value_of(run.fd), 10500);
		assert_int_equal(samples_in(&run), 10);
		fake_run(10000, MODEL_USER);
		fake_switch(other);
		assert_int_equal(samples_in(&run), 20);
		fake_switch(first);
		fake_run(10000, MODEL_USER);
		fake_ioctl(run.fd, PERF_EVENT_IOC_DISABLE, 0);
		assert_int_equal(samples_in(&run), 30);
		assert_int_equal(value_of(run.fd), 30500);
		fake_switch(other);
		fake_exit(first);
		fake_reap(other);
		finish(&run);
	}
}

/* The buffer interrupts before it is full: 64 KiB of records of 200 bytes (format 3), or of 32. */
static void full(void **state)
{
	static const unsigned records[MACHINES] = {327, 2048, 2048};

	(void)state;
	for (size_t i = 0; i < MACHINES; i++) {
		struct perf_event_attr attr = waiting_attr(FIELDS);
		uint64_t run_for = (records[i] + 10ul) * PERIOD + PERIOD / 2;
		unsigned first;
		struct run run;

		fake_boot(machines[i]);
		run = begin(&attr);
		fake_run(run_for, MODEL_USER);
		first = samples_in(&run);
		assert_in_range(first, records[i] - 40, records[i] - 1);
		assert_int_equal(fake_nmis, 1);
		assert_int_equal(value_of(run.fd), run_for);
		assert_int_equal(samples_in(&run), records[i] + 10);
		finish(&run);
	}
}

struct row {
	const char *name;
	struct perf_event_attr differs; /* fields that are added to the attr */
	bool waits;
	bool adaptive; /* only where records are adaptive */
};

#define FIELD(text, waiting, ...)                   \
	{                                           \
		text, {__VA_ARGS__}, waiting, false \
	}
#define ADAPTIVE(text, ...)                     \
	{                                       \
		text, {__VA_ARGS__}, true, true \
	}

static const struct row rows[] = {
    FIELD("address", true, .sample_type = PERF_SAMPLE_ADDR),
    FIELD("weight", true, .sample_type = PERF_SAMPLE_WEIGHT),
    FIELD("registers", true, .sample_type = PERF_SAMPLE_REGS_INTR, .sample_regs_intr = 1),
    FIELD("watermark", true, .watermark = 1, .wakeup_watermark = 64),
    FIELD("wakeup_events", false, .wakeup_events = 1),
    FIELD("clockid", false, .use_clockid = 1, .clockid = 1),
    FIELD("a frequency", false, .freq = 1),
    FIELD("call chains", false, .sample_type = PERF_SAMPLE_CALLCHAIN),
    FIELD("values", false, .sample_type = PERF_SAMPLE_READ),
    FIELD("registers of ring 3", true, .sample_type = PERF_SAMPLE_REGS_USER, .sample_regs_user = 1),
    FIELD("a segment of ring 3", false, .sample_type = PERF_SAMPLE_REGS_USER,
	  .sample_regs_user = 1 << 10), /* CS */
    ADAPTIVE("branches", .sample_type = PERF_SAMPLE_BRANCH_STACK,
	     .branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER),
    FIELD("a stack", false, .sample_type = PERF_SAMPLE_STACK_USER, .sample_stack_user = 64),
    FIELD("data page size", false, .sample_type = PERF_SAMPLE_DATA_PAGE_SIZE),
};

static struct perf_event_attr attr_of(const struct row *row)
{
	struct perf_event_attr attr = waiting_attr(FIELDS | row->differs.sample_type);

	attr.sample_regs_intr = row->differs.sample_regs_intr;
	attr.sample_regs_user = row->differs.sample_regs_user;
	attr.branch_sample_type = row->differs.branch_sample_type;
	attr.sample_stack_user = row->differs.sample_stack_user;
	attr.wakeup_events = row->differs.wakeup_events; /* or the watermark */
	attr.watermark = row->differs.watermark;
	attr.use_clockid = row->differs.use_clockid;
	attr.clockid = row->differs.clockid; /* CLOCK_MONOTONIC */
	attr.freq = row->differs.freq;
	if (attr.freq)
		attr.sample_freq = 100000;
	return attr;
}

/* Only an event whose samples are all in the record, and that wants none at once, waits. */
static void who_waits(void **state)
{
	(void)state;
	for (size_t i = 0; i < MACHINES; i++)
		for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
			struct perf_event_attr attr = attr_of(&rows[k]);
			struct run run;
			bool waited;

			fake_boot(machines[i]);
			run = begin(&attr);
			fake_run(20500, MODEL_USER);
			waited = !samples_in(&run);
			if (waited != (rows[k].waits && !(rows[k].adaptive && i == SKYLAKE)))
				fail_msg("%s: %s", machines[i], rows[k].name);
			value_of(run.fd);
			assert_true(samples_in(&run));
			finish(&run);
		}
}

/* Records of formats without the time do not wait. */
static void without_times(void **state)
{
	struct perf_event_attr attr = waiting_attr(FIELDS);

	(void)state;
	fake_boot("haswell");

	struct run run = begin(&attr);

	fake_run(10500, MODEL_USER);
	assert_int_equal(samples_in(&run), 10);
	finish(&run);
}

/* One event that interrupts for each record makes all interrupt. */
static void beside_a_prompt_one(void **state)
{
	(void)state;
	for (size_t i = 0; i < MACHINES; i++) {
		struct perf_event_attr attr = waiting_attr(FIELDS), prompt = attr;
		struct run runs[2];

		fake_boot(machines[i]);
		prompt.wakeup_events = 1;
		runs[0] = begin(&attr);
		runs[1] = begin(&prompt);
		fake_run(10500, MODEL_USER);
		assert_int_equal(samples_in(&runs[0]), 10);
		assert_int_equal(samples_in(&runs[1]), 10);
		fake_ioctl(runs[1].fd, PERF_EVENT_IOC_DISABLE, 0);
		fake_run(10000, MODEL_USER);
		assert_int_equal(samples_in(&runs[0]), 10);
		assert_int_equal(value_of(runs[0].fd), 20500);
		assert_int_equal(samples_in(&runs[0]), 20);
		assert_int_equal(value_of(runs[1].fd), 10500);
		fake_munmap(runs[1].fd, runs[1].map);
		fake_close(runs[1].fd);
		finish(&runs[0]);
	}
}

/* REFRESH stops the event when its records are taken; another period continues. */
static void limits_and_periods(void **state)
{
	struct perf_event_attr attr = waiting_attr(FIELDS);
	uint64_t period = 500;
	struct run run;

	(void)state;
	attr.disabled = 1;
	fake_boot("skylake");
	run = begin(&attr);
	fake_ioctl(run.fd, PERF_EVENT_IOC_REFRESH, 3);
	fake_run(10500, MODEL_USER);
	value_of(run.fd);
	assert_in_range(samples_in(&run), 3, 10);
	fake_run(10500, MODEL_USER);
	assert_int_equal(value_of(run.fd), 10500);
	fake_ioctl(run.fd, PERF_EVENT_IOC_PERIOD, (uintptr_t)&period);
	fake_ioctl(run.fd, PERF_EVENT_IOC_RESET, 0);
	fake_ioctl(run.fd, PERF_EVENT_IOC_ENABLE, 0);
	period = samples_in(&run);
	fake_run(10100, MODEL_USER);
	assert_int_equal(value_of(run.fd), 10100);
	assert_in_range(samples_in(&run) - period, 19, 20);
	finish(&run);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(what_empties_it),     cmocka_unit_test(full),
	    cmocka_unit_test(who_waits),           cmocka_unit_test(without_times),
	    cmocka_unit_test(beside_a_prompt_one), cmocka_unit_test(limits_and_periods),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
