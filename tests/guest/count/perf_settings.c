/* SPDX-License-Identifier: BSD-2-Clause */
/* Root's settings in /sys and /proc/sys are obeyed; and the PMU `msr`. */
#include "tests/guest/perf.h"
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#define DEVICES  "/sys/bus/event_source/devices/"
#define KERNEL   "/proc/sys/kernel/"
#define INTERVAL DEVICES "cpu/perf_event_mux_interval_ms"
#define MANY     12

static long get(const char *path)
{
	char text[32] = "";
	int fd = open(path, O_RDONLY);

	if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0)
		return -errno;
	close(fd);
	return atol(text);
}

static long set(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY);
	long result = fd < 0 ? -errno : write(fd, value, strlen(value));

	if (fd >= 0)
		close(fd);
	return result == (long)strlen(value) ? 0 : result < 0 ? -errno : 1;
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000ul + (uint64_t)t.tv_nsec;
}

/* How many of more events than there are counters came on within 12 ms. */
static unsigned came_on(void)
{
	struct perf_event_attr attr =
	    perf_user_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES);
	uint64_t values[3], start;
	int fds[MANY];
	unsigned on = 0;

	attr.disabled = 0;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	for (unsigned i = 0; i < MANY; i++)
		fds[i] = perf_open(&attr, 0, -1, -1, 0);
	for (start = now(); now() - start < 12000000;)
		perf_loop(1000);
	for (unsigned i = 0; i < MANY; i++) {
		on += read(fds[i], values, sizeof(values)) == sizeof(values) && values[2];
		close(fds[i]);
	}
	return on;
}

static void turns(void)
{
	long usual = get(INTERVAL);
	char text[32];
	unsigned slow, fast;

	if (!have_hardware() || usual < 0) {
		skip("turns", "no PMU of one kind");
		return;
	}
	/* 1000 / HZ: 4 on Debian, 1 here. */
	ok(usual == 4 || usual == 1, "turns of %ld ms by default", usual);
	is(set(INTERVAL, "1"), 0, "turns of a millisecond");
	fast = came_on();
	is(set(INTERVAL, "1000"), 0, "turns of a second");
	is(get(INTERVAL), 1000, "are told");
	slow = came_on();
	ok(slow < MANY && fast > slow, "%u events came on in long turns, %u in short ones", slow,
	   fast);
	ok(set(INTERVAL, "0") < 0 && set(INTERVAL, "-1") < 0 && set(INTERVAL, "x") < 0,
	   "a bad interval is refused");
	is(get(INTERVAL), 1000, "a refused interval changes nothing");
	snprintf(text, sizeof(text), "%ld", usual);
	set(INTERVAL, text);
}

static uint64_t longest;

/* Calls itself, and sees its call chain. */
__attribute__((noinline, optimize("no-omit-frame-pointer", "no-optimize-sibling-calls"))) static int
descend(unsigned depth, volatile char *page)
{
	if (!depth) {
		page[0] = 1;
		return 1;
	}
	return descend(depth - 1, page) + 1;
}

static void chains(void)
{
	struct perf_event_attr attr = perf_user_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
	static struct perf_record record;
	struct perf_ring ring = {0};
	volatile char *page =
	    mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd;

	is(set(KERNEL "perf_event_max_stack", "600"), 0, "call chains of 600 frames");
	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_CALLCHAIN;
	descend(500, (volatile char[1]){0}); /* the stack is there */
	fd = perf_open(&attr, 0, -1, -1, 0);
	if (ok(fd >= 0 && perf_map(&ring, fd, 8, PROT_READ | PROT_WRITE), "an event with chains")) {
		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		descend(500, page);
		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		while (perf_next(&ring, &record))
			longest = record.words[0] > longest ? record.words[0] : longest;
		ok(longest > 500 && longest < 600, "a call chain has %lu entries",
		   (unsigned long)longest);
		perf_unmap(&ring);
		close(fd);
	}
	is(set(KERNEL "perf_event_max_stack", "127"), 0, "perf_event_max_stack is 127 again");
}

/* Whether a user without rights may map so many pages: 0 or a positive errno. */
static int mapped_by_user(uint64_t pages)
{
	struct perf_event_attr attr = perf_user_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	struct perf_ring ring;
	int status = -1;
	pid_t child = fork();

	if (!child) {
		if (setuid(1000))
			_exit(100);
		_exit(perf_map(&ring, perf_open(&attr, 0, -1, -1, 0), (unsigned)pages,
			       PROT_READ | PROT_WRITE)
			  ? 0
			  : errno);
	}
	waitpid(child, &status, 0);
	return status >> 8;
}

/* How much rings may hold besides RLIMIT_MEMLOCK. */
static void memory(void)
{
	const struct rlimit megabyte = {1 << 20, 1 << 20};
	char paranoid[16];

	snprintf(paranoid, sizeof(paranoid), "%ld", get(KERNEL "perf_event_paranoid"));
	is(set(KERNEL "perf_event_paranoid", "1"), 0, "users have events");
	setrlimit(RLIMIT_MEMLOCK, &megabyte);
	is(mapped_by_user(1024), EPERM, "4 MiB are more than is allowed");
	is(set(KERNEL "perf_event_mlock_kb", "4100"), 0, "perf_event_mlock_kb takes 4,100");
	is(mapped_by_user(1024), 0, "are obeyed");
	is(set(KERNEL "perf_event_mlock_kb", "-1"), 0, "a negative number");
	is(get(KERNEL "perf_event_mlock_kb"), -1, "is told");
	is(mapped_by_user(4096), 0, "a user maps any ring");
	is(set(KERNEL "perf_event_mlock_kb", "-2147483649"), -EINVAL, "beyond 32 bits: EINVAL");
	is(set(KERNEL "perf_event_mlock_kb", "516"), 0, "perf_event_mlock_kb is 516 again");
	set(KERNEL "perf_event_paranoid", paranoid);
}

/* Settings that cannot change while call chains are collected. */
static void chains_in_use(void)
{
	struct perf_event_attr attr = perf_user_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	int fd;

	attr.sample_type = PERF_SAMPLE_CALLCHAIN;
	fd = perf_open(&attr, 0, -1, -1, 0);
	ok(fd >= 0, "an event with chains");
	is(set(KERNEL "perf_event_max_stack", "127"), -EBUSY, "the depth stays: EBUSY");
	is(set(KERNEL "perf_event_max_stack", "655360"), -EBUSY, "the largest one, too");
	is(set(KERNEL "perf_event_max_stack", "655361"), -EINVAL, "a larger one is none: EINVAL");
	is(set(KERNEL "perf_event_max_contexts_per_stack", "8"), -EBUSY, "contexts stay: EBUSY");
	is(set(KERNEL "perf_event_max_contexts_per_stack", "1001"), -EINVAL,
	   "perf_event_max_contexts_per_stack of 1001: EINVAL");
	close(fd);
	is(set(KERNEL "perf_event_max_stack", "127"), 0, "nothing stays when it is closed");
}

static void registers(void)
{
	struct perf_event_attr attr = perf_attr((uint32_t)get(DEVICES "msr/type"), 0);
	uint64_t first, second;
	int fd = perf_try(&attr, 0, -1, -1, 0);

	ok(fd >= 0, "msr/tsc/: %d", fd);
	first = perf_value(fd);
	perf_loop(1000000);
	second = perf_value(fd);
	ok(second > first && first, "advances: %lu, %lu", (unsigned long)first,
	   (unsigned long)second);
	close(fd);
	attr.config = 100;
	is(perf_try(&attr, 0, -1, -1, 0), -EINVAL, "a register that is none");
	attr.config = 0;
	attr.exclude_kernel = 1;
	is(perf_try(&attr, 0, -1, -1, 0), -EINVAL, "msr: an event of the processor only");
	attr.exclude_kernel = 0;
	attr.sample_period = 1000;
	is(perf_try(&attr, 0, -1, -1, 0), -EINVAL, "msr: no samples: EINVAL");
}

int main(void)
{
	is(set(KERNEL "nmi_watchdog", "0"), 0, "the watchdog may be turned off");
	is(get(KERNEL "nmi_watchdog"), 0, "nmi_watchdog is off");
	is(get(DEVICES "software/uevent"), 0, "a PMU has a file uevent");
	is(get(DEVICES "software/subsystem/devices/software/type"), 1,
	   "a PMU's link `subsystem` leads to the bus");
	turns();
	chains();
	chains_in_use();
	memory();
	registers();
	return tap_end();
}
