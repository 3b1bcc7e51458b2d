/* SPDX-License-Identifier: BSD-2-Clause */
/* Probes in programs where they are in the way: signals, single steps, code that is unmapped,
 * vfork, faults, the last bytes of a page, INT3, SYSCALL, REP. */
#define _GNU_SOURCE
#include "tests/guest/trace/probes.h"
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>

#define CALLS    20
#define ENOTSUPP 524 /* of Linux, beyond errno.h */

__attribute__((noinline)) static uint64_t add(uint64_t a, uint64_t b)
{
	__asm__ volatile("" : "+r"(a));
	return a + b;
}

/* ---- signals ---- */

static volatile uint64_t handled;

__attribute__((noinline)) static void on_signal(int signo)
{
	handled += add((uint64_t)signo, 0);
}

__attribute__((noinline)) static void raises(void)
{
	raise(SIGUSR1);
	__asm__ volatile("");
}

/* Probes are in the handler, in the function that it calls, and in the code that it interrupts;
 * some handlers never return. */
static void test_handlers(void)
{
	int enters = uprobe_count(on_signal, false), returns = uprobe_count(on_signal, true),
	    inner = uprobe_count(add, true), outer = uprobe_count(raises, true);

	signal(SIGUSR1, on_signal);
	for (int i = 0; i < CALLS; i++)
		raises();
	is((long)perf_value(enters), CALLS, "a probed handler");
	is((long)perf_value(returns), CALLS, "returns");
	is((long)perf_value(inner), CALLS, "a probed handler's callee counts");
	is((long)perf_value(outer), CALLS, "the probed interrupted function counts");
	is((long)handled, CALLS * SIGUSR1, "each handler ran once");
	close(enters);
	close(returns);
	close(inner);
	close(outer);
}

static sigjmp_buf back;

__attribute__((noinline)) static void leaves(int signo)
{
	(void)signo;
	siglongjmp(back, 1);
}

static void test_left_handlers(void)
{
	int returns = uprobe_count(leaves, true), outer = uprobe_count(raises, true);

	signal(SIGUSR1, leaves);
	for (int i = 0; i < CALLS; i++)
		if (!sigsetjmp(back, 1))
			raises();
	is((long)perf_value(returns), 0, "a handler that is left by siglongjmp(3)");
	signal(SIGUSR1, SIG_IGN);
	raises();
	is((long)perf_value(outer), 1, "then the function returns");
	close(returns);
	close(outer);
}

/* ---- faults ---- */

static volatile uint64_t fault_rip, fault_address;
static uint64_t good = 42;

/* Gives the instruction an address that it can read: it is done again. */
static void on_fault(int signo, siginfo_t *info, void *context)
{
	ucontext_t *user = context;

	(void)signo;
	fault_rip = (uint64_t)user->uc_mcontext.gregs[REG_RIP];
	fault_address = (uint64_t)info->si_addr;
	user->uc_mcontext.gregs[REG_RDI] = (long)&good;
}

extern uint64_t reads(const void *at), calls_system(long number);
extern void fills(void *to, uint64_t bytes);
extern const char reads_at[], fills_at[], system_at[], trap_at[], crosses[], crosses_at[];
/* clang-format off */
__asm__(".pushsection .text\n"
	"reads: reads_at: movq (%rdi), %rax\nret\n"
	"fills: mov %rsi, %rcx\nmov $7, %al\nfills_at: rep stosb\nret\n"
	"calls_system: mov %rdi, %rax\nsystem_at: syscall\nret\n"
	"traps: trap_at: int3\nret\n"
	".balign 4096\n.skip 4093, 0x90\n"
	"crosses: crosses_at: movabs $0x1122334455667788, %rax\nret\n"
	".popsection\n");
/* clang-format on */

static void test_fault(void)
{
	struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
	int fd = uprobe_count(reads_at, false);

	sigaction(SIGSEGV, &action, NULL);
	is((long)reads((void *)16), 42, "an instruction that faults is done again");
	ok(fault_rip == (uintptr_t)reads_at, "the fault is where it stands");
	is((long)fault_address, 16, "a fault has the address that it wanted");
	ok(perf_value(fd) >= 1, "the faulting instruction was counted");
	close(fd);
	signal(SIGSEGV, SIG_DFL);
}

/* ---- instructions ---- */

static void test_rep(void)
{
	static uint8_t bytes[10000];
	int fd = uprobe_count(fills_at, false);
	unsigned wrong = 0;

	fills(bytes + 1, sizeof(bytes) - 2);
	for (unsigned i = 0; i < sizeof(bytes); i++)
		wrong += bytes[i] != (i && i < sizeof(bytes) - 1 ? 7 : 0);
	is((long)wrong, 0, "REP STOSB fills all of its bytes, and no more");
	ok(perf_value(fd) >= 1, "a REP instruction is counted, by Linux with each byte");
	close(fd);
}

/* In a child, which Linux does not let live. */
static void test_syscall(void)
{
	struct perf_event_attr attr = uprobe_attr(system_at, false);
	int fd, status;
	pid_t child;

	attr.inherit = 1;
	fd = perf_open(&attr, 0, -1, -1, 0);
	child = fork();
	if (!child)
		_exit((long)calls_system(SYS_getpid) == getpid() &&
			      (long)calls_system(1000) == -ENOSYS
			  ? 3
			  : 4);
	waitpid(child, &status, 0);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 3, "SYSCALL under a probe");
	is((long)perf_value(fd), 2, "SYSCALL is counted");
	close(fd);
}

typedef uint64_t constant(void);

static void test_crossing(void)
{
	int fd = uprobe_count(crosses_at, false);

	is((long)((constant *)crosses)(), 0x1122334455667788, "an instruction across two pages");
	is((long)perf_value(fd), 1, "is counted");
	close(fd);
	is((long)((constant *)crosses)(), 0x1122334455667788,
	   "an instruction across pages is as before");
}

static void test_trap(void)
{
	struct perf_event_attr attr = uprobe_attr(trap_at, false);

	is(perf_try(&attr, 0, -1, -1, 0), -ENOTSUPP, "no probe at INT3: ENOTSUPP");
}

/* ---- single steps ---- */

static void child_adds(void)
{
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	_exit((int)add(20, 3));
}

/* A tracer that steps through probed code: every step ends, and the child's result is right. */
static void test_steps(void)
{
	struct perf_event_attr attr = uprobe_attr(add, false);
	int status, steps = 0, fd;
	pid_t child;

	attr.inherit = 1;
	fd = perf_open(&attr, 0, -1, -1, 0);
	child = fork();
	if (!child)
		child_adds();
	waitpid(child, &status, 0);
	while (WIFSTOPPED(status) && steps++ < 100000) {
		ptrace(PTRACE_SINGLESTEP, child, NULL, NULL);
		waitpid(child, &status, 0);
	}
	ok(WIFEXITED(status), "a tracer steps through a probe");
	is(WEXITSTATUS(status), 23, "the program does the same");
	is((long)perf_value(fd), 1, "the probe is counted");
	close(fd);
}

/* ---- mappings ---- */

/* The function's page of the file, mapped once more: the probe is there, too, each time. */
static void test_mappings(void)
{
	struct perf_event_attr attr = uprobe_attr(add, false);
	int fd = perf_open(&attr, 0, -1, -1, 0), file = open(probe_path, O_RDONLY);
	uint64_t from = attr.probe_offset & ~4095ul, sum = 0;
	uint64_t (*copy)(uint64_t, uint64_t);

	for (int i = 0; i < CALLS; i++) {
		char *map = mmap(NULL, 8192, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, (long)from);

		copy = (void *)(map + (attr.probe_offset - from));
		sum += copy(1, 1);
		map = mremap(map, 8192, 8192, MREMAP_MAYMOVE | MREMAP_FIXED, map + (1 << 24));
		copy = (void *)(map + (attr.probe_offset - from));
		sum += copy(1, 1);
		munmap(map, 8192);
	}
	is((long)sum, 4 * CALLS, "code that is mapped, moved and unmapped");
	is((long)perf_value(fd), 2 * CALLS, "is probed each time");
	close(file);
	close(fd);
	is((long)add(2, 2), 4, "the program's own mapping works");
}

/* ---- vfork ---- */

__attribute__((noinline)) static int spawns(void)
{
	volatile int status = -1;
	pid_t child = vfork();

	if (!child)
		_exit((int)add(5, 6));
	waitpid(child, (int *)&status, 0);
	return WEXITSTATUS(status);
}

/* The child shares the parent's memory and stack. */
static void test_vfork(void)
{
	struct perf_event_attr attr = uprobe_attr(add, true);
	int outer = uprobe_count(spawns, true), inner, sum = 0;

	attr.inherit = 1;
	inner = perf_open(&attr, 0, -1, -1, 0);
	for (int i = 0; i < CALLS; i++)
		sum += spawns();
	is(sum, 11 * CALLS, "a child of vfork(2) goes through a probe");
	is((long)perf_value(inner), CALLS, "a vforked child's returns are counted");
	is((long)perf_value(outer), CALLS, "the returns of a vforked child's parent are counted");
	close(inner);
	close(outer);
}

int main(void)
{
	mount_tracefs();
	test_handlers();
	test_left_handlers();
	test_fault();
	test_rep();
	test_syscall();
	test_crossing();
	test_trap();
	test_steps();
	test_mappings();
	test_vfork();
	return tap_end();
}
