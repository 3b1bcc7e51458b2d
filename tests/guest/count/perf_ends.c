/* SPDX-License-Identifier: BSD-2-Clause */
/* Events and ends: an open that fails at the last step, leaders that close or are removed by
 * exec, tasks that switch with a signal to come. */
#include "tests/guest/cpus.h"
#include "tests/guest/perf.h"
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#define LOOP   50000ul
#define OTHERS (400 * LOOP) /* much more than fork and wait take */

/* Instructions, or nanoseconds where there is no PMU. */
static struct perf_event_attr counting(void)
{
	if (have_hardware())
		return perf_user_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	return perf_user_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);
}

static struct perf_event_attr running(void)
{
	struct perf_event_attr attr = counting();

	attr.disabled = 0;
	return attr;
}

static void wait_a_bit(void)
{
	const struct timespec nap = {.tv_nsec = 2000000};

	nanosleep(&nap, NULL);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Whether the event counts what this task does now. */
static bool counts(int fd)
{
	uint64_t before = perf_value(fd);

	perf_loop(LOOP);
	return perf_value(fd) >= before + LOOP;
}

/* ---- an open that fails for want of a descriptor ---- */

static void no_descriptor_left(void)
{
	struct perf_event_attr attr = counting();
	struct rlimit before, none;
	uint64_t values[64] = {0};
	int leader, sibling, failed = 0;

	attr.read_format = PERF_FORMAT_GROUP;
	leader = perf_open(&attr, 0, -1, -1, 0);
	getrlimit(RLIMIT_NOFILE, &before);
	none = before;
	none.rlim_cur = (rlim_t)leader + 1;
	setrlimit(RLIMIT_NOFILE, &none);
	for (unsigned i = 0; i < 3; i++)
		failed += perf_try(&attr, 0, -1, leader, 0) == -EMFILE;
	setrlimit(RLIMIT_NOFILE, &before);
	is((uint64_t)failed, 3, "with no descriptor left nothing opens into a group");
	is((uint64_t)read(leader, values, sizeof(values)), 16, "the group is as before");
	is(values[0], 1, "EMFILE: the group has one event");
	sibling = perf_open(&attr, 0, -1, leader, 0);
	is((uint64_t)read(leader, values, sizeof(values)), 24,
	   "the group takes another event later");
	is(values[0], 2, "the group has two events");
	close(sibling);
	close(leader);
}

/* ---- leaders that close ---- */

/* A leader of this task, or (pid -1) of the first processor. */
static void disabled_leader(int pid, int cpu, const char *whose)
{
	struct perf_event_attr off = counting(), on = running();
	uint64_t values[3] = {0}, closing;
	int leader = perf_open(&off, pid, cpu, -1, 0), sibling;

	on.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED;
	sibling = perf_open(&on, pid, cpu, leader, 0);
	wait_a_bit();
	is(perf_value(sibling), 0, "a leader that is off keeps its sibling from counting");
	closing = now_ns();
	close(leader);
	read(sibling, values, sizeof(values));
	ok(values[1] < now_ns() - closing + 1000000,
	   "the time that the leader was off is not the sibling's");
	/* Linux lets it start when something else changes. */
	wait_a_bit();
	close(perf_open(&on, pid, cpu, -1, 0));
	ok(counts(sibling), "without the leader it counts (%s)", whose);
	close(sibling);
}

/* More pinned leaders than there are counters: one fails. */
static void failed_leader(void)
{
	struct perf_event_attr attr = running(), clock = running();
	int fds[64], sibling = -1;
	unsigned nr = 0;

	if (!have_hardware()) {
		skip("a pinned leader in error", "no PMU");
		return;
	}
	attr.config = PERF_COUNT_HW_BRANCH_INSTRUCTIONS;
	attr.pinned = 1;
	clock.type = PERF_TYPE_SOFTWARE;
	clock.config = PERF_COUNT_SW_TASK_CLOCK;
	while (nr < 64) {
		fds[nr++] = perf_open(&attr, 0, -1, -1, 0);
		sibling = perf_open(&clock, 0, -1, fds[nr - 1], 0);
		if (perf_value(fds[nr - 1]) == 0)
			break;
		close(sibling);
	}
	is(perf_value(sibling), 0, "a pinned leader in error keeps its sibling from counting");
	close(fds[--nr]);
	wait_a_bit();
	ok(counts(sibling), "without the leader it counts");
	close(sibling);
	while (nr)
		close(fds[--nr]);
}

/* ---- leaders that exec removes ---- */

/* The program that a child of this one executes, with the leader and its sibling. */
static int executed(int leader, int sibling)
{
	uint64_t before;
	int child, status = 0;

	if (!counts(sibling))
		status |= 1;
	before = perf_value(sibling);
	child = fork();
	if (!child) {
		perf_loop(OTHERS);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	if (perf_value(sibling) > before + OTHERS / 2)
		status |= 2;
	close(leader);
	if (!counts(sibling))
		status |= 4;
	close(sibling);
	return status;
}

/* Status of the program whose leader `removed` says to remove. */
static int execute(const char *self, bool sibling_too)
{
	struct perf_event_attr attr = running();
	char leader_text[16], sibling_text[16];
	int leader, sibling, status = -1, child = fork();

	if (!child) {
		attr.read_format = PERF_FORMAT_GROUP;
		attr.remove_on_exec = 1;
		leader = perf_open(&attr, 0, -1, -1, 0);
		attr.remove_on_exec = sibling_too;
		attr.read_format = sibling_too ? PERF_FORMAT_GROUP : 0;
		sibling = perf_open(&attr, 0, -1, leader, 0);
		snprintf(leader_text, sizeof(leader_text), "%d", leader);
		snprintf(sibling_text, sizeof(sibling_text), "%d", sibling);
		execl(self, self, sibling_too ? "group" : "sibling", leader_text, sibling_text,
		      (char *)NULL);
		_exit(99);
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* An event that exec removed is mapped, and closed: it is in no list of the task's. */
static int map_removed(int fd)
{
	struct perf_ring ring;

	perf_map(&ring, fd, 1, PROT_READ | PROT_WRITE);
	perf_unmap(&ring);
	close(fd);
	for (unsigned i = 0; i < 3; i++) /* switches look at the lists */
		wait_a_bit();
	return 0;
}

static int execute_mapped(const char *self)
{
	struct perf_event_attr attr = perf_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
	int status = -1, child = fork();
	char text[16];

	if (!child) {
		attr.remove_on_exec = 1;
		snprintf(text, sizeof(text), "%d", perf_open(&attr, 0, -1, -1, 0));
		execl(self, self, "mapped", text, text, (char *)NULL);
		_exit(99);
	}
	waitpid(child, &status, 0);
	return status;
}

/* All of the group is gone, and its counts no longer change. */
static int executed_group(int leader)
{
	uint64_t first[4] = {0}, second[4] = {0};
	long bytes = read(leader, first, sizeof(first));

	perf_loop(LOOP);
	read(leader, second, sizeof(second));
	if (bytes != 16 || first[0] != 1)
		return 1;
	return first[1] == second[1] ? 0 : 2;
}

static void removed_leader(const char *self)
{
	int status = execute(self, false);

	ok(status >= 0 && !(status & 1), "a sibling whose leader exec removes goes on counting");
	ok(status >= 0 && !(status & 2), "exec removes its own task's events, not another's");
	ok(status >= 0 && !(status & 4), "exec after the leader was closed");
	is((uint64_t)execute(self, true), 0, "a group that exec removes falls apart, and stands");
	is((uint64_t)execute_mapped(self), 0, "an event that exec removed is mapped, and closed");
}

/* ---- a fork that fails after events were inherited ---- */

static void failed_clone(void)
{
	struct perf_event_attr attr = running();
	struct rlimit before, none;
	uint64_t bytes[2] = {0};
	long failed = 0;
	int fd, pidfd;

	attr.inherit = 1;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED;
	fd = perf_open(&attr, 0, -1, -1, 0);
	getrlimit(RLIMIT_NOFILE, &before);
	none = before;
	none.rlim_cur = (rlim_t)fd + 1;
	setrlimit(RLIMIT_NOFILE, &none);
	for (unsigned i = 0; i < 100; i++)
		failed += syscall(SYS_clone, 0x1000 | SIGCHLD, 0, &pidfd, 0, 0) < 0;
	setrlimit(RLIMIT_NOFILE, &before);
	is((uint64_t)failed, 100, "clone without a descriptor for its pidfd fails");
	read(fd, bytes, sizeof(bytes));
	ok(counts(fd), "a failed clone's inherited event is gone, and the event counts");
	close(fd);
}

/* ---- signals of events ---- */

static volatile unsigned traps;

static void on_trap(int signo)
{
	(void)signo;
	traps++;
}

/* The sample of a switch is the task's own, though another one runs when its signal is sent. */
static void trap_of_a_switch(void)
{
	struct perf_event_attr attr = perf_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES);
	int fd;

	attr.sample_period = attr.sigtrap = attr.remove_on_exec = 1;
	signal(SIGTRAP, on_trap);
	fd = perf_open(&attr, 0, -1, -1, 0);
	for (unsigned i = 0; i < 3; i++)
		wait_a_bit();
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	close(fd);
	ok(traps >= 3, "each switch sends its event's signal (%u of 3)", traps);
}

static void drop_capability(unsigned capability)
{
	struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct data[2];

	syscall(SYS_capget, &header, data);
	data[capability / 32].effective &= ~(1u << capability % 32);
	syscall(SYS_capset, &header, data);
}

/* The right to watch a task is not the right to send it signals. */
static void trap_of_another(void)
{
	struct perf_event_attr attr = counting();
	int status, child, watcher, other;

	other = fork();
	if (!other) {
		syscall(SYS_setresuid, 1000, 1000, 1000);
		for (;;)
			wait_a_bit();
	}
	wait_a_bit();
	attr.sample_period = 100000;
	watcher = fork();
	if (!watcher) {
		drop_capability(CAP_SYS_PTRACE);
		status = perf_try(&attr, other, -1, -1, 0) < 0;
		attr.sigtrap = attr.remove_on_exec = 1;
		status |= (perf_try(&attr, other, -1, -1, 0) < 0) << 1;
		drop_capability(CAP_KILL);
		status |= (perf_try(&attr, other, -1, -1, 0) != -EACCES) << 2;
		_exit(status);
	}
	child = waitpid(watcher, &status, 0);
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	is(child == watcher ? (uint64_t)WEXITSTATUS(status) : 99, 0,
	   "signals to another task's events need the right to send it signals");
}

/* A task that has ended takes no more events, even before its parent has waited for it. */
static void ended_task(void)
{
	struct perf_event_attr attr = counting();
	siginfo_t info;
	pid_t child = fork();

	if (!child)
		_exit(0);
	waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
	is(perf_try(&attr, child, -1, -1, 0), -ESRCH, "an event of a task that has ended");
	waitpid(child, NULL, 0);
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc > 3 && !strcmp(argv[1], "sibling"))
		return executed(atoi(argv[2]), atoi(argv[3]));
	if (argc > 3 && !strcmp(argv[1], "group"))
		return executed_group(atoi(argv[2]));
	if (argc > 3 && !strcmp(argv[1], "mapped"))
		return map_removed(atoi(argv[2]));
	no_descriptor_left();
	place(0, 0);
	disabled_leader(0, -1, "of a task");
	disabled_leader(-1, 0, "of a processor");
	failed_leader();
	removed_leader("/proc/self/exe");
	failed_clone();
	trap_of_a_switch();
	trap_of_another();
	ended_task();
	return tap_end();
}
