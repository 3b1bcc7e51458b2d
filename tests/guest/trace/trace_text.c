/* SPDX-License-Identifier: BSD-2-Clause */
/* Trace events of timers; and records of tracefs's buffer as text. */
#include "tests/guest/cpus.h"
#include "tests/guest/trace/tracing.h"
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#define SLEEPS 5
#define EXPIRY 2000 /* us */

static volatile sig_atomic_t alarms;

static void on_alarm(int signo)
{
	(void)signo;
	alarms++;
}

/* Counts the event on this processor, whoever runs. */
static int count_here(const char *event)
{
	struct perf_event_attr attr = perf_attr(PERF_TYPE_TRACEPOINT, id_of(event));

	return perf_try(&attr, -1, 0, -1, 0);
}

static void sleep_shortly(void)
{
	struct timespec time = {.tv_nsec = 100000};

	nanosleep(&time, NULL);
}

static void set_interval(int which, long us)
{
	struct itimerval timer = {.it_value = {.tv_usec = us}};

	setitimer(which, &timer, NULL);
}

static void test_counts(void)
{
	static const struct {
		const char *event;
		int least, most; /* 0: any */
	} events[] = {{"timer/hrtimer_init", SLEEPS, 0},
		      {"timer/hrtimer_start", SLEEPS + 2, 0},
		      {"timer/hrtimer_cancel", 1, 0},
		      {"timer/hrtimer_expire_entry", SLEEPS + 1, 0},
		      {"timer/hrtimer_expire_exit", SLEEPS + 1, 0},
		      {"timer/itimer_state", 3, 3},
		      {"timer/itimer_expire", 1, 1}};
	int fds[COUNT_OF(events)];

	for (unsigned i = 0; i < COUNT_OF(events); i++)
		fds[i] = count_here(events[i].event);
	for (int i = 0; i < SLEEPS; i++)
		sleep_shortly();
	set_interval(ITIMER_REAL, 900000);
	set_interval(ITIMER_REAL, 0);
	set_interval(ITIMER_REAL, EXPIRY);
	while (!alarms)
		sleep_shortly();
	for (unsigned i = 0; i < COUNT_OF(events); i++) {
		int count = (int)perf_value(fds[i]);

		ok(count >= events[i].least && (!events[i].most || count <= events[i].most),
		   "%s: %d times", events[i].event, count);
		close(fds[i]);
	}
}

/* The fields of the records that a timer leaves. */
static void test_records(void)
{
	static struct perf_record record;
	struct perf_event_attr attr = perf_attr(PERF_TYPE_TRACEPOINT, id_of("timer/itimer_state"));
	struct perf_ring ring;
	uint64_t words[6];
	int fd;

	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_RAW;
	fd = perf_open(&attr, 0, -1, -1, 0);
	perf_map(&ring, fd, 8, PROT_READ | PROT_WRITE);
	set_interval(ITIMER_VIRTUAL, 300000);
	set_interval(ITIMER_VIRTUAL, 0);
	ok(perf_next(&ring, &record), "setitimer(2) leaves a record");
	memcpy(words, (char *)record.words + 4 + 8, sizeof(words));
	is((int)words[0], ITIMER_VIRTUAL, "setitimer(2)'s record has the timer");
	is((long)words[3], 300000000, "setitimer(2)'s record has the value's nanoseconds");
	ok(perf_next(&ring, &record), "the end of the timer leaves a record");
	memcpy(words, (char *)record.words + 4 + 8, sizeof(words));
	ok(!words[1] && !words[3], "the end's record has neither value nor end");
	perf_unmap(&ring);
	close(fd);
}

/* ---- text ---- */

static int tracefs(const char *file, int flags)
{
	char path[128];

	snprintf(path, sizeof(path), TRACING "%s", file);
	return open(path, flags);
}

static long put(const char *file, const char *text)
{
	int fd = tracefs(file, O_WRONLY | O_TRUNC);
	long written = write(fd, text, strlen(text)), err = errno;

	close(fd);
	return written < 0 ? -err : written;
}

/* All that the file has, in pieces: a string. */
static const char *all_of(const char *file, int flags)
{
	static char text[65536];
	size_t length = 0;
	int fd = tracefs(file, O_RDONLY | flags);
	long got;

	while ((got = read(fd, text + length, length % 2 ? 777 : 4000)) > 0)
		if ((length += (size_t)got) > sizeof(text) - 4096)
			break;
	close(fd);
	text[length] = 0;
	return text;
}

static int times(const char *text, const char *word)
{
	int nr = 0;

	while ((text = strstr(text, word))) {
		nr++;
		text++;
	}
	return nr;
}

static void record_some(void)
{
	put("trace", "");
	put("events/syscalls/sys_enter_getppid/enable", "1");
	put("events/syscalls/sys_exit_getppid/enable", "1");
	put("events/timer/itimer_state/enable", "1");
	syscall(SYS_getppid);
	set_interval(ITIMER_VIRTUAL, 300000);
	set_interval(ITIMER_VIRTUAL, 0);
	syscall(SYS_getppid);
	put("events/enable", "0");
}

static void test_text(void)
{
	char line[128], name[32] = "";
	const char *text;

	/* Linux knows only the names of tasks that were switched to in between. */
	snprintf(line, sizeof(line), "-%-7d [000] ", getpid());
	record_some();
	text = all_of("trace", 0);
	is(times(text, "# entries-in-buffer/entries-written: 6/6   #P:"), 1,
	   "trace tells how much there is");
	is(times(text, line), 6, "trace has a line of each task and processor");
	is(times(text, ": sys_getppid()\n"), 2, "a call, as it begins");
	snprintf(name, sizeof(name), ": sys_getppid -> 0x%x\n", getppid());
	is(times(text, name), 2, "trace has each call's result");
	is(times(text, ": itimer_state: which=1 expires="), 2, "an event by its format");
	is(times(text, " it_value=0.300000 it_interval=0.000000\n"), 1,
	   "trace has the event's fields");
	is(times(all_of("trace", 0), line), 6, "reading trace keeps the records");
	is(times(all_of("trace_pipe", O_NONBLOCK), line), 6, "trace_pipe has the same");
	is(times(all_of("trace_pipe", O_NONBLOCK), line), 0, "once");
	is(times(all_of("trace", 0), line), 0, "trace_pipe takes the records away");
	record_some();
	close(tracefs("trace", O_WRONLY | O_TRUNC));
	is(times(all_of("trace", 0), line), 0, "O_TRUNC empties trace");
}

/* Records whose time is a number that the character follows. */
static int stamped(const char *text, char after)
{
	unsigned long number;
	int nr = 0;
	char end;

	while ((text = strstr(text, "[000] ")))
		nr += sscanf(++text, "%*s %*s %lu%c", &number, &end) == 2 && end == after;
	return nr;
}

static void test_clocks(void)
{
	static const char *const names[] = {"local", "global", "counter",  "uptime", "perf",
					    "mono",  "boot",   "mono_raw", "tai",    "x86-tsc"};
	char chosen[32];

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(chosen, sizeof(chosen), "[%s]", names[i]);
		ok(put("trace_clock", names[i]) > 0 && times(all_of("trace_clock", 0), chosen) == 1,
		   "a clock: %s", names[i]);
	}
	is(put("trace_clock", "sundial"), -EINVAL, "another: EINVAL");
	put("trace_clock", "counter");
	record_some();
	is(stamped(all_of("trace", 0), ':'), 6, "records by what does not count nanoseconds");
	put("trace_clock", "mono");
	is(stamped(all_of("trace", 0), ':'), 0, "another clock: they are gone");
	record_some();
	is(stamped(all_of("trace", 0), '.'), 6, "seconds again");
}

static void test_sizes(void)
{
	is(put("buffer_size_kb", "0x10"), -EINVAL, "a size is a decimal number");
	is(put("buffer_size_kb", "010"), 3, "a 0 before it means nothing");
	is(atoi(all_of("buffer_size_kb", 0)), 11, "whole pages");
	is(put("buffer_size_kb", "0"), -EINVAL, "buffer_size_kb of 0: EINVAL");
	put("buffer_size_kb", "1408");
}

/* A program's own text, between records of events. */
static void test_marker(void)
{
	static char many[1500];
	const char *text;
	int fd;

	memset(many, 'm', sizeof(many) - 1);
	put("trace", "");
	is(put("trace_marker", "a mark"), 6, "a text is written to trace_marker");
	is(put("trace_marker", "with an end\n"), 12, "another, with its end");
	is(put("trace_marker", ""), 0, "an empty mark");
	fd = tracefs("trace_marker", O_WRONLY);
	ok(syscall(SYS_write, fd, 8, 5) < 0 && errno == EFAULT, "a mark at a bad address: EFAULT");
	close(fd);
	is(put("trace_marker", many), 1024, "a long mark is cut to 1,024 bytes");
	text = all_of("trace", 0);
	ok(strstr(text, ": tracing_mark_write: a mark\n"), "a mark is a line of trace");
	ok(strstr(text, ": tracing_mark_write: with an end\n"),
	   "a mark with an end is a line of trace");
	ok(!strstr(text, "\n\n"), "no line is empty");
	put("tracing_on", "0");
	is(put("trace_marker", "a mark"), -EBADF, "nothing is recorded: EBADF");
	put("tracing_on", "1");
}

static void one_call_each(void)
{
	pid_t child = fork();

	syscall(SYS_getppid);
	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
}

/* Records of some tasks only. */
static void test_pids(void)
{
	char text[64];

	put("trace", "");
	snprintf(text, sizeof(text), "3000000 %d\t1000000\n", getpid());
	is(put("set_event_pid", text), (long)strlen(text), "tasks are chosen");
	snprintf(text, sizeof(text), "%d\n1000000\n3000000\n", getpid());
	ok(!strcmp(all_of("set_event_pid", 0), text), "the file has them in order");
	put("events/syscalls/sys_enter_getppid/enable", "1");
	one_call_each();
	is(times(all_of("trace", 0), ": sys_getppid()\n"), 1, "another's call is not recorded");
	is(put("set_event_pid", "1000000"), 7, "another is chosen");
	one_call_each();
	is(times(all_of("trace", 0), ": sys_getppid()\n"), 1, "now neither is");
	is(put("set_event_pid", "x"), -EINVAL, "no number: EINVAL");
	is(put("set_event_pid", "1073741824"), -EPERM,
	   "set_event_pid of a number that is too large: EPERM");
	close(tracefs("set_event_pid", O_WRONLY | O_TRUNC));
	is((long)strlen(all_of("set_event_pid", 0)), 0, "O_TRUNC removes all");
	one_call_each();
	is(times(all_of("trace", 0), ": sys_getppid()\n"), 3, "both are recorded");
	put("events/enable", "0");
}

/* Children come with their parents, and go when they end, which Linux sees a little later. */
static void test_children(void)
{
	char text[64];

	put("trace", "");
	is(put("trace_options", "event-fork"), 10, "event-fork is switched on");
	snprintf(text, sizeof(text), "%d\n", getpid());
	put("set_event_pid", text);
	put("events/syscalls/sys_enter_getppid/enable", "1");
	one_call_each();
	is(times(all_of("trace", 0), ": sys_getppid()\n"), 2, "a child's call is recorded, too");
	for (int i = 0; i < 1000 && strcmp(all_of("set_event_pid", 0), text); i++)
		usleep(10000);
	ok(!strcmp(all_of("set_event_pid", 0), text),
	   "a child's number leaves set_event_pid at its end");
	put("trace_options", "noevent-fork");
	one_call_each();
	is(times(all_of("trace", 0), ": sys_getppid()\n"), 3, "without it the next child's is not");
	close(tracefs("set_event_pid", O_WRONLY | O_TRUNC));
	put("events/enable", "0");
}

int main(void)
{
	place(0, 0);
	signal(SIGALRM, on_alarm);
	mount_tracefs();
	test_counts();
	test_records();
	test_text();
	test_clocks();
	test_sizes();
	test_marker();
	test_pids();
	test_children();
	return tap_end();
}
