/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of tracefs's own buffer: a part of tracepoints.c. */
#ifndef TESTS_GUEST_TRACE_BUFFER_H
#define TESTS_GUEST_TRACE_BUFFER_H

#include <stdbool.h>
#include <sys/syscall.h>
#include "tests/guest/trace/tracing.h"

static inline void getppid_calls(int number)
{
	while (number--)
		syscall(SYS_getppid);
}

static long set_file(const char *name, const char *text)
{
	char path[128];
	long result;
	int fd;

	snprintf(path, sizeof(path), TRACING "%s", name);
	fd = open(path, O_WRONLY | O_TRUNC);
	result = fd < 0 ? -1 : write(fd, text, strlen(text));
	result = result < 0 ? -errno : result;
	close(fd);
	return result;
}

/* Returns the contents of an event's file: '0', '1'. */
static long enabled(const char *event)
{
	char path[128], text[4] = "";
	int fd;

	snprintf(path, sizeof(path), TRACING "events/%s/enable", event);
	fd = open(path, O_RDONLY);
	if (read(fd, text, sizeof(text)) < 1)
		text[0] = '?';
	close(fd);
	return text[0];
}

/* The records of the event on a page: their number, or -1 when a length or the time is wrong. */
static int on_page(const uint8_t *page, uint64_t event)
{
	uint64_t length = *(const uint64_t *)(page + 8) & 0xfffff;
	int nr = 0;

	for (uint64_t at = 16; at < 16 + length;) {
		uint32_t head = *(const uint32_t *)(page + at), words = head & 31;

		if (words == 30) {
			at += 8;
			continue;
		}
		if (!words || words > 28 || at + 4 + 4 * words > 16 + length)
			return -1;
		nr += *(const uint16_t *)(page + at + 4) == event &&
		      *(const int32_t *)(page + at + 8) == getpid();
		at += 4 + 4ul * words;
	}
	return length <= 4080 ? nr : -1;
}

/* All pages that there are; *missed: whether one was preceded by records that are gone. */
static int in_buffer(int fd, uint64_t event, bool *missed)
{
	static uint8_t page[4096];
	int nr = 0;

	*missed = false;
	while (read(fd, page, sizeof(page)) == sizeof(page)) {
		int here = on_page(page, event);

		if (here < 0)
			return -1;
		nr += here;
		*missed |= *(const uint64_t *)(page + 8) >> 31 & 1;
	}
	return errno == EAGAIN ? nr : -2;
}

#define GETPPID "events/syscalls/sys_enter_getppid/"
#define SYSTEM  "events/raw_syscalls/"

static bool file_begins(const char *name, const char *with)
{
	char path[128], text[256] = "";
	int fd;

	snprintf(path, sizeof(path), TRACING "%s", name);
	fd = open(path, O_RDONLY);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0)
		printf("# cannot read %s\n", name);
	close(fd);
	return !strncmp(text, with, strlen(with));
}

static void test_filter_files(void)
{
	ok(file_begins(SYSTEM "filter", "### global filter ###\n"), "a system has a filter");
	is(set_file(SYSTEM "filter", "id == 5"), 7,
	   "a system's filter sets all its events' filters");
	ok(file_begins(SYSTEM "sys_enter/filter", "id == 5\n"),
	   "a system's filter is the first event's");
	ok(file_begins(SYSTEM "sys_exit/filter", "id == 5\n"),
	   "a system's filter is the second event's");
	is(set_file(SYSTEM "filter", "ret == 5"), 8,
	   "a system's filter that only one event can have");
	ok(file_begins(SYSTEM "sys_exit/filter", "ret == 5\n"), "is whose it can be");
	ok(!file_begins(SYSTEM "sys_enter/filter", "id == 5\n"), "the others have none");
	is(set_file(SYSTEM "filter", "0"), 1, "a system's filter is removed");
	ok(file_begins(SYSTEM "sys_enter/filter", "none\n"),
	   "a removed system's filter is no event's");
}

static void test_buffer(int nr)
{
	uint64_t event = id_of("syscalls/sys_enter_getppid");
	int fd = open(TRACING "per_cpu/cpu0/trace_pipe_raw", O_RDONLY | O_NONBLOCK);
	char text[128] = "";
	bool missed;
	int list;

	set_file("set_event", "");
	set_file("trace", ""); /* records of programs before this one */
	is(set_file(GETPPID "enable", "1"), 1, "an event is enabled in tracefs");
	getppid_calls(nr);
	is(in_buffer(fd, event, &missed), nr, "each call has a record in the buffer");
	ok(!missed, "no record is lost");
	is(set_file(GETPPID "filter", "common_pid == 0"), 15, "a filter");
	getppid_calls(nr);
	is(in_buffer(fd, event, &missed), 0, "keeps records out");
	is(set_file(GETPPID "filter", "none == 0"), -EINVAL, "a wrong filter: EINVAL");
	is(set_file(GETPPID "filter", "0"), 1, "an event's filter is removed");
	set_file("tracing_on", "0");
	getppid_calls(nr);
	is(in_buffer(fd, event, &missed), 0, "tracing_on keeps records out");
	set_file("tracing_on", "1");
	list = open(TRACING "set_event", O_RDONLY);
	is(read(list, text, sizeof(text)), 27, "set_event tells of it");
	ok(!strncmp(text, "syscalls:sys_enter_getppid\n", 27), "set_event lists the event");
	close(list);
	set_file("buffer_size_kb", "8");
	getppid_calls(1000);
	ok(in_buffer(fd, event, &missed) < 1000 && missed, "the oldest records are overwritten");
	set_file("buffer_size_kb", "1408");
	set_file("set_event", "");
	getppid_calls(nr);
	is(in_buffer(fd, event, &missed), 0, "a disabled event writes no record");
	is(set_file("set_event", " syscalls:sys_enter_getppid sched:sched_switch"), 28,
	   "a write has one word done, with the blanks around it");
	is(enabled("sched/sched_switch"), '0', "the second word of a write is not done");
	is(set_file("set_event", "sched:sched_waking,syscalls:sys_enter_getppid"), -EINVAL,
	   "commas part no words: EINVAL");
	set_file("set_event", "");
	is(set_file("set_event", "syscalls:none"), -EINVAL,
	   "set_event of an unknown event: EINVAL");
	is(set_file(GETPPID "enable", "2"), -EINVAL, "neither on nor off: EINVAL");
	close(fd);
}

#endif
