/* SPDX-License-Identifier: BSD-2-Clause */
/* Sets of watched files: levels, edges, single shots, sets within sets, the files that can be
 * watched, every errno. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>
#include "abi/linux/perf_event.h"
#include "tests/guest/tap.h"

static struct epoll_event got[8];

static int set_new(void)
{
	return epoll_create1(EPOLL_CLOEXEC);
}

static int change(int set, int operation, int fd, uint32_t events)
{
	struct epoll_event event = {.events = events,
				    .data.u64 = 0x1122334455667700u + (unsigned)fd};

	return epoll_ctl(set, operation, fd, &event);
}

static bool fails(long result, int error)
{
	return result == -1 && errno == error;
}

static void levels_and_edges(void)
{
	int set = set_new(), ends[2];

	ok(!pipe(ends) && !change(set, EPOLL_CTL_ADD, ends[0], EPOLLIN), "a pipe is watched");
	ok(epoll_wait(set, got, 8, 0) == 0, "an empty pipe is not ready");
	write(ends[1], "ab", 2);
	ok(epoll_wait(set, got, 8, -1) == 1 && got[0].events == EPOLLIN &&
	       got[0].data.u64 == 0x1122334455667700u + (unsigned)ends[0],
	   "a byte makes it ready, and the data comes back");
	ok(epoll_wait(set, got, 8, 0) == 1, "level-triggered: reported again");
	ok(!change(set, EPOLL_CTL_MOD, ends[0], EPOLLIN | EPOLLET) &&
	       epoll_wait(set, got, 8, 0) == 1 && epoll_wait(set, got, 8, 0) == 0,
	   "edge-triggered: reported once");
	write(ends[1], "c", 1);
	ok(epoll_wait(set, got, 8, 0) == 1, "edge-triggered: reported again after another byte");
	ok(!change(set, EPOLL_CTL_MOD, ends[0], EPOLLIN | EPOLLONESHOT) &&
	       epoll_wait(set, got, 8, 0) == 1 && epoll_wait(set, got, 8, 0) == 0,
	   "a single shot");
	write(ends[1], "d", 1);
	ok(epoll_wait(set, got, 8, 0) == 0, "one-shot: not reported after another byte");
	ok(!change(set, EPOLL_CTL_MOD, ends[0], EPOLLIN) && epoll_wait(set, got, 8, 0) == 1,
	   "one-shot: reported after it is armed again");
	ok(!change(set, EPOLL_CTL_ADD, ends[1], EPOLLOUT) && epoll_wait(set, got, 1, 0) == 1 &&
	       epoll_wait(set, got, 8, 0) == 2,
	   "epoll_wait returns as many events as fit");
	close(ends[1]);
	ok(epoll_wait(set, got, 8, 0) == 1 && got[0].events == (EPOLLIN | EPOLLHUP),
	   "a closed file leaves the set; hang-up needs no asking");
	ok(!epoll_ctl(set, EPOLL_CTL_DEL, ends[0], NULL) && epoll_wait(set, got, 8, 0) == 0,
	   "a removed descriptor is not reported");
	close(ends[0]);
	close(set);
}

static void duplicates(void)
{
	int set = set_new(), ends[2], copy;

	pipe(ends);
	change(set, EPOLL_CTL_ADD, ends[0], EPOLLIN);
	copy = dup(ends[0]);
	write(ends[1], "x", 1);
	close(ends[0]);
	ok(epoll_wait(set, got, 8, 0) == 1,
	   "an open file is watched until its last descriptor closes");
	close(copy);
	ok(epoll_wait(set, got, 8, 0) == 0, "a duplicate's last close ends its events");
	close(ends[1]);
	close(set);
}

static void nested(void)
{
	int inner = set_new(), outer = set_new(), event = eventfd(0, EFD_NONBLOCK), deep[6];
	struct pollfd poll_set = {.fd = outer, .events = POLLIN};

	ok(!change(inner, EPOLL_CTL_ADD, event, EPOLLIN) &&
	       !change(outer, EPOLL_CTL_ADD, inner, EPOLLIN),
	   "a set within a set");
	ok(poll(&poll_set, 1, 0) == 0, "not ready");
	eventfd_write(event, 1);
	ok(poll(&poll_set, 1, 0) == 1 && poll_set.revents == POLLIN, "readable for poll");
	ok(epoll_wait(outer, got, 8, 0) == 1 && got[0].events == EPOLLIN,
	   "an inner set's event is reported by the outer one");
	ok(fails(change(inner, EPOLL_CTL_ADD, outer, EPOLLIN), ELOOP), "a loop: ELOOP");
	for (int i = 0; i < 6; i++)
		deep[i] = set_new();
	for (int i = 0; i < 4; i++)
		change(deep[i], EPOLL_CTL_ADD, deep[i + 1], EPOLLIN);
	ok(fails(change(deep[4], EPOLL_CTL_ADD, deep[5], EPOLLIN), ELOOP) ||
	       fails(change(deep[5], EPOLL_CTL_ADD, deep[0], EPOLLIN), ELOOP),
	   "sets nested too deep: ELOOP");
	for (int i = 0; i < 6; i++)
		close(deep[i]);
	close(inner);
	close(outer);
	close(event);
}

static void perf_event(void)
{
	struct perf_event_attr attr = {
	    .type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = PERF_COUNT_SW_DUMMY};
	int set = set_new(), fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);

	ok(fd >= 0 && !change(set, EPOLL_CTL_ADD, fd, EPOLLIN), "a performance event is watched");
	ok(epoll_wait(set, got, 8, 0) == 1 && got[0].events == EPOLLHUP,
	   "without a buffer it hangs up, as for poll");
	close(fd);
	close(set);
}

static void *write_later(void *argument)
{
	usleep(20000);
	eventfd_write(*(int *)argument, 5);
	return NULL;
}

static void nothing(int signo)
{
	(void)signo;
}

static void sleeping(void)
{
	const struct timespec soon = {0, 20000000};
	struct sigaction action = {.sa_handler = nothing, .sa_flags = SA_RESTART};
	struct itimerval timer = {.it_value = {0, 20000}};
	int set = set_new(), event = eventfd(0, 0);
	pthread_t thread;
	sigset_t alarm_only;

	change(set, EPOLL_CTL_ADD, event, EPOLLIN);
	pthread_create(&thread, NULL, write_later, &event);
	ok(epoll_wait(set, got, 8, -1) == 1, "a thread wakes the sleeper");
	pthread_join(thread, NULL);
	change(set, EPOLL_CTL_DEL, event, 0);
	ok(epoll_wait(set, got, 8, 20) == 0, "a timeout in milliseconds");
	ok(syscall(SYS_epoll_pwait2, set, got, 8, &soon, NULL, 8) == 0,
	   "epoll_pwait2 waits for nanoseconds");
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	ok(fails(epoll_wait(set, got, 8, -1), EINTR), "a signal ends it, SA_RESTART or not");
	sigemptyset(&alarm_only);
	sigaddset(&alarm_only, SIGALRM);
	setitimer(ITIMER_REAL, &timer, NULL);
	ok(epoll_pwait(set, got, 8, 60, &alarm_only) == 0, "unless epoll_pwait blocks it");
	close(event);
	close(set);
}

static void errors(void)
{
	int set = set_new(), ends[2], file = open("/tmp/plain", O_RDWR | O_CREAT, 0600);

	pipe(ends);
	ok(fails(syscall(SYS_epoll_create, 0), EINVAL) && fails(epoll_create1(1), EINVAL),
	   "create: EINVAL");
	ok(fails(change(-1, EPOLL_CTL_ADD, ends[0], EPOLLIN), EBADF) &&
	       fails(change(set, EPOLL_CTL_ADD, -1, EPOLLIN), EBADF),
	   "ctl: EBADF");
	ok(fails(change(set, EPOLL_CTL_ADD, file, EPOLLIN), EPERM), "a plain file: EPERM");
	ok(fails(change(set, EPOLL_CTL_ADD, set, EPOLLIN), EINVAL), "itself: EINVAL");
	ok(fails(change(ends[0], EPOLL_CTL_ADD, ends[1], EPOLLIN), EINVAL), "not a set: EINVAL");
	ok(fails(change(set, 4, ends[0], EPOLLIN), EINVAL), "an unknown operation: EINVAL");
	ok(fails(change(set, EPOLL_CTL_MOD, ends[0], EPOLLIN), ENOENT) &&
	       fails(change(set, EPOLL_CTL_DEL, ends[0], 0), ENOENT),
	   "not in the set: ENOENT");
	ok(!change(set, EPOLL_CTL_ADD, ends[0], EPOLLIN) &&
	       fails(change(set, EPOLL_CTL_ADD, ends[0], EPOLLIN), EEXIST),
	   "adding a descriptor twice: EEXIST");
	ok(fails(change(set, EPOLL_CTL_MOD, ends[0], EPOLLIN | EPOLLEXCLUSIVE), EINVAL) &&
	       fails(change(set, EPOLL_CTL_ADD, ends[1], EPOLLRDHUP | EPOLLEXCLUSIVE), EINVAL) &&
	       !change(set, EPOLL_CTL_ADD, ends[1], EPOLLOUT | EPOLLEXCLUSIVE) &&
	       fails(change(set, EPOLL_CTL_MOD, ends[1], EPOLLIN), EINVAL),
	   "EPOLLEXCLUSIVE only when added");
	ok(fails(syscall(SYS_epoll_ctl, set, EPOLL_CTL_ADD, ends[0], 8L), EFAULT), "ctl: EFAULT");
	ok(fails(epoll_wait(set, got, 0, 0), EINVAL) &&
	       fails(syscall(SYS_epoll_wait, set, got, 0x7fffffff, 0), EINVAL) &&
	       fails(epoll_wait(-1, got, 8, 0), EBADF) &&
	       fails(epoll_wait(ends[0], got, 8, 0), EINVAL),
	   "wait: EINVAL, EBADF");
	ok(fails(syscall(SYS_epoll_wait, set, 8L, 8, 0), EFAULT), "wait: EFAULT");
	ok(fails(syscall(SYS_epoll_pwait, set, got, 8, 0, &set, 4), EINVAL),
	   "a mask's size: EINVAL");
	unlink("/tmp/plain");
	close(file);
	close(ends[0]);
	close(ends[1]);
	close(set);
}

int main(void)
{
	levels_and_edges();
	duplicates();
	nested();
	perf_event();
	sleeping();
	errors();
	return tap_end();
}
