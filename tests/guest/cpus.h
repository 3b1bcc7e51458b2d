/* SPDX-License-Identifier: BSD-2-Clause */
/* Which processors a test runs on. Included first: it asks for GNU's declarations. */
#ifndef TESTS_GUEST_CPUS_H
#define TESTS_GUEST_CPUS_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CPUS_MAX     512
#define TEST_SECONDS 500 /* until an alarm ends a test that hangs; a host may be slow */

/* Places a task (0: the caller) on one processor; 0 or -1. */
static inline int place(int tid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(tid, sizeof(set), &set);
}

/* The processors that the caller may use, in `list`; returns how many. */
static inline int usable_cpus(int list[CPUS_MAX])
{
	cpu_set_t set;
	int n = 0;

	sched_getaffinity(0, sizeof(set), &set);
	for (int cpu = 0; cpu < CPUS_MAX; cpu++)
		if (CPU_ISSET(cpu, &set))
			list[n++] = cpu;
	return n;
}

static inline int current_cpu(void)
{
	unsigned cpu = 0;

	syscall(SYS_getcpu, &cpu, NULL, NULL);
	return (int)cpu;
}

/* Keeps this task, and its children, on the first processor that it may use. */
static inline void stay_on_one_processor(void)
{
	int list[CPUS_MAX];

	usable_cpus(list);
	place(0, list[0]);
}

static inline void start(pthread_t *thread, void *(*fn)(void *), void *argument)
{
	if (pthread_create(thread, NULL, fn, argument)) {
		perror("pthread_create");
		exit(1);
	}
}

/* /proc/interrupts: the number in the column of `cpu` of the row that begins with `name`, or -1. */
static inline long interrupts(const char *name, int cpu)
{
	FILE *file = fopen("/proc/interrupts", "r");
	char line[2048];
	long count = -1;

	while (file && fgets(line, sizeof(line), file)) {
		char *at = line;

		if (strncmp(line, name, strlen(name)))
			continue;
		at += strlen(name);
		for (int i = 0; i <= cpu; i++)
			count = strtol(at, &at, 10);
	}
	if (file)
		fclose(file);
	return count;
}

#endif
