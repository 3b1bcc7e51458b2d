/* SPDX-License-Identifier: BSD-2-Clause */
/* A tracer's view of its tracee: signals, calls, steps, registers, memory: ptrace(2). */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/uio.h>
#include "tests/guest/files/slurp.h"
#include "tests/guest/ptrace/traced.h"

#define USER_BYTES 928 /* of the kernel's struct user */

static void leave_seven(void)
{
	_exit(7);
}

static void test_signals(void)
{
	siginfo_t info;
	sigset_t mask;
	pid_t pid = child_that(leave_seven);

	is(trace(PTRACE_CONT, 1 << 21, 0, 0), -ESRCH, "nobody: ESRCH");
	is(stop_of(pid), SIGSTOP, "a child that is traced stops with its signal");
	is(trace(PTRACE_GETSIGINFO, pid, 0, (uintptr_t)&info), 0,
	   "PTRACE_GETSIGINFO of a stopped child");
	ok(info.si_signo == SIGSTOP && info.si_pid == pid, "is the one it sent");
	is(trace(PTRACE_GETSIGMASK, pid, 8, (uintptr_t)&mask), 0,
	   "PTRACE_GETSIGMASK of a stopped child");
	is(trace(PTRACE_GETSIGMASK, pid, 4, (uintptr_t)&mask), -EINVAL,
	   "PTRACE_GETSIGMASK with another size: EINVAL");
	is(trace(PTRACE_CONT, pid, 0, 99), -EIO, "no such signal: EIO");
	is(trace(9999, pid, 0, 0), -EIO, "no such request: EIO");
	is(trace(PTRACE_SETOPTIONS, pid, 0, 1 << 12), -EINVAL, "no such option: EINVAL");
	is(trace(PTRACE_INTERRUPT, pid, 0, 0), -EIO, "only who was seized is interrupted");
	is(trace(PTRACE_ATTACH, pid, 0, 0), -EPERM, "nobody is traced twice");
	is(trace(PTRACE_ATTACH, getpid(), 0, 0), -EPERM, "no task traces itself: EPERM");
	snprintf(text, 64, "/proc/%d/status", pid);
	slurp(strdup(text));
	ok(strstr(text, "State:\tt (tracing stop)") != NULL,
	   "/proc/PID/status shows a tracing stop");
	is(atoi(strstr(text, "TracerPid:") + 10), getpid(), "TracerPid is the tracer");
	is(trace(PTRACE_CONT, pid, 0, 0), 0, "PTRACE_CONT continues without the signal");
	is(trace(PTRACE_GETSIGINFO, pid, 0, (uintptr_t)&info), -ESRCH,
	   "while it runs it answers nothing");
	is(end_of(pid), 7, "the child runs to its end");
	pid = child_that(leave_seven);
	stop_of(pid);
	trace(PTRACE_CONT, pid, 0, SIGTERM);
	is(end_of(pid), 128 + SIGTERM, "another signal in its place");
	pid = child_that(leave_seven);
	stop_of(pid);
	kill(pid, SIGKILL);
	is(end_of(pid), 128 + SIGKILL, "SIGKILL ends a stopped one");
	pid = child_that(leave_seven);
	stop_of(pid);
	is(trace(PTRACE_DETACH, pid, 0, 0), 0, "PTRACE_DETACH of a stopped child");
	is(end_of(pid), 7, "a detached child runs to its end");
}

static void count_calls(void)
{
	syscall(SYS_getppid);
	syscall(SYS_getuid);
}

static void test_calls(void)
{
	struct __ptrace_syscall_info info;
	struct user_regs_struct regs;
	pid_t pid = child_that(count_calls);
	long parent = 0;

	stop_of(pid);
	trace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACESYSGOOD);
	trace(PTRACE_SYSCALL, pid, 0, 0);
	while (stop_of(pid) == (SIGTRAP | 0x80)) {
		regs = registers(pid);
		if (regs.orig_rax == SYS_getppid)
			break;
		trace(PTRACE_SYSCALL, pid, 0, 0);
	}
	is((long)regs.rax, -ENOSYS, "at a call's entry rax is -ENOSYS");
	is(trace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(info), (uintptr_t)&info), 80,
	   "PTRACE_GET_SYSCALL_INFO");
	ok(info.op == 1 && info.entry.nr == SYS_getppid && info.arch == 0xc000003e &&
	       info.instruction_pointer == regs.rip,
	   "tells of its begin");
	trace(PTRACE_SYSCALL, pid, 0, 0);
	is(stop_of(pid), SIGTRAP | 0x80, "then comes its end");
	is((long)registers(pid).rax, getpid(), "at a call's exit rax is the result");
	is(trace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(info), (uintptr_t)&info), 33,
	   "PTRACE_GET_SYSCALL_INFO");
	ok(info.op == 2 && info.exit.rval == getpid() && !info.exit.is_error, "tells of its end");
	trace(PTRACE_SYSCALL, pid, 0, 0);
	is(stop_of(pid), SIGTRAP | 0x80, "the next call");
	regs = registers(pid);
	regs.orig_rax = SYS_getppid;
	is(trace(PTRACE_SETREGS, pid, 0, (uintptr_t)&regs), 0, "becomes another");
	trace(PTRACE_SYSCALL, pid, 0, 0);
	stop_of(pid);
	parent = (long)registers(pid).rax;
	is(parent, getpid(), "a replaced call has the other one's result");
	trace(PTRACE_SYSCALL, pid, 0, 0);
	stop_of(pid);
	regs = registers(pid);
	is((long)regs.orig_rax, SYS_exit_group, "the last call");
	regs.orig_rax = (unsigned long)-1;
	regs.rip -= 2;
	regs.rax = SYS_exit_group;
	regs.rdi = 9;
	trace(PTRACE_SETREGS, pid, 0, (uintptr_t)&regs);
	trace(PTRACE_CONT, pid, 0, 0);
	is(end_of(pid), 9, "is left out, and made again with another argument");
	pid = child_that(count_calls);
	stop_of(pid);
	trace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACESYSGOOD);
	trace(PTRACE_SYSEMU, pid, 0, 0);
	stop_of(pid);
	regs = registers(pid);
	trace(PTRACE_SYSEMU, pid, 0, 0);
	is(stop_of(pid), SIGTRAP | 0x80, "PTRACE_SYSEMU stops at begins only");
	ok(registers(pid).orig_rax != regs.orig_rax || registers(pid).rip != regs.rip,
	   "PTRACE_SYSEMU stops at one entry after another");
	kill(pid, SIGKILL);
	end_of(pid);
}

/* Counts down from 10 in two instructions a turn; the labels are before and after. */
extern char loop_begin[], loop_end[], trap_here[];
__attribute__((noinline)) static void loop(void)
{
	__asm__ volatile(".globl loop_begin, loop_end, trap_here\n"
			 "mov $10, %%ecx\n"
			 "loop_begin: dec %%ecx\n"
			 "jnz loop_begin\n"
			 "trap_here: nop\n"
			 "loop_end: nop\n"
			 :
			 :
			 : "ecx");
}

static void raise_and_loop(void)
{
	loop();
	syscall(SYS_getppid);
	loop();
	_exit(3);
}

/* A breakpoint as debuggers set it: an int3 in read-only code. */
static void test_breakpoint(void)
{
	pid_t pid = child_that(raise_and_loop);
	struct user_regs_struct regs;
	siginfo_t info;
	long word, steps = 0;

	stop_of(pid);
	is(trace(PTRACE_PEEKTEXT, pid, (uintptr_t)trap_here, (uintptr_t)&word), 0, "code is read");
	ok(!memcmp(&word, trap_here, 8), "the tracee's code is read unchanged");
	is(trace(PTRACE_POKETEXT, pid, (uintptr_t)trap_here, ((uintptr_t)word & ~0xfful) | 0xcc), 0,
	   "the tracee's code is written");
	ok(*trap_here == '\x90', "code is written in the tracee's own copy");
	trace(PTRACE_CONT, pid, 0, 0);
	is(stop_of(pid), SIGTRAP, "the tracee stops at the breakpoint");
	trace(PTRACE_GETSIGINFO, pid, 0, (uintptr_t)&info);
	is(info.si_code, SI_KERNEL, "a breakpoint's siginfo is SI_KERNEL");
	regs = registers(pid);
	is((long)(regs.rip - (uintptr_t)trap_here), 1, "rip is one byte after the breakpoint");
	trace(PTRACE_POKETEXT, pid, (uintptr_t)trap_here, (uintptr_t)word);
	regs.rip = (uintptr_t)loop_begin;
	regs.rcx = 10;
	trace(PTRACE_SETREGS, pid, 0, (uintptr_t)&regs);
	while (registers(pid).rip != (uintptr_t)loop_end && steps < 100) {
		trace(PTRACE_SINGLESTEP, pid, 0, 0);
		if (stop_of(pid) != SIGTRAP)
			break;
		steps++;
	}
	is(steps, 21, "ten turns and a nop are 21 steps");
	trace(PTRACE_GETSIGINFO, pid, 0, (uintptr_t)&info);
	is(info.si_code, TRAP_TRACE, "a step's siginfo is TRAP_TRACE");
	ok(!(registers(pid).eflags & 0x100), "the trap flag is not shown");
	for (steps = 0; registers(pid).rip != (uintptr_t)loop_begin && steps < 3000; steps++) {
		trace(PTRACE_SINGLESTEP, pid, 0, 0);
		if (stop_of(pid) != SIGTRAP)
			break;
	}
	ok(steps < 100 && registers(pid).rip == (uintptr_t)loop_begin,
	   "steps lead through a call and on");
	trace(PTRACE_CONT, pid, 0, 0);
	is(end_of(pid), 3, "the tracee runs on without stops");
}

static volatile int handled;

static void handler(int signo)
{
	handled = signo;
}

static void handle_one(void)
{
	signal(SIGUSR1, handler);
	raise(SIGUSR1);
	_exit(handled == SIGUSR1 ? 4 : 5);
}

static void test_handler(void)
{
	pid_t pid = child_that(handle_one);

	stop_of(pid);
	trace(PTRACE_CONT, pid, 0, 0);
	is(stop_of(pid), SIGUSR1, "a signal with a handler stops");
	trace(PTRACE_SINGLESTEP, pid, 0, SIGUSR1);
	is(stop_of(pid), SIGTRAP, "a single step into a handler");
	is((long)registers(pid).rip, (long)(uintptr_t)handler,
	   "leads to the handler's first instruction");
	is((long)registers(pid).rdi, SIGUSR1, "the handler has its argument");
	trace(PTRACE_CONT, pid, 0, 0);
	is(end_of(pid), 4, "the handler runs");
}

static void load_vectors(void)
{
	static const uint64_t value[2] = {0x1122334455667788, 0x99aabbccddeeff00};
	uint64_t there[2];

	__asm__ volatile("movups %0, %%xmm3" : : "m"(value) : "xmm3");
	__asm__ volatile("int3");
	__asm__ volatile("movups %%xmm3, %0" : "=m"(there));
	_exit(there[0] == 5 ? 6 : 8);
}

static void test_registers(void)
{
	static unsigned char state[8192] __attribute__((aligned(64)));
	struct user_fpregs_struct fp = {0};
	struct user_regs_struct regs, before;
	struct iovec vector = {&regs, sizeof(regs)};
	pid_t pid = child_that(load_vectors);
	unsigned long word;

	stop_of(pid);
	is(trace(PTRACE_GETREGSET, pid, NT_PRSTATUS, (uintptr_t)&vector), 0, "PTRACE_GETREGSET");
	ok(vector.iov_len == sizeof(regs) && (regs.cs & 3) == 3 && (regs.ss & 3) == 3,
	   "has all registers");
	vector.iov_len = 7;
	is(trace(PTRACE_GETREGSET, pid, NT_PRSTATUS, (uintptr_t)&vector), -EINVAL,
	   "PTRACE_GETREGSET returns no part of a register");
	vector.iov_len = sizeof(regs);
	is(trace(PTRACE_GETREGSET, pid, 0x7777, (uintptr_t)&vector), -EINVAL,
	   "PTRACE_GETREGSET returns no unknown registers");
	is(trace(PTRACE_PEEKUSER, pid, offsetof(struct user, regs.rip), (uintptr_t)&word), 0,
	   "PTRACE_PEEKUSER");
	is((long)word, (long)regs.rip, "is the same");
	is(trace(PTRACE_PEEKUSER, pid, 3, (uintptr_t)&word), -EIO,
	   "PTRACE_PEEKUSER at an unaligned offset: EIO");
	is(trace(PTRACE_PEEKUSER, pid, USER_BYTES, (uintptr_t)&word), -EIO, "up to its end");
	is(trace(PTRACE_POKEUSER, pid, offsetof(struct user, regs.cs), 0x10), -EIO,
	   "no selector of the kernel's");
	is(trace(PTRACE_POKEUSER, pid, offsetof(struct user, regs.fs_base), ~0ul << 47), -EIO,
	   "PTRACE_POKEUSER takes no base of the kernel's");
	before = registers(pid);
	regs = before;
	regs.eflags |= 0x3200; /* IOPL, IF */
	regs.r15 = 77;
	is(trace(PTRACE_SETREGS, pid, 0, (uintptr_t)&regs), 0, "PTRACE_SETREGS with all flags set");
	regs = registers(pid);
	ok(regs.eflags == before.eflags && regs.r15 == 77, "only the program's are taken");
	trace(PTRACE_SETREGS, pid, 0, (uintptr_t)&before);
	trace(PTRACE_CONT, pid, 0, 0);
	is(stop_of(pid), SIGTRAP, "int3");
	is(trace(PTRACE_GETFPREGS, pid, 0, (uintptr_t)&fp), 0, "PTRACE_GETFPREGS");
	ok(fp.xmm_space[12] == 0x55667788 && fp.xmm_space[15] == 0x99aabbcc && fp.cwd == 0x37f,
	   "shows what it loaded");
	fp.mxcsr = 0xffffffff;
	is(trace(PTRACE_SETFPREGS, pid, 0, (uintptr_t)&fp), -EINVAL,
	   "no mode that the processor refuses");
	vector = (struct iovec){state, sizeof(state)};
	if (trace(PTRACE_GETREGSET, pid, NT_X86_XSTATE, (uintptr_t)&vector) == 0) {
		ok(vector.iov_len > 512 && !memcmp(state + 160 + 48, &fp.xmm_space[12], 16) &&
		       state[464] & 3,
		   "the XSAVE image has it, too, and the components");
		state[512 + 8] = 1;
		is(trace(PTRACE_SETREGSET, pid, NT_X86_XSTATE, (uintptr_t)&vector), -EINVAL,
		   "a malformed one is refused");
		state[512 + 8] = 0;
		memset(state + 160 + 48, 0, 16);
		state[160 + 48] = 5;
		is(trace(PTRACE_SETREGSET, pid, NT_X86_XSTATE, (uintptr_t)&vector), 0,
		   "another is taken");
	} else {
		fp.mxcsr = 0x1f80;
		fp.xmm_space[12] = 5;
		fp.xmm_space[13] = 0;
		is(trace(PTRACE_SETFPREGS, pid, 0, (uintptr_t)&fp), 0, "others are taken");
	}
	trace(PTRACE_CONT, pid, 0, 0);
	is(end_of(pid), 6, "the program finds it");
}

static void nowhere(void)
{
	__asm__ volatile("int3");
	_exit(1);
}

/* A tracer may write any address: only the tracee that goes there dies. */
static void test_bad_registers(void)
{
	static const struct {
		size_t offset;
		uint64_t value;
		const char *name;
	} bad[] = {
	    {offsetof(struct user, regs.rip), 1ul << 47, "a non-canonical rip"},
	    {offsetof(struct user, regs.rip), ~0ul << 31, "a rip of the kernel's"},
	    {offsetof(struct user, regs.cs), 0x1b, "a cs that is none"},
	    {offsetof(struct user, regs.ss), 0xffff, "an ss that is none"},
	};

	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		pid_t pid = child_that(nowhere);
		int signo;

		stop_of(pid);
		trace(PTRACE_CONT, pid, 0, 0);
		stop_of(pid);
		trace(PTRACE_POKEUSER, pid, bad[i].offset, bad[i].value);
		trace(PTRACE_CONT, pid, 0, 0);
		signo = stop_of(pid);
		ok(signo == SIGSEGV || signo == SIGBUS, "%s is its own fault", bad[i].name);
		kill(pid, SIGKILL);
		end_of(pid);
	}
}

static void test_memory(void)
{
	static volatile uint64_t word = 1;
	pid_t pid = child_that(leave_seven);
	uint64_t value = 2, back = 0;
	char path[64];
	int mem;

	stop_of(pid);
	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	mem = open(path, O_RDWR);
	ok(mem >= 0, "/proc/PID/mem opens");
	is(pwrite(mem, &value, 8, (off_t)(uintptr_t)&word), 8, "is written");
	is(trace(PTRACE_PEEKDATA, pid, (uintptr_t)&word, (uintptr_t)&back), 0,
	   "a write to /proc/PID/mem is seen by PEEKDATA");
	ok(back == 2 && word == 1, "a write to /proc/PID/mem changes the tracee alone");
	is(pread(mem, &back, 8, (off_t)(uintptr_t)loop_begin), 8, "code is read");
	is(memcmp(&back, loop_begin, 8), 0, "/proc/PID/mem reads code unchanged");
	is(pwrite(mem, &back, 8, (off_t)(uintptr_t)loop_begin), 8,
	   "/proc/PID/mem writes read-only code");
	is(pread(mem, &back, 8, 64) == -1 && errno == EIO, 1, "where nothing is: EIO");
	is(trace(PTRACE_PEEKDATA, pid, 64, (uintptr_t)&back), -EIO, "EIO by words, too");
	is(trace(PTRACE_POKEDATA, pid, ~0ul - 4, 0), -EIO, "the kernel's memory is nobody's");
	kill(pid, SIGKILL);
	end_of(pid);
	is(pread(mem, &back, 8, (off_t)(uintptr_t)&word), 0,
	   "/proc/PID/mem of an ended task has no bytes");
	close(mem);
}

/* Addresses that are not the tracer's. */
static void test_pointers(void)
{
	static const struct {
		int request;
		uintptr_t address;
	} requests[] = {
	    {PTRACE_GETREGS, 0},
	    {PTRACE_SETREGS, 0},
	    {PTRACE_GETFPREGS, 0},
	    {PTRACE_SETFPREGS, 0},
	    {PTRACE_GETREGSET, NT_PRSTATUS},
	    {PTRACE_SETREGSET, NT_PRSTATUS},
	    {PTRACE_GETSIGINFO, 0},
	    {PTRACE_SETSIGINFO, 0},
	    {PTRACE_GETSIGMASK, 8},
	    {PTRACE_SETSIGMASK, 8},
	    {PTRACE_GETEVENTMSG, 0},
	    {PTRACE_GET_SYSCALL_INFO, 80},
	    {PTRACE_PEEKUSER, 0},
	    {PTRACE_PEEKTEXT, (uintptr_t)loop_begin},
	};
	static const uintptr_t hostile[] = {64, 0xffff888000200000, 0xffffffff80200000, 1ul << 47,
					    ~0ul - 3};
	pid_t pid = child_that(leave_seven);
	struct user_regs_struct before, after;

	stop_of(pid);
	before = registers(pid);
	for (unsigned i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
		int refused = 0;

		for (unsigned j = 0; j < 5; j++)
			refused += trace(requests[i].request, pid, requests[i].address,
					 hostile[j]) == -EFAULT;
		ok(refused == 5, "request %#x takes no pointers to others' memory",
		   requests[i].request);
	}
	for (unsigned j = 0; j < 5; j++) {
		struct iovec vector = {(void *)hostile[j], sizeof(before)};

		is(trace(PTRACE_GETREGSET, pid, NT_PRSTATUS, (uintptr_t)&vector), -EFAULT,
		   "PTRACE_GETREGSET takes no vector in others' memory");
	}
	after = registers(pid);
	ok(!memcmp(&before, &after, sizeof(after)), "the tracee is as before");
	trace(PTRACE_CONT, pid, 0, 0);
	is(end_of(pid), 7, "the tracee ends as it would");
}

int main(void)
{
	test_signals();
	test_calls();
	test_breakpoint();
	test_handler();
	test_registers();
	test_bad_registers();
	test_memory();
	test_pointers();
	return tap_end();
}
