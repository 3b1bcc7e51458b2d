/* SPDX-License-Identifier: BSD-2-Clause */
/* The lives of tracers and tracees: children, threads, seized tasks, tracers that die, users:
 * ptrace(2). */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include "tests/guest/ptrace/traced.h"

static void fork_and_exec(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(2);
	waitpid(pid, NULL, 0);
	pid = vfork();
	if (!pid)
		_exit(2);
	waitpid(pid, NULL, 0);
	execl("/proc/self/exe", "ptrace", "leave", NULL);
	_exit(1);
}

static void test_events(void)
{
	pid_t pid = child_that(fork_and_exec);
	unsigned long message = 0;

	stop_of(pid);
	trace(PTRACE_SETOPTIONS, pid, 0,
	      PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEVFORKDONE |
		  PTRACE_O_TRACEEXEC | PTRACE_O_TRACEEXIT);
	trace(PTRACE_CONT, pid, 0, 0);
	is(stop_of(pid), EVENT(PTRACE_EVENT_FORK), "fork is an event");
	is(trace(PTRACE_GETEVENTMSG, pid, 0, (uintptr_t)&message), 0,
	   "PTRACE_EVENT_FORK has a message");
	is(stop_of((pid_t)message), SIGSTOP, "the child, which is traced as well");
	trace(PTRACE_CONT, (pid_t)message, 0, 0);
	is(stop_of((pid_t)message), EVENT(PTRACE_EVENT_EXIT), "up to its end");
	trace(PTRACE_CONT, (pid_t)message, 0, 0);
	trace(PTRACE_CONT, pid, 0, 0);
	is(end_of((pid_t)message), 2, "the tracer sees the forked child's end");
	is(stop_of(pid), SIGCHLD, "then the parent");
	trace(PTRACE_CONT, pid, 0, SIGCHLD);
	is(stop_of(pid), EVENT(PTRACE_EVENT_VFORK), "vfork is another");
	trace(PTRACE_GETEVENTMSG, pid, 0, (uintptr_t)&message);
	trace(PTRACE_CONT, pid, 0, 0);
	stop_of((pid_t)message);
	trace(PTRACE_DETACH, (pid_t)message, 0, 0);
	is(stop_of(pid), EVENT(PTRACE_EVENT_VFORK_DONE), "PTRACE_EVENT_VFORK_DONE follows vfork");
	trace(PTRACE_CONT, pid, 0, 0);
	is(stop_of(pid), SIGCHLD, "a child that was let go ends as its parent's");
	trace(PTRACE_CONT, pid, 0, 0);
	is(stop_of(pid), EVENT(PTRACE_EVENT_EXEC), "execve is one");
	trace(PTRACE_GETEVENTMSG, pid, 0, (uintptr_t)&message);
	is((long)message, pid, "PTRACE_EVENT_EXEC has the thread that called");
	trace(PTRACE_CONT, pid, 0, 0);
	is(stop_of(pid), EVENT(PTRACE_EVENT_EXIT), "the end is one");
	trace(PTRACE_GETEVENTMSG, pid, 0, (uintptr_t)&message);
	is((long)message, 11 << 8, "PTRACE_EVENT_EXIT has the status");
	trace(PTRACE_CONT, pid, 0, 0);
	is(end_of(pid), 11, "the process ends with that status");
}

static volatile pid_t thread_id;

static void *thread_main(void *argument)
{
	(void)argument;
	thread_id = (pid_t)syscall(SYS_gettid);
	return NULL;
}

static void make_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, thread_main, NULL);
	pthread_join(thread, NULL);
	while (!syscall(SYS_tgkill, getpid(), thread_id, 0)) /* until its tracer has seen its end */
		sched_yield();
	_exit(12);
}

static void test_threads(void)
{
	pid_t pid = child_that(make_thread);
	unsigned long thread = 0;
	int code;

	stop_of(pid);
	trace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACECLONE);
	trace(PTRACE_CONT, pid, 0, 0);
	is(stop_of(pid), EVENT(PTRACE_EVENT_CLONE), "a thread is an event");
	trace(PTRACE_GETEVENTMSG, pid, 0, (uintptr_t)&thread);
	code = stop_of((pid_t)thread);
	is(code, SIGSTOP, "a new thread waits for its tracer");
	is((long)syscall(SYS_tgkill, pid, (pid_t)thread, 0), 0, "the thread is one of the process");
	trace(PTRACE_CONT, (pid_t)thread, 0, 0);
	trace(PTRACE_CONT, pid, 0, 0);
	is(end_of((pid_t)thread), 0, "the tracer sees the thread's end");
	is(end_of(pid), 12, "before that of the process");
}

/* Seizing: no stop, interruptions, group stops, listening. */
static void test_seize(void)
{
	int status, ends[2];
	siginfo_t info;
	pid_t pid;
	char byte;

	pipe(ends);
	pid = fork();
	if (!pid) {
		for (;;)
			read(ends[0], &byte, 1);
	}
	usleep(50000); /* it reads */
	is(trace(PTRACE_SEIZE, pid, 1, 0), -EIO, "PTRACE_SEIZE has no address");
	is(trace(PTRACE_SEIZE, pid, 0, PTRACE_O_TRACESYSGOOD), 0, "a process is seized");
	is(waitpid(pid, &status, WNOHANG | __WALL), 0, "PTRACE_SEIZE does not stop the process");
	is(trace(PTRACE_INTERRUPT, pid, 0, 0), 0, "before it is interrupted");
	is(stop_of(pid), EVENT(PTRACE_EVENT_STOP), "PTRACE_EVENT_STOP");
	is((long)registers(pid).orig_rax, SYS_read,
	   "PTRACE_INTERRUPT stops in the middle of a call");
	is((long)registers(pid).rax, -512, "the interrupted call is to be restarted");
	trace(PTRACE_SYSCALL, pid, 0, 0);
	is(stop_of(pid), SIGTRAP | 0x80, "the tracer sees the call's restart");
	trace(PTRACE_CONT, pid, 0, 0);
	kill(pid, SIGSTOP);
	is(stop_of(pid), SIGSTOP, "SIGSTOP");
	trace(PTRACE_CONT, pid, 0, SIGSTOP);
	is(stop_of(pid), SIGSTOP | PTRACE_EVENT_STOP << 8, "makes a group stop");
	trace(PTRACE_GETSIGINFO, pid, 0, (uintptr_t)&info);
	is(info.si_code, SIGSTOP | PTRACE_EVENT_STOP << 8,
	   "a group stop's siginfo differs from the signal's");
	is(trace(PTRACE_LISTEN, pid, 0, 0), 0, "PTRACE_LISTEN of a group stop");
	is(trace(PTRACE_CONT, pid, 0, 0), -ESRCH, "PTRACE_CONT of a listening tracee: ESRCH");
	kill(pid, SIGCONT);
	is(stop_of(pid), EVENT(PTRACE_EVENT_STOP), "PTRACE_EVENT_STOP ends the listening");
	trace(PTRACE_CONT, pid, 0, 0);
	is(stop_of(pid), SIGCONT, "SIGCONT ends the group stop");
	trace(PTRACE_CONT, pid, 0, SIGCONT);
	kill(pid, SIGKILL);
	is(end_of(pid), 128 + SIGKILL, "SIGKILL ends the seized process");
	close(ends[0]);
	close(ends[1]);
}

/* A dying tracer detaches its tracees, or kills them. */
static void test_tracer_dies(void)
{
	int ends[2], status;
	pid_t pid, tracer;
	char byte = 0;

	pipe(ends);
	for (int kill_too = 0; kill_too < 2; kill_too++) {
		pid = fork();
		if (!pid) {
			read(ends[0], &byte, 1);
			_exit(13);
		}
		tracer = fork();
		if (!tracer) {
			trace(PTRACE_SEIZE, pid, 0, kill_too ? PTRACE_O_EXITKILL : 0);
			trace(PTRACE_INTERRUPT, pid, 0, 0);
			waitpid(pid, &status, __WALL);
			_exit(WSTOPSIG(status) == SIGTRAP ? 14 : 15);
		}
		is(end_of(tracer), 14, "a tracer that is no parent waits for a stop, and dies");
		write(ends[1], "", 1);
		is(end_of(pid), kill_too ? 128 + SIGKILL : 13,
		   kill_too ? "PTRACE_O_EXITKILL: its tracee dies" : "its tracee goes on");
		if (kill_too)
			read(ends[0], &byte, 1);
	}
}

static void attach_as(const char *what, bool allowed, pid_t pid)
{
	long result = trace(PTRACE_ATTACH, pid, 0, 0);

	is(result, allowed ? 0 : -EPERM, what);
	if (!result) {
		stop_of(pid);
		trace(PTRACE_DETACH, pid, 0, 0);
	}
}

/* Users: by the rules of process_vm_readv. */
static void test_users(void)
{
	pid_t root = fork(), same, child;
	int status;

	if (!root)
		for (;;)
			pause();
	same = fork();
	if (!same) {
		setresuid(1000, 1000, 1000);
		execl("/proc/self/exe", "ptrace", "wait", NULL);
	}
	usleep(20000);
	attach_as("root traces anybody", true, same);
	child = fork();
	if (!child) {
		tap_failed = 0;
		setresgid(1000, 1000, 1000);
		setresuid(1000, 1000, 1000);
		_exit(trace(PTRACE_ATTACH, root, 0, 0) == -EPERM &&
			      trace(PTRACE_ATTACH, 1, 0, 0) == -EPERM &&
			      trace(PTRACE_ATTACH, same, 0, 0) == -EPERM
			  ? 0
			  : 1);
	}
	waitpid(child, &status, 0);
	is(status, 0, "a user traces neither root nor who has other groups");
	kill(root, SIGKILL);
	kill(same, SIGKILL);
	end_of(root);
	end_of(same);
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "leave"))
		return 11;
	while (argc > 1)
		pause();
	test_events();
	test_threads();
	test_seize();
	test_tracer_dies();
	test_users();
	return tap_end();
}
