/* SPDX-License-Identifier: BSD-2-Clause */
/* Tracing a task that is about to execute a program with set-user-ID bits, however long that
 * takes: execve(2), ptrace(2). */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include "tests/guest/copy_self.h"
#include "tests/guest/ptrace/traced.h"

#define PROGRAM "/tmp/set-user-id"
#define USER    1000
#define LARGE   (16ul << 20) /* takes some time to give back */

static useconds_t delay_us;
static int told[2], go[2]; /* pipes: from the program, to it */

/* Root's program: prints its user and waits. */
static int as_program(void)
{
	char who = geteuid() ? 'u' : 'r';

	write(3, &who, 1);
	read(4, &who, 1);
	return 0;
}

static void execute(void)
{
	dup2(told[1], 3);
	dup2(go[0], 4);
	execl(PROGRAM, PROGRAM, "program", NULL);
	_exit(1);
}

static void become_user(void)
{
	setresgid(USER, USER, USER);
	setresuid(USER, USER, USER);
	prctl(PR_SET_DUMPABLE, 1);
}

static void *wait_for_ever(void *thread)
{
	*(volatile pid_t *)thread = (pid_t)syscall(SYS_gettid);
	for (;;)
		pause();
	return NULL;
}

/* Waits for a byte, then executes while it has another thread, whose number it reports. */
static void with_thread(volatile pid_t *number)
{
	pthread_t thread;
	char byte;

	pthread_create(&thread, NULL, wait_for_ever, (void *)number);
	read(go[0], &byte, 1);
	execute();
}

/* A tracer that holds up the end of the other thread, and with it the execution, while a second one
 * asks for the task. Exit status: 0 that one was refused, by EPERM, and the program is root's. */
static void hold_up(void)
{
	volatile pid_t *thread =
	    mmap(NULL, sizeof(*thread), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t child, second;
	char who = 0;
	int refused;

	become_user();
	child = fork();
	if (!child)
		with_thread(thread);
	while (!*thread)
		usleep(100);
	if (trace(PTRACE_SEIZE, *thread, 0, PTRACE_O_TRACEEXIT))
		_exit(10);
	write(go[1], "g", 1);
	if (stop_of(*thread) != EVENT(PTRACE_EVENT_EXIT))
		_exit(11);
	second = fork();
	if (!second)
		_exit(trace(PTRACE_SEIZE, child, 0, 0) == -EPERM ? 0 : 1);
	usleep(50000);
	trace(PTRACE_CONT, *thread, 0, 0);
	end_of(*thread);
	read(told[0], &who, 1);
	refused = end_of(second);
	write(go[1], "e", 1);
	_exit(who != 'r' ? 12 : refused);
}

static void touch(void)
{
	char *memory =
	    mmap(NULL, LARGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (size_t at = 0; at < LARGE; at += 4096)
		memory[at] = 1;
}

/* A tracer that comes so long after the execution has begun, while the task gives back its memory.
 * Exit status: 0 it is no tracer of a program that is root's. */
static void come_between(void)
{
	pid_t child;
	char who = 0;
	long result;

	become_user();
	child = fork();
	if (!child) {
		touch();
		write(told[1], "t", 1);
		execute();
	}
	read(told[0], &who, 1);
	usleep(delay_us);
	result = trace(PTRACE_SEIZE, child, 0, 0);
	read(told[0], &who, 1);
	write(go[1], "e", 1);
	_exit(result == 0 && who == 'r' ? 1 : 0);
}

static int status_of(void (*tracer)(void))
{
	pid_t pid;
	int status;

	if (pipe(told) || pipe(go))
		return -1;
	pid = fork();
	if (!pid)
		tracer();
	status = end_of(pid);
	close(told[0]);
	close(told[1]);
	close(go[0]);
	close(go[1]);
	return status;
}

int main(int argc, char **argv)
{
	long came = 0;

	(void)argv;
	if (argc > 1)
		return as_program();
	copy_self(PROGRAM);
	chmod(PROGRAM, 04755);
	is(status_of(hold_up), 0, "no tracer attaches while execve() to root's waits for threads");
	for (delay_us = 0; delay_us < 2000; delay_us += 200)
		came += status_of(come_between);
	is(came, 0, "no tracer attaches while execve() to root's frees memory");
	unlink(PROGRAM);
	return tap_end();
}
