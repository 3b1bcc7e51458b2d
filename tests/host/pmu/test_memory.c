/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory runs out at each step of opening, mapping and inheriting: the call says so, nothing is
 * left behind, and the next try succeeds. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "kernel/base/hooks.h"
#include "tests/host/fake/fake_machine.h"

#define STEPS_MAX 64

static struct perf_event_attr instructions(void)
{
	struct perf_event_attr attr = fake_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);

	attr.exclude_kernel = 1;
	attr.inherit = 1;
	return attr;
}

static int setup(void **state)
{
	(void)state;
	fake_boot("intel-v4");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	fake_shutdown();
	return fake_open_objects != 0;
}

/* The first event of a task makes its context as well. */
static void opening_needs_memory(void **state)
{
	struct perf_event_attr attr = instructions();
	unsigned before = fake_open_objects, step = 0;
	int fd;

	(void)state;
	do {
		fake_fails_after = ++step;
		fd = fake_open(&attr, 0, -1, -1, 0);
		if (fd < 0) {
			assert_int_equal(fd, -ENOMEM);
			/* A task may keep one object for its next event. */
			assert_in_range(fake_open_objects, before, before + 1);
		}
	} while (fd < 0 && step < STEPS_MAX);
	assert_true(fd >= 0);
	assert_true(step > 2);
	fake_fails_after = 0;
	fake_close(fd);
}

static void rings_need_memory(void **state)
{
	struct perf_event_attr attr = instructions();
	unsigned before, step = 0;
	void *ring;
	int fd, error = 0;

	(void)state;
	attr.inherit = 0;
	fd = fake_open(&attr, 0, -1, -1, 0);
	assert_true(fd >= 0);
	before = fake_open_objects;
	do {
		fake_fails_after = ++step;
		ring = fake_mmap(fd, 1 + 4, true, &error);
		if (!ring) {
			assert_int_equal(error, -ENOMEM);
			assert_int_equal(fake_open_objects, before);
		}
	} while (!ring && step < STEPS_MAX);
	assert_non_null(ring);
	/* The ring, its user page, four pages of data. */
	assert_true(step > 6);
	fake_fails_after = 0;
	fake_munmap(fd, ring);
	fake_close(fd);
	assert_in_range(fake_open_objects, 0, before);
}

/* A child that gets only some of a group's copies gets none: fork fails, and takes them back. */
static void inheriting_needs_memory(void **state)
{
	struct perf_event_attr attr = instructions();
	int leader = fake_open(&attr, 0, -1, -1, 0), sibling = fake_open(&attr, 0, -1, leader, 0),
	    err;
	unsigned before = fake_open_objects, step = 0;

	(void)state;
	assert_true(leader >= 0 && sibling >= 0);
	do {
		struct task child = {.pid = 300, .tgid = 300, .parent = fake_first_task()};

		fake_fails_after = ++step;
		err = perf_hooks.fork(&child, false);
		fake_fails_after = 0;
		if (err)
			assert_int_equal(err, -ENOMEM);
		perf_hooks.task_free(&child);
		assert_int_equal(fake_open_objects, before);
	} while (err && step < STEPS_MAX);
	assert_int_equal(err, 0);
	/* A context and two copies. */
	assert_true(step > 3);
	fake_close(sibling);
	fake_close(leader);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(opening_needs_memory),
	    TEST(rings_need_memory),
	    TEST(inheriting_needs_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
