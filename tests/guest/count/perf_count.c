/* SPDX-License-Identifier: BSD-2-Clause */
/* Counting: exactness of instruction counts, groups, read formats and RDPMC on the hardware PMU. */
#include "tests/guest/perf.h"

#define ITERATIONS 1000000ul
#define RUNS       200
#define OVERHEAD   60 /* instructions of ring 3 around the loop, at most */

/* Returns the count of a loop, which must be equal in every run. */
static uint64_t repeat(bool user_only, bool *equal)
{
	struct perf_event_attr attr =
	    perf_user_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	uint64_t first = 0;
	int fd;

	attr.exclude_kernel = user_only;
	fd = perf_open(&attr, 0, -1, -1, 0);
	*equal = fd >= 0;
	for (int i = 0; i < RUNS + 1 && fd >= 0; i++) {
		uint64_t count;

		ioctl(fd, PERF_EVENT_IOC_RESET, 0);
		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		perf_loop(ITERATIONS / 10);
		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		count = perf_value(fd);
		/* The first run takes page faults. */
		if (i == 1)
			first = count;
		if (i > 1 && count != first) {
			printf("# run %d: %llu, not %llu\n", i, (unsigned long long)count,
			       (unsigned long long)first);
			*equal = false;
		}
	}
	close(fd);
	return first;
}

static void exactness(void)
{
	struct perf_event_attr attr =
	    perf_user_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	int fd = perf_open(&attr, 0, -1, -1, 0);
	bool equal;
	uint64_t count;

	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	perf_loop(ITERATIONS);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	count = perf_value(fd);
	printf("# %llu instructions\n", (unsigned long long)count);
	ok(count >= 2 * ITERATIONS && count < 2 * ITERATIONS + OVERHEAD,
	   "a loop of 2,000,000 instructions counts as such");
	close(fd);
	count = repeat(true, &equal);
	ok(equal, "200 runs in ring 3 count the same");
	ok(count - ITERATIONS / 5 < OVERHEAD, "the count is little more than the loop");
	count = repeat(false, &equal);
	printf("# with ring 0: %llu\n", (unsigned long long)count);
	ok(equal, "200 runs in rings 3 and 0 count the same");
}

/* A counter that is off does not count, and reset forgets. */
static void states(void)
{
	struct perf_event_attr attr =
	    perf_user_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	uint64_t values[3];
	int fd;

	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	fd = perf_open(&attr, 0, -1, -1, 0);
	perf_loop(1000);
	is((uint64_t)read(fd, values, sizeof(values)), 24, "three values are read");
	ok(values[0] == 0 && values[1] == 0 && values[2] == 0,
	   "an event that is off counts nothing, not even time");
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	perf_loop(1000);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	ok(read(fd, values, sizeof(values)) == 24 && values[0] >= 2000 && values[1] > 0 &&
	       values[1] == values[2],
	   "an enabled event counts, and ran all the time");
	ioctl(fd, PERF_EVENT_IOC_RESET, 0);
	ok(read(fd, values, sizeof(values)) == 24 && values[0] == 0 && values[1] > 0,
	   "reset zeroes the count, not the times");
	close(fd);
}

static uint64_t read_rdpmc(volatile struct perf_event_mmap_page *page, bool *used)
{
	uint32_t lock, index;
	int64_t count;

	*used = false;
	do {
		lock = page->lock;
		__asm__ volatile("" : : : "memory");
		index = page->index;
		count = page->offset;
		if (page->cap_user_rdpmc && index) {
			uint32_t low, high;
			int shift = 64 - page->pmc_width;

			__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index - 1));
			count +=
			    (int64_t)((uint64_t)((uint64_t)high << 32 | low) << shift) >> shift;
			*used = true;
		}
		__asm__ volatile("" : : : "memory");
	} while (page->lock != lock);
	return (uint64_t)count;
}

/* CPUID, which a hypervisor runs, at the start of a loop: as often as it comes. */
static void intercepted(void)
{
	struct perf_event_attr attr =
	    perf_user_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	int fd = perf_open(&attr, 0, -1, -1, 0);
	uint64_t before[3];

	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	for (unsigned i = 0; i < 3; i++) {
		uint32_t rounds = i * 1000 + 1;

		before[i] = perf_value(fd);
		__asm__ volatile("1: cpuid\n"
				 "sub $1, %0\n"
				 "jne 1b"
				 : "+r"(rounds)
				 :
				 : "rax", "rbx", "rcx", "rdx", "cc");
		before[i] = perf_value(fd) - before[i];
	}
	is(before[1] - before[0], 3000, "1000 rounds of three instructions, one of them CPUID");
	is(before[2] - before[1], 3000, "an intercepted instruction counts 1000 more");
	close(fd);
}

/* The value of RDPMC is between the two reads around it, and equal to one without instructions
 * in between. */
static void rdpmc(void)
{
	struct perf_event_attr attr =
	    perf_user_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	struct perf_event_mmap_page *page;
	bool used = false, ordered = true;
	uint64_t a, b;
	int fd;

	attr.sample_period = 5000; /* the counter starts over again and again */
	fd = perf_open(&attr, 0, -1, -1, 0);
	page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	ok(page != MAP_FAILED, "the user page alone can be mapped");
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	for (int i = 0; i < 300; i++) {
		uint64_t before = perf_value(fd), middle = read_rdpmc(page, &used),
			 after = perf_value(fd);

		ordered = ordered && used && before < middle && middle < after;
		perf_loop(100);
	}
	ok(ordered, "RDPMC agrees with read");
	a = read_rdpmc(page, &used);
	perf_loop(100000);
	b = read_rdpmc(page, &used);
	ok(b - a >= 200000 && b - a < 200000 + OVERHEAD, "RDPMC counts a loop");
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	a = read_rdpmc(page, &used);
	ok(!used && a == perf_value(fd), "the user page of an event that is off holds its count");
	munmap(page, 4096);
	close(fd);
}

/* The time that a program computes from the user page and the TSC. */
static void user_time(void)
{
	struct perf_event_attr attr = perf_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);
	volatile struct perf_event_mmap_page *page;
	uint64_t before[3], after[3], cycles, quotient, rest, delta, enabled;
	uint32_t low, high, lock;
	int fd;

	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	fd = perf_open(&attr, 0, -1, -1, 0);
	page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED || !page->cap_user_time) {
		skip("times from the user page", "no cap_user_time");
		return;
	}
	ok(read(fd, before, sizeof(before)) == sizeof(before), "times are read");
	do {
		lock = page->lock;
		__asm__ volatile("rdtsc" : "=a"(low), "=d"(high) : : "memory");
		cycles = (uint64_t)high << 32 | low;
		quotient = cycles >> page->time_shift;
		rest = cycles & ((1ull << page->time_shift) - 1);
		delta = page->time_offset + quotient * page->time_mult +
			((rest * page->time_mult) >> page->time_shift);
		enabled = page->time_enabled + delta;
		__asm__ volatile("" : : : "memory");
	} while (page->lock != lock);
	ok(read(fd, after, sizeof(after)) == sizeof(after), "times are read again");
	ok(before[1] <= enabled && enabled <= after[1],
	   "time enabled by the TSC lies between two reads");
	munmap((void *)page, 4096);
	close(fd);
}

/* Every combination of read_format on a group of three. */
static void formats(void)
{
	for (uint64_t format = 0; format < 32; format++) {
		struct perf_event_attr attr =
		    perf_user_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
		uint64_t values[32],
		    id = 0, words = 0,
		    entry = 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);
		uint64_t times = (format & 1) + (format >> 1 & 1);
		bool group = format & PERF_FORMAT_GROUP, good = true;
		int fds[3];

		attr.read_format = format;
		for (int i = 0; i < 3; i++)
			fds[i] = perf_open(&attr, 0, -1, i ? fds[0] : -1, 0);
		words = group ? 1 + times + 3 * entry : times + entry;
		for (int i = 0; i < 3; i++) {
			ioctl(fds[i], PERF_EVENT_IOC_ID, &id);
			good = good && read(fds[i], values, sizeof(values)) == (long)(8 * words);
			good = good && read(fds[i], values, 8 * words) == (long)(8 * words);
			errno = 0;
			good = good && read(fds[i], values, 8 * words - 1) == -1 && errno == ENOSPC;
			good = good && (!group || values[0] == 3);
			if (format & PERF_FORMAT_ID)
				good = good &&
				       values[group ? 1 + times + entry * i + 1 : times + 1] == id;
		}
		close(fds[1]);
		words -= group ? entry : 0;
		good = good && read(fds[0], values, sizeof(values)) == (long)(8 * words);
		good = good && read(fds[2], values, sizeof(values)) == (long)(8 * words);
		close(fds[0]);
		close(fds[2]);
		ok(good, "read_format %#llx", (unsigned long long)format);
	}
}

/* Hardware events of a group count the same stretch of the program. */
static void group(void)
{
	struct perf_event_attr attr =
	    perf_user_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	uint64_t values[8];
	int leader, sibling, software;

	attr.read_format = PERF_FORMAT_GROUP;
	leader = perf_open(&attr, 0, -1, -1, 0);
	attr.disabled = 0;
	attr.type = PERF_TYPE_RAW;
	attr.config = 0xc0;
	sibling = perf_open(&attr, 0, -1, leader, 0);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_TASK_CLOCK;
	software = perf_open(&attr, 0, -1, leader, 0);
	ioctl(leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
	perf_loop(50000);
	ioctl(leader, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
	is((uint64_t)read(leader, values, sizeof(values)), 32, "a group of three is read at once");
	ok(values[0] == 3 && values[1] >= 100000 && values[1] < 100000 + OVERHEAD &&
	       values[1] == values[2] && values[3] > 0,
	   "the group's members agree");
	close(software);
	close(sibling);
	close(leader);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	formats();
	user_time();
	if (!have_hardware()) {
		skip("hardware events", "no PMU");
		return tap_end();
	}
	states();
	group();
	if (counts_are_exact()) {
		exactness();
		intercepted();
		rdpmc();
	} else {
		skip("exact counts", "this PMU does not promise them");
	}
	return tap_end();
}
