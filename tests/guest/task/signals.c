/* SPDX-License-Identifier: BSD-2-Clause */
/* Signals: handlers and their state, masks, queues, alternate stacks, restarts, vector
 * registers. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include "tests/guest/tap.h"

static volatile int count, order[8];
static siginfo_t last;
static volatile uintptr_t stack_seen;

static void note(int signo, siginfo_t *info, void *context)
{
	(void)context;
	if (count < 8)
		order[count] = signo;
	count++;
	last = *info;
	stack_seen = (uintptr_t)__builtin_frame_address(0);
}

static void handle(int signo, int flags)
{
	struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO | flags};

	sigaction(signo, &action, NULL);
	count = 0;
}

static void mask(int how, int signo)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, signo);
	sigprocmask(how, &set, NULL);
}

static void test_raise(void)
{
	handle(SIGUSR1, 0);
	raise(SIGUSR1);
	is(count, 1, "a handler runs");
	is(last.si_code, SI_TKILL, "raise says SI_TKILL");
	kill(getpid(), SIGUSR1);
	ok(count == 2 && last.si_code == SI_USER && last.si_pid == getpid(),
	   "kill says SI_USER and who");
	handle(SIGUSR1, SA_RESETHAND);
	raise(SIGUSR1);
	{
		struct sigaction action;

		sigaction(SIGUSR1, NULL, &action);
		is(action.sa_handler == SIG_DFL, 1, "SA_RESETHAND: once");
	}
}

static void test_mask(void)
{
	sigset_t pending;

	handle(SIGUSR1, 0);
	mask(SIG_BLOCK, SIGUSR1);
	raise(SIGUSR1);
	raise(SIGUSR1);
	is(count, 0, "a blocked signal waits");
	sigpending(&pending);
	is(sigismember(&pending, SIGUSR1), 1, "sigpending shows it");
	mask(SIG_UNBLOCK, SIGUSR1);
	is(count, 1, "a blocked signal comes once when it is unblocked");
	mask(SIG_BLOCK, SIGUSR1);
	raise(SIGUSR1);
	signal(SIGUSR1, SIG_IGN);
	handle(SIGUSR1, 0);
	mask(SIG_UNBLOCK, SIGUSR1);
	is(count, 0, "ignoring a pending signal drops it");
}

static void test_queue(void)
{
	union sigval value;
	bool right = true;

	handle(SIGRTMIN, 0);
	handle(SIGRTMIN + 1, 0);
	mask(SIG_BLOCK, SIGRTMIN);
	mask(SIG_BLOCK, SIGRTMIN + 1);
	for (int i = 0; i < 3; i++) {
		value.sival_int = 10 + i;
		sigqueue(getpid(), SIGRTMIN + 1, value);
	}
	value.sival_int = 5;
	sigqueue(getpid(), SIGRTMIN, value);
	mask(SIG_UNBLOCK, SIGRTMIN);
	is(last.si_value.sival_int, 5, "sigqueue carries a value");
	is(last.si_code, SI_QUEUE, "a queued signal has SI_QUEUE");
	for (int i = 0; i < 3; i++) {
		sigset_t set;
		siginfo_t info;

		sigemptyset(&set);
		sigaddset(&set, SIGRTMIN + 1);
		right &=
		    sigwaitinfo(&set, &info) == SIGRTMIN + 1 && info.si_value.sival_int == 10 + i;
	}
	ok(right, "realtime signals are queued, in order, each with its value");
	mask(SIG_UNBLOCK, SIGRTMIN + 1);
}

static void test_wait_timeout(void)
{
	struct timespec time = {.tv_nsec = 1000000};
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	is(sigtimedwait(&set, NULL, &time) == -1 && errno == EAGAIN, 1,
	   "sigtimedwait ends with EAGAIN");
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* A signal that is ignored by default arrives all the same when it is blocked and waited for. */
static void test_wait_for_child(void)
{
	struct timespec most = {.tv_sec = 5};
	sigset_t set;
	pid_t child;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	child = fork();
	if (!child) {
		struct timespec while_asleep = {.tv_nsec = 2000000};

		nanosleep(&while_asleep, NULL);
		_exit(0);
	}
	is(sigtimedwait(&set, NULL, &most), SIGCHLD,
	   "sigtimedwait takes a SIGCHLD without a handler that comes while it sleeps");
	waitpid(child, NULL, 0);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static volatile uintptr_t fault_address;
static volatile int fault_code;
static char *volatile fault_page;

static void repair(int signo, siginfo_t *info, void *context)
{
	ucontext_t *user = context;

	(void)signo;
	fault_address = (uintptr_t)info->si_addr;
	fault_code = info->si_code;
	if (user->uc_mcontext.gregs[REG_CR2] == (greg_t)fault_address)
		mprotect(fault_page, 4096, PROT_READ | PROT_WRITE);
}

static void test_fault(void)
{
	struct sigaction action = {.sa_sigaction = repair, .sa_flags = SA_SIGINFO};
	char *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	sigaction(SIGSEGV, &action, NULL);
	fault_page = page;
	*(volatile char *)(page + 123) = 7;
	is(page[123], 7, "a SIGSEGV handler repairs the page and the write goes on");
	is(fault_address == (uintptr_t)page + 123, 1, "si_addr is the address");
	is(fault_code, SEGV_ACCERR, "si_code is SEGV_ACCERR");
	signal(SIGSEGV, SIG_DFL);
	munmap(page, 4096);
}

static volatile int skipped_code;

static void step_over(int signo, siginfo_t *info, void *context)
{
	ucontext_t *user = context;

	(void)signo;
	skipped_code = info->si_code;
	user->uc_mcontext.gregs[REG_RIP] += 2; /* "ud2" and "div ecx" are two bytes long */
}

static void test_exceptions(void)
{
	struct sigaction action = {.sa_sigaction = step_over, .sa_flags = SA_SIGINFO};
	int quotient = 77;

	sigaction(SIGILL, &action, NULL);
	sigaction(SIGFPE, &action, NULL);
	__asm__ volatile("ud2");
	is(skipped_code, ILL_ILLOPN, "ud2 is SIGILL, ILL_ILLOPN; the handler may move RIP");
	__asm__ volatile("div %%ecx" : "+a"(quotient) : "c"(0), "d"(0) : "cc");
	is(skipped_code, FPE_INTDIV, "division by zero is SIGFPE, FPE_INTDIV");
	is(quotient, 77, "registers survive the handler");
	signal(SIGILL, SIG_DFL);
	signal(SIGFPE, SIG_DFL);
}

static void test_altstack(void)
{
	static char alternate[65536];
	stack_t stack = {.ss_sp = alternate, .ss_size = sizeof(alternate)}, old;

	is(sigaltstack(&stack, NULL), 0, "sigaltstack");
	handle(SIGUSR1, SA_ONSTACK);
	raise(SIGUSR1);
	ok(stack_seen > (uintptr_t)alternate &&
	       stack_seen < (uintptr_t)alternate + sizeof(alternate),
	   "the handler runs on it");
	handle(SIGUSR1, 0);
	raise(SIGUSR1);
	ok(stack_seen < (uintptr_t)alternate ||
	       stack_seen > (uintptr_t)alternate + sizeof(alternate),
	   "only with SA_ONSTACK");
	stack.ss_size = 100;
	is(sigaltstack(&stack, NULL) == -1 && errno == ENOMEM, 1, "a stack of 100 bytes is ENOMEM");
	stack.ss_flags = SS_DISABLE;
	sigaltstack(&stack, NULL);
	sigaltstack(NULL, &old);
	is(old.ss_flags, SS_DISABLE, "SS_DISABLE");
}

/* Spoils every vector register and the rounding mode. */
static void spoil(int signo, siginfo_t *info, void *context)
{
	uint32_t mxcsr = 0x7f80;

	(void)signo;
	(void)info;
	(void)context;
	count++;
	__asm__ volatile("ldmxcsr %0" : : "m"(mxcsr));
	__asm__ volatile("pcmpeqb %%xmm0, %%xmm0; pcmpeqb %%xmm7, %%xmm7; pcmpeqb %%xmm15, %%xmm15"
			 :
			 :
			 : "xmm0", "xmm7", "xmm15");
	__asm__ volatile("fninit");
}

static void test_vector_registers(void)
{
	struct sigaction action = {.sa_sigaction = spoil, .sa_flags = SA_SIGINFO};
	uint64_t in[3] = {0x1111222233334444, 0x5555666677778888, 0x9999aaaabbbbcccc}, out[3];
	uint32_t mxcsr_before, mxcsr_after;
	uint16_t control = 0x27f, control_after;
	long result;

	sigaction(SIGUSR1, &action, NULL);
	count = 0;
	__asm__ volatile("stmxcsr %0" : "=m"(mxcsr_before));
	__asm__ volatile("fldcw %0" : : "m"(control));
	__asm__ volatile("movq %5, %%xmm0; movq %6, %%xmm7; movq %7, %%xmm15\n\t"
			 "syscall\n\t"
			 "movq %%xmm0, %1; movq %%xmm7, %2; movq %%xmm15, %3"
			 : "=a"(result), "=m"(out[0]), "=m"(out[1]), "=m"(out[2])
			 : "a"(SYS_kill), "m"(in[0]), "m"(in[1]), "m"(in[2]), "D"(getpid()),
			   "S"(SIGUSR1)
			 : "rcx", "r11", "xmm0", "xmm7", "xmm15", "memory");
	__asm__ volatile("stmxcsr %0" : "=m"(mxcsr_after));
	__asm__ volatile("fnstcw %0" : "=m"(control_after));
	is(count, 1, "a handler that spoils the vector registers has run");
	is(result, 0, "kill() returns 0 after its handler");
	ok(memcmp(in, out, sizeof(in)) == 0, "XMM registers are as before");
	is(mxcsr_after, mxcsr_before, "MXCSR as well");
	is(control_after, control, "a handler keeps the x87 control word");
	__asm__ volatile("fninit");
}

/* Two processes compute with all vector registers and yield to each other. */
static void test_vector_switch(void)
{
	pid_t pid = fork();
	uint64_t wanted = pid ? 0x0123456789abcdef : 0xfedcba9876543210, got;
	bool right = true;
	int status;

	for (int i = 0; i < 1000; i++) {
		__asm__ volatile("movq %1, %%xmm9\n\t"
				 "syscall\n\t"
				 "movq %%xmm9, %0"
				 : "=m"(got)
				 : "m"(wanted), "a"(SYS_sched_yield)
				 : "rcx", "r11", "xmm9", "memory");
		right &= got == wanted;
	}
	if (pid == 0)
		_exit(right ? 0 : 1);
	waitpid(pid, &status, 0);
	ok(right && status == 0, "vector registers are each process's own across 1000 switches");
}

static void test_restart(void)
{
	struct itimerval timer = {.it_value = {.tv_usec = 20000}};
	struct pollfd nothing = {.fd = -1};
	char byte = 0;
	int ends[2];

	pipe(ends);
	handle(SIGALRM, 0);
	setitimer(ITIMER_REAL, &timer, NULL);
	is(read(ends[0], &byte, 1) == -1 && errno == EINTR, 1, "a signal interrupts read (EINTR)");
	is(count, 1, "SIGALRM by setitimer");
	handle(SIGALRM, SA_RESTART);
	setitimer(ITIMER_REAL, &timer, NULL);
	if (fork() == 0) {
		usleep(60000);
		write(ends[1], "r", 1);
		_exit(0);
	}
	is(read(ends[0], &byte, 1), 1, "with SA_RESTART read continues");
	is(count, 1, "after the handler");
	wait(NULL);
	handle(SIGALRM, SA_RESTART);
	setitimer(ITIMER_REAL, &timer, NULL);
	is(poll(&nothing, 1, 5000) == -1 && errno == EINTR, 1, "poll is interrupted even so");
	close(ends[0]);
	close(ends[1]);
}

static void test_suspend(void)
{
	sigset_t none, blocked;

	handle(SIGUSR1, 0);
	mask(SIG_BLOCK, SIGUSR1);
	raise(SIGUSR1);
	sigemptyset(&none);
	is(sigsuspend(&none) == -1 && errno == EINTR, 1, "sigsuspend lets a blocked signal in");
	is(count, 1, "sigsuspend runs the handler");
	sigprocmask(SIG_BLOCK, NULL, &blocked);
	is(sigismember(&blocked, SIGUSR1), 1, "the mask is as before afterwards");
	mask(SIG_UNBLOCK, SIGUSR1);
}

static void nested(int signo)
{
	if (count < 8)
		order[count] = signo;
	count++;
	if (signo == SIGUSR1)
		raise(SIGUSR2);
	if (count < 8)
		order[count] = -signo;
	count++;
}

static void test_nesting(void)
{
	struct sigaction action = {.sa_handler = nested};

	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGUSR2, &action, NULL);
	count = 0;
	raise(SIGUSR1);
	ok(count == 4 && order[1] == SIGUSR2 && order[2] == -SIGUSR2 && order[3] == -SIGUSR1,
	   "handlers nest");
	sigaddset(&action.sa_mask, SIGUSR2);
	sigaction(SIGUSR1, &action, NULL);
	count = 0;
	raise(SIGUSR1);
	ok(count == 4 && order[1] == -SIGUSR1 && order[2] == SIGUSR2,
	   "sa_mask holds a signal back in a handler");
}

static int died_of(void (*act)(void))
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		act();
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static volatile int *volatile wild = (volatile int *)16;

static void act_segv(void)
{
	*wild = 1;
}

static void act_blocked_segv(void)
{
	mask(SIG_BLOCK, SIGSEGV);
	*wild = 1;
}

static void act_abort(void)
{
	abort();
}

static void act_no_stack(void)
{
	handle(SIGUSR1, 0);
	__asm__ volatile("xor %%esp, %%esp; syscall"
			 :
			 : "a"(SYS_kill), "D"(getpid()), "S"(SIGUSR1)
			 : "rcx", "r11", "memory");
}

static void act_bad_return(void)
{
	__asm__ volatile("mov $0x1000, %%esp; syscall"
			 :
			 : "a"(SYS_rt_sigreturn)
			 : "rcx", "r11", "memory");
}

static void act_priviliged(void)
{
	__asm__ volatile("hlt");
}

static void act_kernel_address(void)
{
	*(volatile int *)0xffffffff80000000 = 1;
}

static void test_deaths(void)
{
	is(died_of(act_segv), SIGSEGV, "a wild write is deadly");
	is(died_of(act_blocked_segv), SIGSEGV, "even when SIGSEGV is blocked");
	is(died_of(act_abort), SIGABRT, "abort");
	is(died_of(act_no_stack), SIGSEGV, "no stack for a handler is SIGSEGV");
	is(died_of(act_bad_return), SIGSEGV, "rt_sigreturn without a frame is SIGSEGV");
	is(died_of(act_priviliged), SIGSEGV, "a privileged instruction is SIGSEGV");
	is(died_of(act_kernel_address), SIGSEGV, "the kernel's memory is not ring 3's");
}

int main(void)
{
	setvbuf(stdout, NULL, _IONBF, 0);
	test_raise();
	test_mask();
	test_queue();
	test_wait_timeout();
	test_wait_for_child();
	test_fault();
	test_exceptions();
	test_altstack();
	test_vector_registers();
	test_vector_switch();
	test_restart();
	test_suspend();
	test_nesting();
	test_deaths();
	return tap_end();
}
