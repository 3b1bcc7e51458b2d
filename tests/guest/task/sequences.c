/* SPDX-License-Identifier: BSD-2-Clause */
/* Restartable sequences: rseq(2). */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/guest/tap.h"

#define SIGNATURE 0x53053053u
#define BYTES     32

struct area {
	uint32_t start, cpu;
	uint64_t sequence;
	uint32_t flags, padding[3];
} __attribute__((aligned(32)));

struct sequence {
	uint32_t version, flags;
	uint64_t start, length, abort;
} __attribute__((aligned(32)));

static struct area area, other;

static long rseq(struct area *at, uint32_t bytes, int flags, uint32_t signature)
{
	long value = syscall(SYS_rseq, at, bytes, flags, signature);

	return value < 0 ? -errno : value;
}

static void test_calls(void)
{
	is(rseq(&area, 31, 0, SIGNATURE), -EINVAL, "an area has 32 bytes");
	is(rseq((struct area *)((char *)&area + 8), BYTES, 0, SIGNATURE), -EINVAL,
	   "an area of rseq that is not aligned: EINVAL");
	is(rseq(&area, BYTES, 2, SIGNATURE), -EINVAL, "rseq with an unknown flag: EINVAL");
	is(rseq(&area, BYTES, 1, SIGNATURE), -EINVAL, "unregistering without an area: EINVAL");
	is(rseq(&area, BYTES, 0, SIGNATURE), 0, "an area is registered");
	ok(area.cpu == (uint32_t)sched_getcpu() && area.start == area.cpu,
	   "the area names the processor");
	is(rseq(&area, BYTES, 0, SIGNATURE), -EBUSY, "not twice");
	is(rseq(&area, BYTES, 0, SIGNATURE + 1), -EPERM,
	   "registering with another signature: EPERM");
	is(rseq(&other, BYTES, 0, SIGNATURE), -EINVAL, "registering another area: EINVAL");
	is(rseq(&other, BYTES, 1, SIGNATURE), -EINVAL, "unregistering another area: EINVAL");
	is(rseq(&area, BYTES, 1, SIGNATURE + 1), -EPERM, "the signature is asked for");
	is(rseq(&area, BYTES, 1, SIGNATURE), 0, "the area is unregistered");
	is((int)area.cpu, -1, "an unregistered area has processor -1");
	is(rseq(&area, BYTES, 0, SIGNATURE), 0, "the area is registered again");
}

/*
 * Turns inside of a sequence until it is aborted, or `flag` is set, or 2^31 turns are over; returns
 * 1 when it was aborted. `bad`: the signature is wrong.
 */
static int turn(struct area *at, volatile int *flag, int bad)
{
	static struct sequence sequence;
	int aborted;

	__asm__ volatile("lea 1f(%%rip), %%rax\n\t"
			 "mov %%rax, 8(%2)\n\t"
			 "lea 2f(%%rip), %%rcx\n\t"
			 "sub %%rax, %%rcx\n\t"
			 "mov %%rcx, 16(%2)\n\t"
			 "lea 4f(%%rip), %%rax\n\t"
			 "add %4, %%rax\n\t"
			 "mov %%rax, 24(%2)\n\t"
			 "mov $0x7fffffff, %%ecx\n\t"
			 "mov %2, 8(%1)\n"
			 "1:\n\t"
			 "cmpl $0, (%3)\n\t"
			 "jne 2f\n\t"
			 "dec %%ecx\n\t"
			 "jnz 1b\n"
			 "2:\n\t"
			 "xor %0, %0\n\t"
			 "jmp 5f\n\t"
			 ".byte 0x0f, 0xb9, 0x3d\n\t"
			 ".long 0x53053053\n"
			 "4:\n\t"
			 "nop\n\t"
			 "mov $1, %0\n"
			 "5:\n\t"
			 : "=&r"(aborted)
			 : "r"(at), "r"(&sequence), "r"(flag), "r"((long)bad)
			 : "rax", "rcx", "memory", "cc");
	return aborted;
}

static volatile int over;
static volatile uint64_t seen;

static void handler(int signo)
{
	(void)signo;
	seen = area.sequence;
}

/* Again and again; 0: no more. */
static void alarm_every(long us)
{
	const struct itimerval timer = {{0, us}, {0, us}};

	setitimer(ITIMER_REAL, &timer, NULL);
}

static void test_signal(void)
{
	struct sigaction action = {.sa_handler = handler};
	uint64_t left;
	int aborted;

	sigaction(SIGALRM, &action, NULL);
	seen = 1;
	alarm_every(3000);
	do /* another task may end it first */
		aborted = turn(&area, &over, 0);
	while (aborted == 1 && seen == 1);
	is(aborted, 1, "a signal ends a sequence");
	ok(!seen && !area.sequence, "before its handler");
	alarm_every(0);
	over = 1;
	aborted = turn(&area, &over, 0);
	left = area.sequence;
	ok(!aborted && left, "an undisturbed sequence comes to its end");
	alarm_every(1000);
	for (int i = 0; i < 1000 && area.sequence; i++)
		usleep(100);
	alarm_every(0);
	is((long)area.sequence, 0, "a finished sequence is forgotten later");
	over = 0;
}

/* A child that shares the processor takes turns. */
static void test_switch(void)
{
	volatile int *stop =
	    mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	cpu_set_t one;
	pid_t child;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	sched_setaffinity(0, sizeof(one), &one);
	child = fork();
	if (!child) {
		while (!*stop)
			;
		_exit(0);
	}
	is(turn(&area, &over, 0), 1, "a switch aborts a sequence");
	*stop = 1;
	waitpid(child, NULL, 0);
}

/* Returns the signal that ends a child with an invalid sequence. */
static int ends_by(int what)
{
	int status;
	pid_t child = fork();

	if (!child) {
		signal(SIGALRM, SIG_IGN);
		signal(SIGALRM, handler);
		if (what == 1)
			area.sequence = 0x10;
		else if (what == 2)
			area.sequence = 1ul << 63;
		alarm_every(3000);
		if (what == 3)
			turn(&area, &over, 1);
		else
			for (uint64_t i = 0; i < 1ul << 31; i++)
				__asm__ volatile("");
		_exit(0);
	}
	waitpid(child, &status, 0);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void test_nonsense(void)
{
	is(ends_by(1), SIGSEGV, "a sequence that cannot be read");
	is(ends_by(2), SIGSEGV, "a sequence at an unmapped address: SIGSEGV");
	is(ends_by(3), SIGSEGV, "a sequence without its signature: SIGSEGV");
}

static void test_children(void)
{
	int status;
	pid_t child = fork();

	if (!child)
		_exit(rseq(&area, BYTES, 0, SIGNATURE) != -EBUSY || area.cpu > 64);
	waitpid(child, &status, 0);
	is(status, 0, "a child has its parent's");
	child = vfork();
	if (!child)
		_exit(rseq(&other, BYTES, 0, SIGNATURE) ? 1 : 0);
	waitpid(child, &status, 0);
	is(status, 0, "a child that shares memory has no area");
}

static void *move(void *unused)
{
	long wrong = 0;
	struct area own;

	(void)unused;
	memset(&own, 0, sizeof(own));
	if (rseq(&own, BYTES, 0, SIGNATURE))
		return (void *)-1;
	for (int i = 0; i < 200; i++) {
		cpu_set_t one;

		CPU_ZERO(&one);
		CPU_SET(i % 2, &one);
		if (sched_setaffinity(0, sizeof(one), &one))
			continue;
		wrong += *(volatile uint32_t *)&own.cpu != (uint32_t)(i % 2);
	}
	rseq(&own, BYTES, 1, SIGNATURE);
	return (void *)wrong;
}

#ifndef __GLIBC__
static void test_processors(void)
{
	pthread_t thread;
	void *wrong;

	pthread_create(&thread, NULL, move, NULL);
	pthread_join(thread, &wrong);
	is((intptr_t)wrong, 0, "a thread that moves finds where it is");
}
#endif

int main(void)
{
#ifdef __GLIBC__
	(void)test_calls, (void)test_signal, (void)test_switch, (void)test_nonsense;
	(void)test_children, (void)move;
	ok(rseq(&area, BYTES, 0, SIGNATURE) == -EINVAL ||
	       rseq(&area, BYTES, 0, SIGNATURE) == -EBUSY,
	   "the C library has registered its own");
	for (int i = 0; i < 64; i++) {
		cpu_set_t one;

		CPU_ZERO(&one);
		CPU_SET(i % 4, &one);
		if (!sched_setaffinity(0, sizeof(one), &one) && sched_getcpu() != i % 4)
			ok(false, "the C library's area names the processor: %d", sched_getcpu());
	}
#else
	test_calls();
	test_signal();
	test_switch();
	test_nonsense();
	test_children();
	test_processors();
#endif
	return tap_end();
}
