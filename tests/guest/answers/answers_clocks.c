/* SPDX-License-Identifier: BSD-2-Clause */
/* Linux's answers about clocks, RDTSC, control groups and namespaces. */
#define _GNU_SOURCE
#include <linux/sched.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <time.h>
#include "tests/guest/answers/answers.h"

/* Clocks. */

static long time_read(void)
{
	struct timex now = {0};

	return raw(adjtimex(&now)) >= 0 && now.tick == 10000 && now.time.tv_sec > 0;
}

static long time_state(void)
{
	struct timex now = {0};

	return raw(adjtimex(&now));
}

static long time_status(void)
{
	struct timex now = {0};

	return raw(adjtimex(&now)) < 0 ? -errno : now.status;
}

static long time_clock(void)
{
	struct timex now = {0};

	return RAW(SYS_clock_adjtime, CLOCK_REALTIME, &now) >= 0 && now.tick == 10000;
}

static long time_other(void)
{
	struct timex now = {0};

	return RAW(SYS_clock_adjtime, CLOCK_MONOTONIC, &now);
}

static long time_user(void)
{
	struct timex now = {.modes = ADJ_FREQUENCY};

	become_user();
	return raw(adjtimex(&now));
}

static long time_bad(void)
{
	return RAW(SYS_adjtimex, 1);
}

/* Sets the clock forwards by a day, reads it, and sets it back. */
static long clock_set(void)
{
	struct timespec before, now;
	long err;

	clock_gettime(CLOCK_REALTIME, &before);
	before.tv_sec += 86400;
	err = raw(clock_settime(CLOCK_REALTIME, &before));
	clock_gettime(CLOCK_REALTIME, &now);
	now.tv_sec -= 86400;
	clock_settime(CLOCK_REALTIME, &now);
	return err ?: now.tv_sec + 86400 - before.tv_sec <= 2;
}

static long clock_set_steady(void)
{
	struct timespec before, between, after;

	clock_gettime(CLOCK_MONOTONIC, &before);
	clock_gettime(CLOCK_REALTIME, &between);
	between.tv_sec += 1000;
	clock_settime(CLOCK_REALTIME, &between);
	clock_gettime(CLOCK_MONOTONIC, &after);
	clock_gettime(CLOCK_REALTIME, &between);
	between.tv_sec -= 1000;
	clock_settime(CLOCK_REALTIME, &between);
	return after.tv_sec - before.tv_sec <= 2;
}

static long clock_set_user(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	become_user();
	return raw(clock_settime(CLOCK_REALTIME, &now));
}

static long clock_set_other(void)
{
	struct timespec now = {1, 0};

	return raw(clock_settime(CLOCK_MONOTONIC, &now));
}

static long clock_set_odd(void)
{
	struct timespec now = {1, 1000000000};

	return raw(clock_settime(CLOCK_REALTIME, &now));
}

static long clock_cancels(void)
{
	int fd = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK);
	struct itimerspec when = {.it_value = {.tv_sec = 0x7fffffff}};
	struct timespec now;
	uint64_t times;

	if (timerfd_settime(fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &when, NULL))
		return -errno;
	clock_gettime(CLOCK_REALTIME, &now);
	clock_settime(CLOCK_REALTIME, &now);
	return raw(read(fd, &times, sizeof(times)));
}

static long slack_child_now(void)
{
	return prctl(PR_GET_TIMERSLACK);
}

static long slack_child(void)
{
	prctl(PR_SET_TIMERSLACK, 123456);
	return in_child(slack_child_now);
}

static long slack_default_now(void)
{
	prctl(PR_SET_TIMERSLACK, 777);
	prctl(PR_SET_TIMERSLACK, 0);
	return prctl(PR_GET_TIMERSLACK);
}

static long slack_default(void)
{
	prctl(PR_SET_TIMERSLACK, 123456);
	return in_child(slack_default_now);
}

static long tsc_read(void)
{
	int how = 0;

	return raw(prctl(PR_GET_TSC, &how)) ?: how;
}

static long tsc_fault(void)
{
	pid_t child = fork();
	int status;

	if (!child) {
		prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
		__builtin_ia32_rdtsc();
		_exit(0);
	}
	waitpid(child, &status, 0);
	return WIFSIGNALED(status) ? WTERMSIG(status) : -1;
}

static long tsc_child_now(void)
{
	int how = 0;

	return raw(prctl(PR_GET_TSC, &how)) ?: how;
}

static long tsc_child(void)
{
	prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
	return in_child(tsc_child_now);
}

static long tsc_again(void)
{
	prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
	prctl(PR_SET_TSC, PR_TSC_ENABLE);
	return __builtin_ia32_rdtsc() != 0;
}

static long tsc_bad(void)
{
	return raw(prctl(PR_SET_TSC, 3));
}

/* Groups and namespaces. */

static long clone_into(int fd)
{
	struct clone_args arguments = {
	    .flags = CLONE_INTO_CGROUP, .exit_signal = SIGCHLD, .cgroup = (uint64_t)fd};
	long child = RAW(SYS_clone3, &arguments, sizeof(arguments));
	char line[256] = "";
	int ends;

	if (child > 0)
		waitpid((pid_t)child, &ends, 0);
	if (child)
		return child < 0 ? child : WEXITSTATUS(ends);
	ends = open("/proc/self/cgroup", O_RDONLY);
	_exit(read(ends, line, sizeof(line) - 1) > 0 && strstr(line, "/answers\n") ? 1 : 2);
}

static long clone_into_group(void)
{
	long result;

	mkdir("/tmp/groups", 0755);
	if (mount("none", "/tmp/groups", "cgroup2", 0, NULL))
		return -errno;
	mkdir("/tmp/groups/answers", 0755);
	result = clone_into(open("/tmp/groups/answers", O_RDONLY | O_DIRECTORY));
	rmdir("/tmp/groups/answers");
	umount2("/tmp/groups", MNT_DETACH);
	return result;
}

static long clone_into_none(void)
{
	return clone_into(999);
}

static long clone_into_file(void)
{
	return clone_into(open("/", O_RDONLY));
}

static long part_name(void)
{
	return raw(unshare(CLONE_NEWUTS));
}

static long part_user(void)
{
	become_user();
	return raw(unshare(CLONE_NEWUTS));
}

static const struct answer cases[] = {
    CASE("adjtimex reads", time_read, 1),
    CASE("adjtimex: the clock is not synchronised", time_state, TIME_ERROR),
    CASE("adjtimex: STA_UNSYNC", time_status, STA_UNSYNC),
    CASE("clock_adjtime reads", time_clock, 1),
    CASE("clock_adjtime: CLOCK_MONOTONIC", time_other, -EOPNOTSUPP),
    CASE("adjtimex: a change by a user", time_user, -EPERM),
    CASE("adjtimex: bad address", time_bad, -EFAULT),
    CASE("clock_settime: a day forwards", clock_set, 1),
    CASE("clock_settime leaves CLOCK_MONOTONIC alone", clock_set_steady, 1),
    CASE("clock_settime by a user", clock_set_user, -EPERM),
    CASE("clock_settime: CLOCK_MONOTONIC", clock_set_other, -EINVAL),
    CASE("clock_settime: 1e9 ns", clock_set_odd, -EINVAL),
    CASE("clock_settime: TFD_TIMER_CANCEL_ON_SET", clock_cancels, -ECANCELED),
    CASE("a child's timer slack is its parent's", slack_child, 123456),
    CASE("so is the child's default", slack_default, 123456),
    CASE("PR_GET_TSC", tsc_read, PR_TSC_ENABLE),
    CASE("PR_TSC_SIGSEGV: RDTSC", tsc_fault, SIGSEGV),
    CASE("PR_TSC_SIGSEGV: a child's", tsc_child, PR_TSC_SIGSEGV),
    CASE("PR_TSC_ENABLE again", tsc_again, 1),
    CASE("PR_SET_TSC: unknown value", tsc_bad, -EINVAL),
    CASE("CLONE_INTO_CGROUP", clone_into_group, 1),
    CASE("CLONE_INTO_CGROUP: no descriptor", clone_into_none, -EBADF),
    CASE("CLONE_INTO_CGROUP: another directory", clone_into_file, -EBADF),
    CASE("unshare(CLONE_NEWUTS)", part_name, 0),
    CASE("unshare(CLONE_NEWUTS) by a user", part_user, -EPERM),
};

int main(void)
{
	return answers_run(cases, COUNT(cases));
}
