/* SPDX-License-Identifier: BSD-2-Clause */
/* perf_event_open(2)'s answers to attrs, sizes and users: each errno. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>
#include "api/perf/perf.h"
#include "kernel/vm/vm.h"
#include "pmu/core/core.h"
#include "tests/host/fake/no_pmu.h"
#include "pmu/base/limits.h"

/* A valid attr with one change, and the result of its check. */
#define ROWS(X)                                                                                  \
	X(0, (void)attr)                                                                         \
	X(-EINVAL, attr->__reserved_1 = 1)                                                       \
	X(-EINVAL, attr->__reserved_2 = 1)                                                       \
	X(-EINVAL, attr->__reserved_3 = 1)                                                       \
	X(-EINVAL, attr->sample_type = PERF_SAMPLE_MAX)                                          \
	X(-EINVAL, attr->sample_type = 1ull << 63)                                               \
	X(0, attr->sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_WEIGHT_STRUCT)                     \
	X(-EINVAL, attr->sample_type = PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_WEIGHT)           \
	X(-EINVAL, attr->read_format = PERF_FORMAT_MAX)                                          \
	X(0, attr->read_format = PERF_FORMAT_MAX - 1)                                            \
	X(-EINVAL, attr->sample_type = PERF_SAMPLE_BRANCH_STACK)                                 \
	X(-EINVAL, attr->sample_type = PERF_SAMPLE_BRANCH_STACK;                                 \
	  attr->branch_sample_type = PERF_SAMPLE_BRANCH_KERNEL)                                  \
	X(-EINVAL, attr->sample_type = PERF_SAMPLE_BRANCH_STACK;                                 \
	  attr->branch_sample_type = PERF_SAMPLE_BRANCH_MAX | PERF_SAMPLE_BRANCH_ANY)            \
	X(0, attr->sample_type = PERF_SAMPLE_BRANCH_STACK;                                       \
	  attr->branch_sample_type = PERF_SAMPLE_BRANCH_ANY)                                     \
	X(-EINVAL, attr->sample_type = PERF_SAMPLE_REGS_USER)                                    \
	X(-EINVAL, attr->sample_type = PERF_SAMPLE_REGS_USER; attr->sample_regs_user = 0xf000)   \
	X(-EINVAL, attr->sample_type = PERF_SAMPLE_REGS_USER; attr->sample_regs_user = 1u << 31) \
	X(0, attr->sample_type = PERF_SAMPLE_REGS_USER; attr->sample_regs_user = 0xff0fff)       \
	X(-EINVAL, attr->sample_type = PERF_SAMPLE_REGS_INTR)                                    \
	X(0, attr->sample_type = PERF_SAMPLE_REGS_INTR; attr->sample_regs_intr = 1ull << 40)     \
	X(0, attr->sample_regs_user = 0xf000)                                                    \
	X(-EINVAL, attr->sample_type = PERF_SAMPLE_STACK_USER; attr->sample_stack_user = 65535)  \
	X(-EINVAL, attr->sample_type = PERF_SAMPLE_STACK_USER; attr->sample_stack_user = 4)      \
	X(0, attr->sample_type = PERF_SAMPLE_STACK_USER; attr->sample_stack_user = 65528)        \
	X(0, attr->sample_type = PERF_SAMPLE_STACK_USER)                                         \
	X(-EINVAL, attr->inherit_thread = 1)                                                     \
	X(0, attr->inherit_thread = attr->inherit = 1)                                           \
	X(-EINVAL, attr->remove_on_exec = attr->enable_on_exec = 1)                              \
	X(-EINVAL, attr->sigtrap = 1)                                                            \
	X(0, attr->sigtrap = attr->remove_on_exec = 1)

#define CHECK(result, ...)                                                    \
	{                                                                     \
		struct perf_event_attr good = fake_attr(1, 9), *attr = &good; \
		__VA_ARGS__;                                                  \
		assert_int_equal(perf_attr_check(attr), result);              \
	}

static void each_field(void **state)
{
	(void)state;
	ROWS(CHECK)
}

static void defaults(void **state)
{
	struct perf_event_attr attr = fake_attr(1, 9);

	(void)state;
	assert_int_equal(perf_attr_check(&attr), 0);
	assert_int_equal(attr.sample_max_stack, 127);
	/* Rings that branch_sample_type leaves out are the event's. */
	attr.sample_type = PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
	attr.exclude_kernel = attr.exclude_hv = 1;
	assert_int_equal(perf_attr_check(&attr), 0);
	assert_int_equal(attr.branch_sample_type, PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER);
}

static void every_version(void **state)
{
	union {
		struct perf_event_attr attr;
		unsigned char bytes[5000];
	} user;
	struct perf_event_attr attr;

	(void)state;
	for (uint32_t size = 0; size < 5000; size++) {
		bool good = size == 0 || (size >= PERF_ATTR_SIZE_VER0 && size <= 4096);

		memset(&user, 0, sizeof(user));
		user.attr = fake_attr(1, 9);
		user.attr.size = size;
		assert_int_equal(perf_attr_copy(&attr, (uint64_t)&user), good ? 0 : -E2BIG);
		if (good)
			assert_int_equal(attr.size, size ? size : PERF_ATTR_SIZE_VER0);
		else
			assert_int_equal(user.attr.size, PERF_ATTR_SIZE_VER7);
		/* The first byte that is not ours must be zero, as the last. */
		for (uint32_t at = sizeof(attr); good && at < size;
		     at += size - 1 - at ? size - 1 - at : 1) {
			user.attr.size = size;
			user.bytes[at] = 1;
			assert_int_equal(perf_attr_copy(&attr, (uint64_t)&user), -E2BIG);
			assert_int_equal(user.attr.size, PERF_ATTR_SIZE_VER7);
			user.bytes[at] = 0;
		}
	}
	assert_int_equal(perf_attr_copy(&attr, 0), -EFAULT);
}

/* Fields beyond the end of a short attr are zero. */
static void short_attrs(void **state)
{
	struct perf_event_attr user, attr;

	(void)state;
	memset(&user, 0xff, sizeof(user));
	memset(&user, 0, PERF_ATTR_SIZE_VER0);
	user.size = PERF_ATTR_SIZE_VER0;
	assert_int_equal(perf_attr_copy(&attr, (uint64_t)&user), 0);
	assert_int_equal(attr.config2, 0);
	assert_int_equal(attr.sig_data, 0);
}

static int open_as(uint32_t uid, int paranoid, struct perf_event_attr *attr, int pid, int cpu)
{
	int fd;

	fake_become(fake_first_task(), uid);
	perf_limits.paranoid = paranoid;
	fd = fake_open(attr, pid, cpu, -1, 0);
	fake_become(fake_first_task(), 0);
	perf_limits.paranoid = 2;
	if (fd >= 0)
		fake_close(fd);
	return fd < 0 ? fd : 0;
}

static void permissions(void **state)
{
	struct perf_event_attr user = fake_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY),
			       kernel = user, phys, names, branch;
	struct task *other = fake_fork(false);

	(void)state;
	user.exclude_kernel = 1;
	phys = names = branch = user;
	phys.sample_type = PERF_SAMPLE_PHYS_ADDR;
	names.namespaces = 1;
	branch.sample_type = PERF_SAMPLE_BRANCH_STACK;
	branch.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_KERNEL;
	/* root may do everything */
	assert_int_equal(open_as(0, 3, &kernel, 0, -1), 0);
	assert_int_equal(open_as(0, 3, &kernel, -1, 0), 0);
	assert_int_equal(open_as(0, 3, &phys, 0, -1), 0);
	/* others: the kernel up to 1, processors up to 0 */
	assert_int_equal(open_as(1000, 2, &user, 0, -1), 0);
	assert_int_equal(open_as(1000, 2, &kernel, 0, -1), -EACCES);
	assert_int_equal(open_as(1000, 1, &kernel, 0, -1), 0);
	assert_int_equal(open_as(1000, 1, &kernel, -1, 0), -EACCES);
	assert_int_equal(open_as(1000, 0, &kernel, -1, 0), 0);
	assert_int_equal(open_as(1000, 2, &phys, 0, -1), -EACCES);
	assert_int_equal(open_as(1000, 1, &phys, 0, -1), 0);
	assert_int_equal(open_as(1000, -1, &names, 0, -1), -EACCES);
	assert_int_equal(open_as(1000, 2, &branch, 0, -1), -EACCES);
	/* other users' tasks not at all */
	assert_int_equal(open_as(1000, -1, &user, other->pid, -1), -EACCES);
	fake_become(other, 1000);
	assert_int_equal(open_as(1000, 2, &user, other->pid, -1), 0);
}

static void memory_limits(void **state)
{
	struct perf_event_attr attr = fake_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	int fd = fake_open(&attr, 0, -1, -1, 0), error;
	void *map;

	(void)state;
	/* 516 KiB are free; the rest counts against RLIMIT_MEMLOCK, but not for root. */
	fake_first_task()->process->limits[8][0] = 0;
	fake_become(fake_first_task(), 1000);
	map = fake_mmap(fd, 1 + 128, true, &error);
	assert_non_null(map);
	fake_munmap(fd, map);
	assert_null(fake_mmap(fd, 1 + 256, true, &error));
	assert_int_equal(error, -EPERM);
	fake_first_task()->process->limits[8][0] = (257 - 129) * 4096;
	map = fake_mmap(fd, 1 + 256, true, &error);
	assert_non_null(map);
	fake_munmap(fd, map);
	assert_int_equal(fake_first_task()->mm->locked_pages, 0);
	fake_become(fake_first_task(), 0);
	fake_first_task()->process->limits[8][0] = 0;
	map = fake_mmap(fd, 1 + 256, true, &error);
	assert_non_null(map);
	fake_munmap(fd, map);
	/* More than there is. */
	assert_null(fake_mmap(fd, 1 + (1ul << 20), true, &error));
	assert_int_equal(error, -ENOMEM);
	assert_null(fake_mmap(fd, 1 + (1ul << 33), true, &error));
	assert_int_equal(error, -ENOMEM);
	fake_close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(each_field),  TEST(defaults),    TEST(every_version),
	    TEST(short_attrs), TEST(permissions), TEST(memory_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
