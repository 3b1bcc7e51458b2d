/* SPDX-License-Identifier: BSD-2-Clause */
/* What an ordinary user tries against the kernel, by calls that are allowed to all: nothing of the
 * kernel's changes. */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <linux/sched.h>
#include "credentials.h"

#define STACKS       0xffffc90000000000ul /* kernel stacks; on Linux the same region without KASLR */
#define STACK_PAGES  96
#define BELOW_TOP    (5 * 8ul) /* the saved RIP lies here in a system call's frame */
#define KERNEL       0xffffffff80200000ul
#define KERNEL_BYTES (2ul << 20)

static const char limit_file[] = "/proc/sys/kernel/perf_event_mlock_kb";

/* clone() writes the child's number to where the parent says. */
static void child_numbers(void)
{
	long failed = 0;

	become(USER);
	for (unsigned page = 1; page <= STACK_PAGES; page++) {
		uint64_t address = STACKS + page * 4096ul - BELOW_TOP;
		long pid = syscall(SYS_clone, CLONE_CHILD_SETTID | SIGCHLD, 0, 0, address, 0);

		if (!pid)
			_exit(0);
		failed += pid < 0 || waitpid((pid_t)pid, NULL, 0) != pid;
	}
	is(failed, 0, "clones whose number should go to kernel stacks run, and write nothing");
}

/* The list of futexes: an entry stands for the word that lies as far from the list's start as the
 * entry from entries[0]. */
static uint64_t entries[2000];

static struct {
	uint64_t next;
	int64_t offset;
	uint64_t pending;
} head;

static long read_limit(void)
{
	char text[32] = "";
	int fd = open(limit_file, O_RDONLY);

	read(fd, text, sizeof(text) - 1);
	close(fd);
	return atol(text);
}

static void write_limit(long value)
{
	int fd = open(limit_file, O_WRONLY);

	dprintf(fd, "%ld", value);
	close(fd);
}

/* Ends with a list over the kernel's words from `start` on, once it is told to. */
static void die_holding(uint64_t start, int told)
{
	char byte;

	become(USER);
	for (unsigned i = 0; i < 2000; i++)
		entries[i] = i + 1 < 2000 ? (uint64_t)&entries[i + 1] : (uint64_t)&head;
	head.next = (uint64_t)&entries[0];
	head.offset = (int64_t)(start - head.next);
	syscall(SYS_set_robust_list, &head, sizeof(head));
	read(told, &byte, 1);
	syscall(SYS_exit, 0);
}

/* A word of the kernel's that holds the number of a thread looks like a futex that it holds. */
static void futexes_in_the_kernel(void)
{
	long before = read_limit(), changed = 0, pid;
	unsigned turn = 0;
	int told[2];

	for (uint64_t at = 0; at < KERNEL_BYTES; at += turn % 2 ? sizeof(entries) : 0, turn++) {
		pipe(told);
		pid = fork();
		if (!pid)
			die_holding(KERNEL + at + turn % 2 * 4, told[0]);
		write_limit(pid);
		write(told[1], "x", 1);
		waitpid((pid_t)pid, NULL, 0);
		changed += read_limit() != pid;
		close(told[0]);
		close(told[1]);
	}
	write_limit(before);
	is(changed, 0, "no word of the kernel's is taken for a futex");
}

static void (*const parts[])(void) = {futexes_in_the_kernel, child_numbers};

int main(void)
{
	return run_parts(parts, sizeof(parts) / sizeof(parts[0]));
}
