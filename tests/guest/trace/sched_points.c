/* SPDX-License-Identifier: BSD-2-Clause */
/* The scheduler's events about a task that is preempted. */
#include "tests/guest/cpus.h"
#include "tests/guest/perf.h"
#include "tests/guest/trace/tracing.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#define NS_PER_MS 1000000l
#define SPIN_MS   20

static struct perf_record record;

static long processor_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec * 1000 * NS_PER_MS + now.tv_nsec;
}

/* Spins in ring 3, except for its reads of the clock. */
static void spin(long ns)
{
	long end = processor_ns() + ns;

	while (processor_ns() < end)
		for (volatile int i = 0; i < 20000; i++)
			;
}

static pid_t rival(void)
{
	pid_t child = fork();

	while (!child)
		;
	return child;
}

static uint64_t field_at(size_t offset)
{
	uint64_t value;

	memcpy(&value, (char *)record.words + 4 + offset, sizeof(value));
	return value;
}

/* Offsets of prev_pid and prev_state in sched_switch. */
#define PREV_PID   24
#define PREV_STATE 32

/* A reader of records has the program's name and mappings before the program's event. */
static void test_exec(void)
{
	struct perf_event_attr attr =
	    perf_attr(PERF_TYPE_TRACEPOINT, id_of("sched/sched_process_exec"));
	int go[2], named = 0, mapped = 0, told = 0;
	struct perf_ring ring;
	pid_t child;
	char byte;

	attr.sample_period = 1;
	attr.comm = attr.mmap = 1;
	if (pipe(go))
		exit(1);
	child = fork();
	if (!child) {
		close(go[1]);
		if (!read(go[0], &byte, 1))
			execl("/proc/self/exe", "self", "end", NULL);
		_exit(1);
	}
	perf_map(&ring, perf_open(&attr, child, -1, -1, 0), 16, PROT_READ | PROT_WRITE);
	close(go[0]);
	close(go[1]);
	waitpid(child, NULL, 0);
	while (perf_next(&ring, &record)) {
		named += !told && record.header.type == PERF_RECORD_COMM;
		mapped += !told && record.header.type == PERF_RECORD_MMAP;
		told += record.header.type == PERF_RECORD_SAMPLE;
	}
	is(told, 1, "an exec is told of");
	is(named, 1, "after the program's name");
	ok(mapped > 0, "exec's mappings are known before its event");
	perf_unmap(&ring);
}

static void test_switches(void)
{
	struct perf_event_attr attr = perf_attr(PERF_TYPE_TRACEPOINT, id_of("sched/sched_switch"));
	int fd, switches = 0, taken = 0;
	struct perf_ring ring;
	pid_t other = rival();

	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_RAW;
	attr.disabled = 1;
	fd = perf_open(&attr, 0, -1, -1, 0);
	perf_map(&ring, fd, 16, PROT_READ | PROT_WRITE);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	spin(SPIN_MS * NS_PER_MS);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	while (perf_next(&ring, &record))
		if (record.header.type == PERF_RECORD_SAMPLE &&
		    (pid_t)field_at(PREV_PID) == getpid()) {
			switches++;
			taken += field_at(PREV_STATE) == 0;
		}
	ok(switches > 0, "another takes the processor");
	ok(taken > 0, "a task preempted in ring 3 has the state R, not R+");
	perf_unmap(&ring);
	close(fd);
}

static void test_runtime(void)
{
	struct perf_event_attr attr =
	    perf_attr(PERF_TYPE_TRACEPOINT, id_of("sched/sched_stat_runtime"));
	int fd = perf_open(&attr, 0, -1, -1, 0);
	pid_t other = rival();
	long ran = processor_ns(), counted;

	spin(SPIN_MS * NS_PER_MS);
	counted = (long)perf_value(fd);
	ran = processor_ns() - ran;
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	ok(counted > ran / 4, "run time is counted by the nanosecond: %ld of %ld", counted, ran);
	ok(counted < 2 * ran, "sched_stat_runtime is not more than the time that ran");
	close(fd);
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "end"))
		return 0;
	mount_tracefs();
	place(0, 0);
	test_exec();
	test_switches();
	test_runtime();
	return tap_end();
}
