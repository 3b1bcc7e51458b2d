/* SPDX-License-Identifier: BSD-2-Clause */
/* The event core without hardware in its way: tasks that come and go, inheritance, deferred
 * work, memory. */
#include <poll.h>
#include "kernel/base/hooks.h"
#include "kernel/file/file.h"
#include "pmu/core/core.h"
#include "tests/host/pmu/core_events.h"

/* Each task's event counts its own instructions, the processor's all of them. */
static void tasks_take_their_events_along(void **state)
{
	struct perf_event_attr attr = instructions();
	struct task *first = fake_first_task(), *second = fake_fork(false);
	int a = open_ok(&attr, 0, -1, -1), b = open_ok(&attr, second->pid, -1, -1),
	    cpu = open_ok(&attr, -1, 0, -1);

	(void)state;
	for (unsigned i = 0; i < 10; i++) {
		fake_run(1000, MODEL_USER);
		fake_switch(second);
		fake_run(300, MODEL_USER);
		fake_switch(first);
	}
	assert_int_equal(value_of(a), 10000);
	assert_int_equal(value_of(b), 3000);
	assert_int_equal(value_of(cpu), 13000);
	fake_close(a);
	fake_close(b);
	fake_close(cpu);
}

/* Time enabled of a task's event passes only while the task runs; of the processor's always. */
static void times_follow_the_task(void **state)
{
	struct perf_event_attr attr = instructions();
	struct task *first = fake_first_task(), *second = fake_fork(false);
	uint64_t values[3];

	(void)state;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	int a = open_ok(&attr, 0, -1, -1), cpu = open_ok(&attr, -1, 0, -1);

	fake_run(1000, MODEL_USER);
	fake_switch(second);
	fake_run(5000, MODEL_USER);
	assert_int_equal(fake_read(a, values, sizeof(values)), 24);
	assert_int_equal(values[1], 1000);
	assert_int_equal(values[2], 1000);
	fake_switch(first);
	fake_run(1, MODEL_USER);
	assert_int_equal(fake_read(a, values, sizeof(values)), 24);
	assert_int_equal(values[1], 1001);
	assert_int_equal(fake_read(cpu, values, sizeof(values)), 24);
	assert_int_equal(values[1], 6001);
	assert_int_equal(values[2], 6001);
	fake_close(a);
	fake_close(cpu);
}

static void families_add_up(void **state)
{
	struct perf_event_attr attr = instructions();
	struct task *first = fake_first_task(), *child, *grandchild;
	int fd;

	(void)state;
	attr.inherit = 1;
	fd = open_ok(&attr, 0, -1, -1);
	fake_run(100, MODEL_USER);
	child = fake_fork(false);
	fake_switch(child);
	fake_run(20, MODEL_USER);
	grandchild = fake_fork(true);
	fake_switch(grandchild);
	fake_run(3, MODEL_USER);
	assert_int_equal(value_of(fd), 123);
	fake_exit(first);
	assert_int_equal(value_of(fd), 123);
	/* All of the family at once. */
	assert_int_equal(fake_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0), 0);
	fake_switch(child);
	fake_run(1000, MODEL_USER);
	assert_int_equal(value_of(fd), 123);
	assert_int_equal(fake_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0), 0);
	fake_run(1000, MODEL_USER);
	assert_int_equal(value_of(fd), 1123);
	fake_switch(first);
	/* Closed while a child lives. */
	fake_close(fd);
	fake_switch(child);
	fake_run(10, MODEL_USER);
	fake_exit(first);
}

static void inherited_groups_read_as_one(void **state)
{
	struct perf_event_attr attr = instructions();
	uint64_t values[8];
	struct task *first = fake_first_task(), *child;
	int leader, sibling;

	(void)state;
	attr.inherit = 1;
	attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	leader = open_ok(&attr, 0, -1, -1);
	attr.config = PERF_COUNT_HW_CPU_CYCLES;
	sibling = open_ok(&attr, 0, -1, leader);
	child = fake_fork(false);
	fake_switch(child);
	fake_run(16384, MODEL_USER);
	assert_int_equal(fake_read(leader, values, sizeof(values)), 40);
	assert_int_equal(values[0], 2);
	assert_int_equal(values[1], 16384);
	assert_int_equal(values[3], 12288);
	assert_int_not_equal(values[2], values[4]);
	fake_exit(first);
	assert_int_equal(fake_read(sibling, values, sizeof(values)), 40);
	assert_int_equal(values[1], 16384);
	fake_close(leader);
	fake_close(sibling);
}

static void exec_enables_and_removes(void **state)
{
	struct perf_event_attr attr = instructions();
	int on, off;

	(void)state;
	attr.disabled = attr.enable_on_exec = 1;
	on = open_ok(&attr, 0, -1, -1);
	attr.disabled = attr.enable_on_exec = 0;
	attr.remove_on_exec = 1;
	off = open_ok(&attr, 0, -1, -1);
	fake_run(100, MODEL_USER);
	fake_exec();
	fake_run(30, MODEL_USER);
	assert_int_equal(value_of(on), 30);
	assert_int_equal(value_of(off), 100);
	assert_int_equal(fake_poll(off), POLLHUP);
	/* Only once. */
	fake_ioctl(on, PERF_EVENT_IOC_DISABLE, 0);
	fake_exec();
	fake_run(30, MODEL_USER);
	assert_int_equal(value_of(on), 30);
	fake_close(on);
	fake_close(off);
}

static void dead_tasks(void **state)
{
	struct perf_event_attr attr = instructions();
	struct task *first = fake_first_task(), *child = fake_fork(false);
	int fd = open_ok(&attr, child->pid, -1, -1);

	(void)state;
	fake_switch(child);
	fake_run(50, MODEL_USER);
	fake_exit(first);
	assert_int_equal(value_of(fd), 50);
	assert_int_equal(fake_open(&attr, child->pid, -1, -1, 0), -ESRCH);
	assert_int_equal(fake_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0), 0);
	assert_int_equal(fake_ioctl(fd, PERF_EVENT_IOC_RESET, 0), 0);
	assert_int_equal(value_of(fd), 0);
	assert_int_equal(fake_poll(fd), POLLHUP);
	fake_close(fd);
}

/* The processor's clock event samples by one-shot timers; none is left when it is closed. */
static void clocks_leave_no_timer(void **state)
{
	struct perf_event_attr attr = fake_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
	struct tally t = {0};
	int fd, error;
	void *map;

	(void)state;
	attr.sample_period = 50000;
	fd = open_ok(&attr, 0, -1, -1);
	map = fake_mmap(fd, 1 + 8, true, &error);
	fake_run(1000000, MODEL_USER);
	tally_ring(map, 8, &t);
	assert_in_range(t.samples, 19, 20);
	fake_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	assert_int_equal(value_of(fd), 1000000);
	fake_run(1000000, MODEL_USER);
	memset(&t, 0, sizeof(t));
	tally_ring(map, 8, &t);
	assert_int_equal(t.samples, 0);
	fake_munmap(fd, map);
	fake_close(fd);
	fake_run(1000000, MODEL_USER);
}

/* Another event's records in the same ring; the ring goes with its last mapping. */
static void shared_rings(void **state)
{
	struct perf_event_attr attr = instructions();
	struct tally t = {0};
	int a, b, error;
	void *map;

	(void)state;
	attr.sample_period = 1000;
	a = open_ok(&attr, 0, -1, -1);
	b = open_ok(&attr, 0, -1, -1);
	map = fake_mmap(a, 1 + 8, true, &error);
	assert_int_equal(fake_ioctl(b, PERF_EVENT_IOC_SET_OUTPUT, (uint64_t)a), 0);
	fake_run(10000, MODEL_USER);
	tally_ring(map, 8, &t);
	assert_int_equal(t.samples, 20);
	assert_null(fake_mmap(b, 1 + 16, true, &error));
	assert_int_equal(error, -EINVAL);
	fake_close(a); /* the mapping keeps it */
	fake_run(1000, MODEL_USER);
	memset(&t, 0, sizeof(t));
	tally_ring(map, 8, &t);
	assert_int_equal(t.samples, 2);
	fake_munmap(a, map);
	fake_run(10000, MODEL_USER);
	assert_int_equal(fake_poll(b), POLLHUP);
	fake_close(b);
}

static void huge_groups_are_refused(void **state)
{
	struct perf_event_attr attr = fake_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	int fds[500], n = 0, err;

	(void)state;
	/* 24 bytes a member; a record may not pass 16 KiB. */
	attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_LOST;
	attr.read_format |= PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr.sample_type = PERF_SAMPLE_READ;
	do {
		err = fake_open(&attr, 0, -1, n ? fds[0] : -1, 0);
		if (err >= 0)
			fds[n++] = err;
	} while (err >= 0 && n < 500);
	assert_true(n == 500 || err == -E2BIG);
	while (n)
		fake_close(fds[--n]);
}

/* Every kind of end in every order: nothing is left behind. */
static void random_lives(void **state)
{
	struct perf_event_attr attr;
	struct task *first = fake_first_task(), *child = NULL;
	int fds[8];
	uint64_t seed = 99;

	(void)state;
	memset(fds, -1, sizeof(fds));
	for (unsigned i = 0; i < 20000; i++) {
		seed = seed * 6364136223846793005ul + 1442695040888963407ul;
		unsigned what = (unsigned)(seed >> 40) % 12, slot = (unsigned)(seed >> 50) % 8;
		int fd = fds[slot], group = fds[(unsigned)(seed >> 54) % 8];

		attr = instructions();
		attr.sample_period = seed >> 60 & 1 ? 777 : 0;
		attr.inherit = seed >> 61 & 1;
		attr.pinned = (seed >> 35 & 7) == 0;
		if (seed >> 62 & 1)
			attr = fake_attr(PERF_TYPE_SOFTWARE, seed >> 32 & 7);
		if (what <= 2 && fd < 0)
			fds[slot] = fake_open(&attr, what == 2 ? -1 : 0, what == 2 ? 0 : -1,
					      what == 1 ? group : -1, 0);
		else if (what == 3 && fd >= 0)
			fake_close(fd), fds[slot] = -1;
		else if (what == 4 && fd >= 0)
			fake_ioctl(fd, PERF_EVENT_IOC_ENABLE, seed >> 33 & 1);
		else if (what == 5 && fd >= 0)
			fake_ioctl(fd, PERF_EVENT_IOC_DISABLE, seed >> 33 & 1);
		else if (what == 6 && !child)
			child = fake_fork(seed >> 33 & 1);
		else if (what == 7 && child)
			fake_switch(this_cpu()->current == first ? child : first);
		else if (what == 8 && child && this_cpu()->current == child &&
			 (seed >> 33 & 7) == 0) {
			fake_exit(first);
			fake_reap(child);
			child = NULL;
		} else if (what == 9 && fd >= 0)
			fake_ioctl(fd, PERF_EVENT_IOC_REFRESH, 2);
		else
			fake_run(seed >> 48, seed >> 34 & 1 ? MODEL_USER : MODEL_KERNEL);
	}
	for (unsigned i = 0; i < 8; i++)
		if (fds[i] >= 0)
			fake_close(fds[i]);
	if (this_cpu()->current != first)
		fake_exit(first);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(tasks_take_their_events_along),
	    TEST(times_follow_the_task),
	    TEST(families_add_up),
	    TEST(inherited_groups_read_as_one),
	    TEST(exec_enables_and_removes),
	    TEST(dead_tasks),
	    TEST(clocks_leave_no_timer),
	    TEST(shared_rings),
	    TEST(huge_groups_are_refused),
	    TEST(random_lives),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
