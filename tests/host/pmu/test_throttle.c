/* SPDX-License-Identifier: BSD-2-Clause */
/* Bounds of samples: throttling, frequencies, limits. */
#include <poll.h>
#include "kernel/file/descriptor_table.h"
#include "kernel/file/file.h"
#include "kernel/signal/signal.h"
#include "pmu/core/core.h"
#include "pmu/hw/hw.h"
#include "tests/host/pmu/core_events.h"

/* An event with a ring of its own. */
struct sampler {
	int fd;
	void *ring;
	uint64_t pages;
};

static struct sampler sampler_open(struct perf_event_attr *attr, uint64_t pages)
{
	struct sampler s = {.fd = open_ok(attr, 0, -1, -1), .pages = pages};
	int error;

	s.ring = fake_mmap(s.fd, 1 + pages, true, &error);
	return s;
}

/* Returns the records since the last call. */
static struct tally sampler_tally(const struct sampler *s)
{
	struct tally t = {0};

	tally_ring(s->ring, s->pages, &t);
	return t;
}

static struct tally sampler_run(const struct sampler *s, uint64_t instructions,
				enum model_ring ring)
{
	fake_run(instructions, ring);
	return sampler_tally(s);
}

static void sampler_close(const struct sampler *s)
{
	fake_munmap(s->fd, s->ring);
	fake_close(s->fd);
}

/* Samples of ring 0 are limited: the event stops, continues with the next tick, and reports
 * both. */
static void storms_are_throttled(void **state)
{
	struct perf_event_attr attr = instructions();
	struct sampler s;
	struct tally t;

	(void)state;
	attr.exclude_kernel = 0;
	attr.sample_period = 10;
	s = sampler_open(&attr, 64);
	t = sampler_run(&s, 5000000, MODEL_KERNEL);
	assert_in_range(t.throttles, 2, 5);
	assert_in_range(t.unthrottles, t.throttles - 1, t.throttles);
	/* Each sample is charged 300 ns, and the fake clock does not advance while one is
	 * written. */
	assert_in_range(t.samples, t.throttles * 800, t.throttles * 900 + 900);
	/* Ring 3 is not limited. */
	sampler_run(&s, 2000000, MODEL_USER); /* until the next tick, and on */
	fake_run(200000, MODEL_USER);
	fake_ioctl(s.fd, PERF_EVENT_IOC_DISABLE, 0);
	t = sampler_tally(&s);
	assert_int_equal(t.throttles, 0);
	/* One record more reports the ones lost before. */
	assert_in_range(t.samples, 19999, 20001);
	sampler_close(&s);
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

/* Endless PMIs at one instruction stop the event, however long each takes: in 100 us the budget
 * of a tick is never spent. Ring 0 that makes progress is not stopped. */
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

/* A handler each of whose instructions causes the next PMI, 100 us apart, would keep the program
 * from making progress. If the program makes some once in a while, nothing is stopped. */
static void handlers_that_feed_themselves_end(void **state)
{
	struct frame frame = {.vector = FRAME_NMI, .cs = USER_CS, .rip = 0x1000};
	struct perf_event_attr attr = instructions();
	struct file *file;
	unsigned traps = 0;
	int fd;

	(void)state;
	attr.sample_period = 1000000000;
	attr.sigtrap = attr.remove_on_exec = 1;
	fd = open_ok(&attr, 0, -1, -1);
	file = fd_get(fd);
	current_task()->blocked = SIGNAL_BIT(SIGTRAP);
	while (!event_overflow(file->priv, &frame, 0, 1, true) && ++traps < 1000) {
		fake_pass(100000);
		frame.rip = 0x1000 + traps % 16;
	}
	assert_in_range(traps, 100, 200);
	for (unsigned i = 0; i < 1000; i++) {
		current_task()->blocked = i % 50 ? SIGNAL_BIT(SIGTRAP) : 0;
		frame.rip = 0x1000 + i % 16;
		assert_false(event_overflow(file->priv, &frame, 0, 1, true));
		fake_pass(100000);
	}
	current_task()->blocked = 0;
	file_put(file);
	fake_close(fd);
}

/* A frequency finds its period, upwards and downwards. */
static void frequency_adapts(void **state)
{
	struct perf_event_attr attr = instructions();
	uint64_t frequency = 2000;
	struct sampler s;

	(void)state;
	attr.freq = 1;
	attr.sample_freq = 20000;
	s = sampler_open(&attr, 64);
	sampler_run(&s, 20000000, MODEL_USER);
	assert_in_range(sampler_run(&s, 20000000, MODEL_USER).samples, 380, 420); /* of 20 ms */
	assert_int_equal(fake_ioctl(s.fd, PERF_EVENT_IOC_PERIOD, (uint64_t)&frequency), 0);
	sampler_run(&s, 100000000, MODEL_USER);
	assert_in_range(sampler_run(&s, 100000000, MODEL_USER).samples, 190, 210);
	frequency = 1000000;
	assert_int_equal(fake_ioctl(s.fd, PERF_EVENT_IOC_PERIOD, (uint64_t)&frequency), -EINVAL);
	sampler_close(&s);
}

/* REFRESH: so many samples, and the event is off as soon as the interrupt after the last is
 * over. */
static void refresh_counts_down(void **state)
{
	struct perf_event_attr attr = instructions();
	struct sampler s;

	(void)state;
	attr.sample_period = 100;
	attr.disabled = 1;
	s = sampler_open(&attr, 8);
	for (unsigned i = 1; i <= 3; i++) {
		assert_int_equal(fake_ioctl(s.fd, PERF_EVENT_IOC_REFRESH, i), 0);
		fake_run(10000, MODEL_USER);
	}
	assert_int_equal(sampler_tally(&s).samples, 6);
	assert_int_equal(value_of(s.fd), 600);
	sampler_close(&s);
}

/* Returns how many PMIs of 10 us, `apart` ns apart, find ring 3 at an unchanged instruction
 * before they stop the event. */
static unsigned pmis_until_stopped(int fd, struct frame *frame, uint64_t apart, uint64_t step,
				   unsigned most)
{
	struct hw_cpu *cpu = hw_this_cpu();
	struct file *file = fd_get(fd);
	const struct perf_event *event = file->priv;
	unsigned pmis = 0;

	while (!event->hw.throttled && pmis < most) {
		uint64_t start = clock_ns();
		bool looks = hw_stuck_looks();

		fake_pass(10000);
		if (looks)
			hw_stuck_look(cpu, frame, start);
		fake_pass(apart);
		frame->rbx += step;
		pmis++;
	}
	file_put(file);
	return pmis;
}

/* The event is stopped where ring 3 makes no progress between PMIs. It is not stopped where ring
 * 3 does, or where its PMIs take less than half of the time; ring 0's has limits of its own. */
static void pmis_that_leave_no_room_end(void **state)
{
	struct frame frame = {.vector = FRAME_NMI, .cs = USER_CS, .rip = 0x1000},
		     kernel = {.vector = FRAME_NMI, .cs = 8, .rip = FAKE_KERNEL_RIP};
	struct perf_event_attr attr = instructions();
	int fd;

	(void)state;
	attr.sample_period = 1000000000;
	fd = open_ok(&attr, 0, -1, -1);
	assert_int_equal(pmis_until_stopped(fd, &frame, 11000, 0, 4000), 4000);
	assert_int_equal(pmis_until_stopped(fd, &frame, 1000, 1, 4000), 4000);
	assert_int_equal(pmis_until_stopped(fd, &kernel, 1000, 0, 4000), 4000);
	assert_in_range(pmis_until_stopped(fd, &frame, 1000, 0, 4000), 64, 1200);
	fake_close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(storms_are_throttled),
	    TEST(pmis_that_lead_nowhere_end),
	    TEST(pmis_that_leave_no_room_end),
	    TEST(handlers_that_feed_themselves_end),
	    TEST(frequency_adapts),
	    TEST(refresh_counts_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
