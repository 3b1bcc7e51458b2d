/* SPDX-License-Identifier: BSD-2-Clause */
/* Filters of trace events by perf_event_open(2): the records that pass, and invalid filters. */
#define _GNU_SOURCE
#include "tests/guest/trace/tracing.h"

/* How many of the calls lseek(-1, 0..99, 0) pass the filter; or the error. */
static long passing(const char *filter)
{
	struct perf_event_attr attr = attr_of("syscalls/sys_enter_lseek");
	int fd;
	long result;

	attr.sample_period = 1;
	fd = perf_open(&attr, 0, -1, -1, 0);
	if (ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter)) {
		result = -errno;
	} else {
		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		for (int i = 0; i < 100; i++)
			lseek(-1, i, i % 2);
		result = (long)perf_value(fd);
	}
	close(fd);
	return result;
}

static void test_filters(void)
{
	static const struct {
		const char *text;
		long passes;
	} rows[] = {
	    {"offset < 10", 10},
	    {"offset<=10", 11},
	    {"offset > 0x5f", 4},
	    {"offset >= 010 && offset < 16", 8},
	    {"offset == 5 || offset == 7", 2},
	    {"offset == 5 || offset > 9 && offset < 12", 3},
	    {"(offset == 5 || offset > 9) && offset < 12", 3},
	    {"!(offset < 90)", 10},
	    {"!!(offset < 90)", 90},
	    {"!(offset < 90 || offset > 95)", 6},
	    {"!(offset >= 50 && whence == 1)", 75},
	    {"offset & 64", 36},
	    {"offset != 3", 99},
	    {"whence == 1 && !offset == 1", 49},
	    {"comm == \"nobody\"", 0},
	    {"comm != \"nobody\"", 100},
	    {"COMM ~ \"*\"", 100},
	    {"comm ~ 'z*'", 0},
	    {"common_pid > 0", 100},
	    {"__syscall_nr == 8", 100},
	    {"__syscall_nr > -1", 100},
	    {"CPU >= 0", 100},
	    {"CPU > -1", 100},
	    {"CPU & 0xffff", 0},
	    {"offset < 0", 0},
	    {"offset >= 0", 100},
	    {"offset <= 0xffffffffffffffff", 100},
	    {"offset > 0xffffffffffffffff", 0},
	    {"__syscall_nr < -0x80000000", 0},
	    {"__syscall_nr >= -0x80000000", 100},
	    {"__syscall_nr > 0x7fffffff", 0},
	    {"__syscall_nr <= 0x7fffffff", 100},
	    {"__syscall_nr < -1", 0},
	    {"__syscall_nr & 8", 100},
	    {"__syscall_nr == 0x100000008", 100},
	    {"", -EINVAL},
	    {"offset", -EINVAL},
	    {"offset ==", -EINVAL},
	    {"offset == x", -EINVAL},
	    {"offset == 0x", -EINVAL},
	    {"offset == 1 2", -EPERM},
	    {"offset = 1", -EINVAL},
	    {"offset == 1 &&", -EINVAL},
	    {"offset == 1 & offset == 2", -EPERM},
	    {"(offset == 1", -ENOENT},
	    {"offset == 1)", -EPERM},
	    {"nothing == 1", -EINVAL},
	    {"offset == \"1\"", -EINVAL},
	    {"offset ~ 1", -EINVAL},
	    {"comm == nobody", -EINVAL},
	    {"comm == \"nobody", -ESRCH},
	    {"comm > \"nobody\"", -EINVAL},
	    {"|| offset == 1", -EPERM},
	    {"!", -EINVAL},
	    {"offset == 99999999999999999999", -EINVAL},
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		long got = passing(rows[i].text);

		if (!ok(got == rows[i].passes, "filter '%s'", rows[i].text))
			printf("# got %ld, wanted %ld\n", got, rows[i].passes);
	}
}

static void test_filter_owners(void)
{
	struct perf_event_attr attr = attr_of("sched/sched_switch");
	int fd = perf_open(&attr, 0, -1, -1, 0), clock;

	ok(!ioctl(fd, PERF_EVENT_IOC_SET_FILTER, "prev_comm ~ \"*[a-z]?\" && next_pid != 0"),
	   "a field that is a string");
	ok(ioctl(fd, PERF_EVENT_IOC_SET_FILTER, "next_pid == 0") && errno == EEXIST,
	   "a filter stays: EEXIST");
	ok(ioctl(fd, PERF_EVENT_IOC_SET_FILTER, (char *)8) && errno == EFAULT,
	   "a bad pointer: EFAULT");
	close(fd);
	attr = perf_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);
	clock = perf_open(&attr, 0, -1, -1, 0);
	ok(ioctl(clock, PERF_EVENT_IOC_SET_FILTER, "prev_pid == 0") && errno == EINVAL,
	   "a clock has no fields: EINVAL");
	close(clock);
}

int main(void)
{
	mount_tracefs();
	test_filters();
	test_filter_owners();
	return tap_end();
}
