/* SPDX-License-Identifier: BSD-2-Clause */
/* The right to execute RDPMC: the PMU's file `rdpmc`, mapped events, and address spaces. */
#include "tests/guest/perf.h"
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/wait.h>

#define PAGE 4096

static sigjmp_buf fault;

/* The PMU's file; where there are two PMUs they share it. */
static const char *file_rdpmc(void)
{
	static const char *const files[] = {"/sys/bus/event_source/devices/cpu/rdpmc",
					    "/sys/bus/event_source/devices/cpu_core/rdpmc"};

	return files[access(files[0], F_OK) != 0];
}

static void on_fault(int signo)
{
	siglongjmp(fault, signo);
}

static uint64_t rdpmc(uint32_t counter)
{
	uint32_t low, high;

	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(counter));
	return low | (uint64_t)high << 32;
}

/* Whether counter 0 of the general ones can be read. */
static bool readable(void)
{
	if (sigsetjmp(fault, 1))
		return false;
	rdpmc(0);
	return true;
}

static bool set(const char *text)
{
	int fd = open(file_rdpmc(), O_WRONLY);
	bool done = write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	close(fd);
	return done;
}

static int open_cycles(void)
{
	struct perf_event_attr attr = {
	    .type = PERF_TYPE_HARDWARE, .size = sizeof(attr), .config = PERF_COUNT_HW_INSTRUCTIONS};

	return perf_open(&attr, 0, -1, -1, 0);
}

static struct perf_event_mmap_page *map(int fd)
{
	void *page = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);

	return page == MAP_FAILED ? NULL : page;
}

/* Reads in a child, whose exit status shows whether it could. */
static bool child_reads(void)
{
	int status = 0;
	pid_t pid = fork();

	if (!pid)
		_exit(readable());
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

static void test_mapped(void)
{
	int fd = open_cycles();
	struct perf_event_mmap_page *page;

	ok(!readable(), "no mapped event: RDPMC is SIGSEGV");
	page = map(fd);
	ok(page && page->cap_user_rdpmc, "a mapped event offers it");
	ok(readable(), "RDPMC works with a mapped event");
	munmap(page, PAGE);
	ok(!readable(), "unmapped: SIGSEGV again");
	close(fd);
}

static void test_everybody(void)
{
	ok(set("2\n") && readable(), "2: everybody may");
	ok(child_reads(), "children too");
	ok(set("1\n") && !readable(), "1: as before");
}

static void test_nobody(void)
{
	struct perf_event_mmap_page *page;
	int before = open_cycles(), after;

	page = map(before);
	ok(set("0") && !readable(), "0: nobody may, whatever is mapped");
	after = open_cycles();
	munmap(page, PAGE);
	page = map(after);
	ok(page && !page->cap_user_rdpmc && !page->index, "a new event does not offer it");
	munmap(page, PAGE);
	close(before);
	ok(set("1") && !readable(), "1 again");
	page = map(after);
	ok(page && !page->cap_user_rdpmc && !readable(), "an event made in between has no RDPMC");
	munmap(page, PAGE);
	close(after);
}

static volatile unsigned number;

/* Returns the number of counters that are not zero, except the event's own. */
static unsigned strangers(const struct perf_event_mmap_page *page)
{
	static const uint32_t kinds[] = {0, 1u << 30};
	volatile unsigned found = 0;

	for (number = 0; number < 32; number++) {
		uint32_t counter = kinds[number / 16] | number % 16;

		if (counter + 1 == page->index || sigsetjmp(fault, 1))
			continue;
		found += rdpmc(counter) != 0;
	}
	return found;
}

/* Another program's counts are not visible: neither its values in the counters, nor their size. */
static void test_leftovers(void)
{
	struct perf_event_attr attr =
	    perf_user_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	struct perf_event_mmap_page *page;
	int before[3], status = -1, fd;
	pid_t pid;

	attr.disabled = 0;
	for (unsigned i = 0; i < 3; i++) {
		before[i] = perf_open(&attr, 0, -1, -1, 0);
		attr.config = PERF_COUNT_HW_BRANCH_INSTRUCTIONS;
	}
	perf_loop(10000);
	pid = fork();
	if (!pid) {
		for (unsigned i = 0; i < 3; i++)
			close(before[i]);
		fd = open_cycles();
		page = map(fd);
		_exit(page ? strangers(page) : 99);
	}
	waitpid(pid, &status, 0);
	for (unsigned i = 0; i < 3; i++)
		close(before[i]);
	is(WIFEXITED(status) ? (uint64_t)WEXITSTATUS(status) : 99, 0,
	   "no counter holds what others left there");
}

int main(void)
{
	char text[8] = "";
	int fd = open(file_rdpmc(), O_RDONLY);

	signal(SIGSEGV, on_fault);
	if (fd < 0) {
		ok(open_cycles() == -1, "no file `rdpmc`: no hardware events");
		return tap_end();
	}
	read(fd, text, sizeof(text) - 1);
	close(fd);
	ok(strcmp(text, "1\n") == 0, "the default is 1");
	test_mapped();
	test_everybody();
	test_nobody();
	test_leftovers();
	ok(!set("3") && errno == EINVAL, "3 is EINVAL");
	return tap_end();
}
