/* SPDX-License-Identifier: BSD-2-Clause */
/* Debug registers that a tracer writes: the accesses that stop its tracee, and refusals. */
#define _GNU_SOURCE
#include <stddef.h>
#include "tests/guest/ptrace/traced.h"

static volatile uint64_t watched[4];

static __attribute__((noinline)) void touched(void)
{
	__asm__ volatile("" ::: "memory");
}

static void touch(void)
{
	watched[0] = 5;
	watched[1] = watched[2];
	((volatile char *)watched)[3] = 1;
	touched();
	_exit(9);
}

static long debug_set(pid_t pid, unsigned number, uint64_t value)
{
	return trace(PTRACE_POKEUSER, pid, offsetof(struct user, u_debugreg[number]), value);
}

static uint64_t debug_get(pid_t pid, unsigned number)
{
	uint64_t word = 0;

	trace(PTRACE_PEEKUSER, pid, offsetof(struct user, u_debugreg[number]), (uintptr_t)&word);
	return word;
}

/* Continues the tracee to the next hit, which must be of register `number`. */
static void expect_hit(pid_t pid, unsigned number, const char *what)
{
	siginfo_t info = {0};

	debug_set(pid, 6, 0);
	trace(PTRACE_CONT, pid, 0, 0);
	is(stop_of(pid), SIGTRAP, what);
	trace(PTRACE_GETSIGINFO, pid, 0, (uintptr_t)&info);
	is(info.si_code, TRAP_HWBKPT, "a hit's siginfo is TRAP_HWBKPT");
	is((long)(debug_get(pid, 6) & 0xf), 1 << number, "DR6 says which");
}

#define LOCAL(n)              (1ul << 2 * (n))
#define WATCH(n, use, length) (LOCAL(n) | ((length) << 2 | (use)) << (16 + 4 * (n)))

static void test_watching(void)
{
	/* Eight bytes written, any use of eight, execution. */
	const uint64_t control = WATCH(0, 1ul, 2ul) | WATCH(1, 3ul, 2ul) | WATCH(3, 0ul, 0ul);
	pid_t pid = child_that(touch);

	stop_of(pid);
	is((long)debug_get(pid, 7), 0, "nothing is watched");
	is(debug_set(pid, 0, (uintptr_t)&watched[0]), 0, "an address");
	is(debug_set(pid, 1, (uintptr_t)&watched[2]), 0, "another one");
	is(debug_set(pid, 3, (uintptr_t)touched), 0, "a function's");
	is(debug_set(pid, 7, control), 0, "DR7");
	is((long)debug_get(pid, 7), (long)control, "reads as it was written");
	is((long)debug_get(pid, 0), (long)&watched[0], "an address is read back");
	expect_hit(pid, 0, "a write stops it");
	is(trace(PTRACE_PEEKDATA, pid, (uintptr_t)&watched[0], (uintptr_t)&watched[3]), 0,
	   "PTRACE_PEEKDATA of the watched word");
	is((long)watched[3], 5, "the write has happened at the stop");
	expect_hit(pid, 1, "a read, where reads are watched");
	expect_hit(pid, 0, "a write of one of the bytes");
	expect_hit(pid, 3, "a call of the function");
	is((long)registers(pid).rip, (long)touched, "before its first instruction");
	is(debug_set(pid, 7, 0), 0, "DR7 is cleared");
	trace(PTRACE_CONT, pid, 0, 0);
	is(end_of(pid), 9, "the tracee runs to its end without stops");
}

static void test_watching_wrongly(void)
{
	pid_t pid = child_that(touch);

	stop_of(pid);
	is(debug_set(pid, 4, 1), -EIO, "there is no DR4: EIO");
	is(debug_set(pid, 0, 0xffffffff80200000), -EINVAL, "an address of the kernel: EINVAL");
	is(debug_set(pid, 0, ~0ul), -EINVAL, "the last address: EINVAL");
	is(debug_set(pid, 0, (uintptr_t)&watched[0] + 1), 0, "an odd address");
	is(debug_set(pid, 7, WATCH(0, 1ul, 2ul)), -EINVAL, "execution of eight bytes: EINVAL");
	is(debug_set(pid, 7, WATCH(0, 2ul, 0ul)), -EINVAL, "a port: EINVAL");
	is(debug_set(pid, 7, WATCH(0, 0ul, 1ul)), -EINVAL, "execution of two bytes: EINVAL");
	is((long)debug_get(pid, 7), 0, "DR7 is as before");
	trace(PTRACE_CONT, pid, 0, 0);
	is(end_of(pid), 9, "refused registers watch nothing");
	pid = child_that(touch);
	stop_of(pid);
	debug_set(pid, 0, (uintptr_t)&watched[0]);
	debug_set(pid, 7, WATCH(0, 1ul, 2ul));
	kill(pid, SIGKILL);
	is(end_of(pid), 128 + SIGKILL, "a watched tracee is killed");
}

int main(void)
{
	test_watching();
	test_watching_wrongly();
	return tap_end();
}
