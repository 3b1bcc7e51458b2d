/* SPDX-License-Identifier: BSD-2-Clause */
/* tests/fuzz/latency.c: calls that work on many tasks, timers or waiters. */
#ifndef TESTS_FUZZ_LATENCY_TASKS_H
#define TESTS_FUZZ_LATENCY_TASKS_H

#include <grp.h>
#include <linux/futex.h>

#define TASKS  300
#define TIMERS 3000

static uint32_t *words; /* shared */

static long futex(uint32_t *word, int what, uint32_t value, uint64_t more, uint32_t *other)
{
	return syscall(SYS_futex, word, what, value, more, other, value);
}

/* Processes that wait at a futex. The session's end ends them. */
static void prepare_waiters(void)
{
	signal(SIGTERM, SIG_IGN);
	words = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (unsigned i = 0; i < TASKS; i++) {
		pid_t child = vfork();

		must(child);
		if (!child) {
			child = (pid_t)syscall(SYS_fork);
			if (!child)
				for (;;)
					futex(words, FUTEX_WAIT, 0, 0, NULL);
			_exit(0);
		}
	}
	sched_yield();
}

static void call_futex_wake(void)
{
	must(futex(words, FUTEX_WAKE, TASKS, 0, NULL));
}

static void call_futex_requeue(void)
{
	must(futex(words, FUTEX_REQUEUE, 0, TASKS, words + 1));
}

static void call_kill_group(void)
{
	must(kill(0, SIGTERM));
}

static void call_setpriority(void)
{
	must(syscall(SYS_setpriority, 1 /* PRIO_PGRP */, 0, 1));
}

static void call_proc(void)
{
	static char entries[TASKS * 64];
	int fd = open("/proc", O_RDONLY | O_DIRECTORY);

	must(fd);
	must(syscall(SYS_getdents64, fd, entries, sizeof(entries)));
	read_whole("/proc/stat");
	read_whole("/proc/loadavg");
}

/* All at the same time: the interrupt has them all. */
static void call_timers(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_NONE};
	struct itimerspec time = {.it_value.tv_nsec = 30000000};
	const struct timespec nap = {.tv_nsec = 40000000};
	struct timespec now;
	int id;

	clock_gettime(CLOCK_MONOTONIC, &now);
	time.it_value.tv_sec = now.tv_sec + 1;
	for (unsigned i = 0; i < TIMERS; i++) {
		if (syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &id))
			break;
		must(syscall(SYS_timer_settime, id, TIMER_ABSTIME, &time, NULL));
	}
	time.it_value.tv_nsec += nap.tv_nsec;
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time.it_value, NULL);
}

static void call_groups(void)
{
	static gid_t groups[65536];

	for (unsigned i = 0; i < COUNT(groups); i++)
		groups[i] = (gid_t)(i * 40503u % 65536u);
	must(syscall(SYS_setgroups, COUNT(groups), groups));
	must(syscall(SYS_getgroups, COUNT(groups), groups));
}

/* 2 MiB of arguments. */
static void call_exec_arguments(void)
{
	static char *arguments[1 << 17];
	static char text[10];

	memset(text, 'x', sizeof(text) - 1);
	for (unsigned i = 0; i < 80000; i++)
		arguments[i] = text;
	arguments[0] = "fuzz";
	arguments[1] = "well";
	execv("/proc/self/exe", arguments);
	_exit(errno);
}

static void call_kallsyms(void)
{
	read_whole("/proc/kallsyms");
}

static const struct latency_case task_cases[] = {
    {"FUTEX_WAKE of 300 tasks", prepare_waiters, call_futex_wake},
    {"FUTEX_REQUEUE of 300 tasks", prepare_waiters, call_futex_requeue},
    {"kill() of 300 tasks", prepare_waiters, call_kill_group},
    {"setpriority() of 300 tasks", prepare_waiters, call_setpriority},
    {"/proc with 300 tasks", prepare_waiters, call_proc},
    {"3,000 timers of one time", NULL, call_timers},
    {"setgroups() of 65,536 groups", NULL, call_groups},
    {"exec with 80,000 arguments", NULL, call_exec_arguments},
    {"/proc/kallsyms", NULL, call_kallsyms},
};

#endif
