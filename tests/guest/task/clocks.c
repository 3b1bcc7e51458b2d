/* SPDX-License-Identifier: BSD-2-Clause */
/* Clocks, sleeping, timeouts and interval timers. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>
#include "tests/guest/tap.h"

#define MS 1000000ll

static int64_t now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return time.tv_sec * 1000000000ll + time.tv_nsec;
}

/* Was something that should take `ms` neither shorter nor endless? The upper bound is for slow
 * hosts. */
static bool took(int64_t start, int64_t ms)
{
	int64_t ns = now(CLOCK_MONOTONIC) - start;

	return ns >= ms * MS && ns < (ms + 20000) * MS;
}

static void test_clocks(void)
{
	struct timespec resolution;
	int64_t last = now(CLOCK_MONOTONIC), next;
	bool forward = true;
	struct timeval day;

	for (int i = 0; i < 1000; i++) {
		next = now(CLOCK_MONOTONIC);
		forward &= next >= last;
		last = next;
	}
	ok(forward, "CLOCK_MONOTONIC never goes back");
	gettimeofday(&day, NULL);
	ok(llabs(now(CLOCK_REALTIME) / 1000000000 - day.tv_sec) <= 20,
	   "gettimeofday and CLOCK_REALTIME agree");
	ok(llabs(time(NULL) - day.tv_sec) <= 20, "time agrees");
	ok(day.tv_sec > 1600000000, "the day's clock is later than 2020");
	is(clock_getres(CLOCK_MONOTONIC, &resolution), 0, "clock_getres");
	is(resolution.tv_sec == 0 && resolution.tv_nsec == 1, 1, "says 1 ns");
	is(clock_gettime(99, &resolution) == -1 && errno == EINVAL, 1, "no such clock is EINVAL");
}

static void test_processor_time(void)
{
	int64_t start = now(CLOCK_PROCESS_CPUTIME_ID), used;
	struct timespec pause_ = {.tv_nsec = 50 * MS};

	for (volatile int i = 0; i < 20000000; i++)
		;
	used = now(CLOCK_PROCESS_CPUTIME_ID) - start;
	ok(used > 0, "computing takes processor time");
	start = now(CLOCK_PROCESS_CPUTIME_ID);
	nanosleep(&pause_, NULL);
	ok(now(CLOCK_PROCESS_CPUTIME_ID) - start < 50 * MS, "sleeping does not");
	ok(now(CLOCK_THREAD_CPUTIME_ID) > 0, "threads have a clock, too");
	ok(times(NULL) != -1, "times");
}

static void test_sleep(void)
{
	struct timespec time = {.tv_nsec = 20 * MS}, bad = {.tv_nsec = 1000 * MS};
	int64_t start = now(CLOCK_MONOTONIC);

	is(nanosleep(&time, NULL), 0, "nanosleep of 20 ms");
	ok(took(start, 20), "takes 20 ms");
	is(nanosleep(&bad, NULL) == -1 && errno == EINVAL, 1, "a second of nanoseconds is EINVAL");
	start = now(CLOCK_MONOTONIC);
	time.tv_sec = (start + 30 * MS) / 1000000000;
	time.tv_nsec = (start + 30 * MS) % 1000000000;
	is(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL), 0,
	   "clock_nanosleep until a time");
	ok(took(start, 30), "ends then");
	is(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL), 0,
	   "a time that is past does not sleep");
}

static void test_timeouts(void)
{
	struct timeval time = {.tv_usec = 15000};
	struct timespec zero = {0};
	struct pollfd fds;
	int ends[2];
	fd_set set;
	int64_t start = now(CLOCK_MONOTONIC);

	pipe(ends);
	fds = (struct pollfd){.fd = ends[0], .events = POLLIN};
	is(poll(&fds, 1, 15), 0, "poll of an empty pipe ends by its timeout");
	ok(took(start, 15), "after 15 ms");
	FD_ZERO(&set);
	FD_SET(ends[0], &set);
	start = now(CLOCK_MONOTONIC);
	is(select(ends[0] + 1, &set, NULL, NULL, &time), 0, "select as well");
	ok(took(start, 15), "after 15 ms");
	is(FD_ISSET(ends[0], &set), 0, "select's timeout clears the set");
	write(ends[1], "x", 1);
	is(poll(&fds, 1, -1), 1, "poll sees the byte");
	is(fds.revents, POLLIN, "poll reports POLLIN");
	FD_SET(ends[0], &set);
	is(pselect(ends[0] + 1, &set, NULL, NULL, &zero, NULL), 1, "pselect too");
	fds = (struct pollfd){.fd = 999, .events = POLLIN};
	is(poll(&fds, 1, 0), 1, "no such descriptor is an answer");
	is(fds.revents, POLLNVAL, "POLLNVAL");
	close(ends[1]);
	read(ends[0], &set, 1);
	fds = (struct pollfd){.fd = ends[0], .events = POLLIN};
	poll(&fds, 1, 0);
	is(fds.revents, POLLHUP, "without writers POLLHUP");
	close(ends[0]);
}

static volatile int alarms;

static void on_alarm(int signo)
{
	(void)signo;
	alarms++;
}

static void test_interval(void)
{
	struct sigaction action = {.sa_handler = on_alarm};
	struct itimerval timer = {{0, 5000}, {0, 5000}}, left;
	int64_t start = now(CLOCK_MONOTONIC);

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	while (alarms < 5)
		pause();
	ok(took(start, 25), "five periods of 5 ms");
	getitimer(ITIMER_REAL, &left);
	ok(left.it_interval.tv_usec == 5000 && left.it_value.tv_usec <= 5000,
	   "getitimer tells what is left");
	timer = (struct itimerval){0};
	setitimer(ITIMER_REAL, &timer, NULL);
	is(alarm(100), 0, "alarm: there was none");
	is(alarm(0), 100, "alarm: there was one of 100 s");
}

int main(void)
{
	setvbuf(stdout, NULL, _IONBF, 0);
	test_clocks();
	test_processor_time();
	test_sleep();
	test_timeouts();
	test_interval();
	return tap_end();
}
