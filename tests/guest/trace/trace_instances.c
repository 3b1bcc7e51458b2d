/* SPDX-License-Identifier: BSD-2-Clause */
/* Tracefs's instances, options, raw marks and the log of errors. */
#include "tests/guest/cpus.h"
#include "tests/guest/trace/tracing.h"
#include <sys/stat.h>

#define HERE "instances/mine/"

static char text[65536];

static int tracefs(const char *name, int flags)
{
	char path[256];

	snprintf(path, sizeof(path), TRACING "%s", name);
	return open(path, flags);
}

static long put(const char *name, const void *bytes, size_t nr)
{
	int fd = tracefs(name, O_WRONLY);
	long result = fd < 0 ? -1 : write(fd, bytes, nr);

	result = result < 0 ? -errno : result;
	close(fd);
	return result;
}

static long set(const char *name, const char *word)
{
	return put(name, word, strlen(word));
}

static const char *all_of(const char *name)
{
	int fd = tracefs(name, O_RDONLY);
	size_t length = 0;
	long got;

	while (length < sizeof(text) - 1 &&
	       (got = read(fd, text + length, sizeof(text) - 1 - length)) > 0)
		length += (size_t)got;
	text[length] = 0;
	close(fd);
	return text;
}

static void clear(const char *name)
{
	close(tracefs(name, O_WRONLY | O_TRUNC));
}

static int lines_with(const char *name, const char *word)
{
	const char *at = all_of(name);
	int nr = 0;

	for (; (at = strstr(at, word)); at += strlen(word))
		nr++;
	return nr;
}

#define GETPPID "events/syscalls/sys_enter_getppid/"
#define CALL    "sys_getppid()"

static void test_own(void)
{
	clear("trace");
	is(mkdir(TRACING "instances/mine", 0700), 0, "an instance is made");
	ok(mkdir(TRACING "instances/mine", 0700) < 0 && errno == EEXIST, "not twice");
	is(set(HERE GETPPID "enable", "1"), 1, "an event is enabled in it");
	ok(!strcmp(all_of(GETPPID "enable"), "0\n"),
	   "an instance's event is not enabled in the top");
	ok(!strcmp(all_of(HERE "set_event"), "syscalls:sys_enter_getppid\n"),
	   "the instance's set_event lists the event");
	syscall(SYS_getppid);
	is(lines_with(HERE "trace", CALL), 1, "the instance's buffer has the record");
	is(lines_with("trace", CALL), 0, "the top's has none");
	is(set(GETPPID "enable", "1"), 1, "both want it");
	syscall(SYS_getppid);
	is(lines_with(HERE "trace", CALL), 2, "the other instance has its own record");
	is(lines_with("trace", CALL), 1, "the top's has one");
	is(set(HERE GETPPID "filter", "common_pid == 0"), 15, "a filter of its own");
	ok(!strcmp(all_of(GETPPID "filter"), "none\n"), "is not the top's");
	syscall(SYS_getppid);
	is(lines_with(HERE "trace", CALL), 2, "an instance's filter keeps its records out");
	is(lines_with("trace", CALL), 2, "an instance's filter does not keep the top's out");
	set(HERE GETPPID "filter", "0");
	set(HERE "tracing_on", "0");
	set(HERE "set_event_pid", "1000000");
	set(HERE "trace_clock", "counter");
	set(HERE "buffer_size_kb", "64");
	syscall(SYS_getppid);
	is(lines_with("trace", CALL), 3, "an instance's switch, tasks and clock are its own");
	ok(strstr(all_of("trace_clock"), "[") && !strstr(text, "[counter]"),
	   "the top's is as ever");
	ok(strncmp(all_of("buffer_size_kb"), "64\n", 3),
	   "the top's buffer size is not the instance's");
	clear(HERE "set_event_pid");
	set("events/enable", "0");
	ok(!strcmp(all_of(HERE GETPPID "enable"), "1\n"),
	   "an event switched off in the top stays on in the instance");
}

static void test_end(void)
{
	int fd = tracefs(HERE "trace_pipe", O_RDONLY | O_NONBLOCK);
	struct perf_event_attr attr =
	    perf_attr(PERF_TYPE_TRACEPOINT, id_of("syscalls/sys_enter_getppid"));
	int event = perf_open(&attr, 0, -1, -1, 0);
	int rounds = is_linux() ? 4 : 40; /* more than there may be at once; Linux takes long */

	ok(rmdir(TRACING "instances/mine") < 0 && errno == EBUSY, "a file is open: EBUSY");
	close(fd);
	is(rmdir(TRACING "instances/mine"), 0, "then it goes, with its event on");
	ok(access(TRACING HERE "trace", F_OK) < 0, "an instance's files go with it");
	syscall(SYS_getppid);
	is((long)perf_value(event), 1, "others go on counting");
	close(event);
	for (int i = 0; i < rounds; i++) {
		mkdir(TRACING "instances/mine", 0700);
		set(HERE GETPPID "enable", "1");
		rmdir(TRACING "instances/mine");
	}
	is(mkdir(TRACING "instances/mine", 0700), 0, "made again and again it is new");
	ok(!strcmp(all_of(HERE GETPPID "enable"), "0\n"),
	   "an instance made again has no enabled event");
	is(rmdir(TRACING "instances/mine"), 0, "an instance is removed");
}

static void test_options(void)
{
	clear("trace");
	ok(strstr(all_of("trace_options"), "\noverwrite\n"), "an option that is on");
	is(set("trace_options", "nooverwrite"), 11, "is taken away by its name");
	ok(strstr(all_of("trace_options"), "\nnooverwrite\n"),
	   "trace_options shows the option off");
	ok(!strcmp(all_of("options/overwrite"), "0\n"), "options/NAME shows the option off");
	set("buffer_size_kb", "8");
	set(GETPPID "enable", "1");
	for (int i = 0; i < 2000; i++)
		syscall(SYS_getppid);
	set(GETPPID "enable", "0");
	ok(strstr(all_of("per_cpu/cpu0/stats"), "overrun: 0\n"), "nothing is overwritten then");
	ok(!strstr(text, "dropped events: 0\n"),
	   "without overwriting, records without room are dropped");
	is(set("options/overwrite", "1"), 1, "the option is set again");
	set("buffer_size_kb", "1408");
	is(set("trace_options", "nonsense"), -EINVAL, "an unknown option: EINVAL");
	is(set("options/overwrite", "2"), -EINVAL, "neither on nor off: EINVAL");
	is(set("options/markers", "0"), 1, "marks are not taken");
	is(set("trace_marker", "mark"), -EINVAL, "trace_marker without markers: EINVAL");
	set("options/markers", "1");
	clear("trace");
	set("trace_marker", "a mark\n");
	set("options/context-info", "0");
	ok(strstr(all_of("trace"), "\ntracing_mark_write: a mark\n"), "lines without context");
	set("options/context-info", "1");
}

static void test_raw(void)
{
	static char many[4096] = {8, 0, 0, 0};

	clear("trace");
	is(put("trace_marker_raw", "\x12\x34\0\0hello world!", 16), 16, "a mark of bytes");
	ok(strstr(all_of("trace"), ": # 3412 buf: 68 65 6c 6c 6f 20 77 6f 72 6c 64 21"),
	   "is shown in numbers");
	is(put("trace_marker_raw", "abc", 3), -EINVAL, "less than a number: EINVAL");
	is(put("trace_marker_raw", many, 3073), -EINVAL, "a raw mark that is too long: EINVAL");
	is(put("trace_marker_raw", many, 3072), 1024, "a raw mark is cut to 1,024 bytes");
}

static void test_errors(void)
{
	clear("error_log");
	is(set(GETPPID "filter", "none == 1"), -EINVAL, "a filter that is none");
	is(set("events/syscalls/sys_enter_write/filter", "fd == 1 &&"), -EINVAL, "another");
	all_of("error_log");
	ok(text[0] == '[' && strstr(text, "] event filter parse error: error: Field not found\n"
					  "  Command: none == 1\n"),
	   "the log has what is wrong");
	ok(strstr(text, "  Command: fd == 1 &&\n                     ^\n"),
	   "error_log has the error's position");
	for (int i = 0; i < 10; i++)
		set(GETPPID "filter", "none == 2");
	is(lines_with("error_log", "Command"), 8, "the last eight");
	clear("error_log");
	ok(!strcmp(all_of("error_log"), ""), "O_TRUNC empties it");
	set(GETPPID "filter", "0");
	set("events/syscalls/sys_enter_write/filter", "0");
}

/* A system's filter, and the values of switches. */
static void test_words(void)
{
	clear("error_log");
	is(set("events/raw_syscalls/filter", "ret == 5"), 8, "a filter for all of a system's");
	ok(!strncmp(all_of("events/raw_syscalls/sys_enter/filter"),
		    "ret == 5\n^\nparse_error: Couldn't", 31),
	   "a filter that one event cannot have");
	ok(strstr(all_of("error_log"),
		  "error: Couldn't find or set field in one of a subsystem's events\n"
		  "  Command: ret == 5\n           ^\n"),
	   "the log tells");
	is(set("error_log", "any"), 3, "error_log takes any text");
	is(set("events/raw_syscalls/filter", "0"), 1, "a system's filter is removed");
	is(set("events/raw_syscalls/enable", "01"), 2, "a switch is a number");
	is(set("events/raw_syscalls/enable", "2"), -EINVAL, "0 or 1");
	is(set("events/raw_syscalls/enable", ""), -EINVAL, "nothing is none");
	is(set("events/raw_syscalls/enable", "0"), 1, "off");
	is(set("tracing_on", "2"), 1, "any number but 0 is on");
	ok(!strcmp(all_of("tracing_on"), "1\n"), "tracing_on reads 1 after any number");
	is(set("trace_options", ""), -EINVAL, "no option");
	is(set("options/overwrite", ""), -EINVAL, "neither on nor off");
}

/* More tasks than there is room for; Linux has room for all. */
static void test_many_pids(void)
{
	char numbers[2048];
	long result = 0, chosen = 0;

	for (int from = 1000; result >= 0 && from < 1000 + 5 * 256; from += 256) {
		char *at = numbers;

		for (int i = from; i < from + 256; i++)
			at += sprintf(at, "%d ", i);
		result = set("set_event_pid", numbers);
		chosen += result < 0 ? 0 : 256;
	}
	is(result < 0 ? result : 0, is_linux() ? 0 : -ENOSPC,
	   "tasks are chosen until there is no room");
	is(chosen, is_linux() ? 1280 : 1024, "set_event_pid takes as many tasks as fit");
	is(lines_with("set_event_pid", "\n"), chosen, "the file has them");
	clear("set_event_pid");
}

int main(void)
{
	place(0, 0);
	mount_tracefs();
	test_own();
	test_end();
	test_options();
	test_raw();
	test_errors();
	test_words();
	test_many_pids();
	return tap_end();
}
