/* SPDX-License-Identifier: BSD-2-Clause */
/* Helpers of the programs that trace others: the call, stops, ends, children that request it. */
#ifndef TESTS_GUEST_PTRACE_TRACED_H
#define TESTS_GUEST_PTRACE_TRACED_H

#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/guest/tap.h"

#define EVENT(event) (SIGTRAP | (event) << 8)

static inline long trace(int request, pid_t pid, uintptr_t address, uintptr_t data)
{
	long result = syscall(SYS_ptrace, request, pid, address, data);

	return result < 0 ? -errno : result;
}

/* The child's next stop: its code (signal and event), or -1. */
static inline int stop_of(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, __WALL) != pid || !WIFSTOPPED(status))
		return -1;
	return status >> 8;
}

/* How it ended: the exit status, or 128 and its signal; -1: it did not. */
static inline int end_of(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, __WALL) != pid)
		return -1;
	return WIFEXITED(status)     ? WEXITSTATUS(status)
	       : WIFSIGNALED(status) ? 128 + WTERMSIG(status)
				     : -1;
}

/* A child that asks to be traced, stops, and then does its work. */
static inline pid_t child_that(void (*work)(void))
{
	pid_t pid = fork();

	if (pid)
		return pid;
	trace(PTRACE_TRACEME, 0, 0, 0);
	kill(getpid(), SIGSTOP);
	work();
	_exit(0);
}

static inline struct user_regs_struct registers(pid_t pid)
{
	struct user_regs_struct regs = {0};

	trace(PTRACE_GETREGS, pid, 0, (uintptr_t)&regs);
	return regs;
}

#endif
