/* SPDX-License-Identifier: BSD-2-Clause */
/* The processor's traps in ring 3: every exception becomes Linux's signal, and entries keep all
 * registers. */
#include "tests/guest/cpus.h"
#include <cpuid.h>
#include <fenv.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#include "tests/guest/tap.h"

#define FLAG_DF        0x400ul
#define FLAG_AC        0x40000ul
#define KERNEL_ADDRESS 0xffffffff80200000ul
#define NOT_CANONICAL  0x8000000000000000ul

static sigjmp_buf back;
static volatile siginfo_t seen;
static volatile uint64_t seen_rip, seen_trap, seen_flags;

static void note(int signo, siginfo_t *info, void *context)
{
	const ucontext_t *user = context;

	__asm__ volatile("pushfq\n andq $-0x40001, (%%rsp)\n popfq"
			 :
			 :
			 : "cc", "memory"); /* AC stays on otherwise */
	(void)signo;
	seen = *info;
	seen_rip = (uint64_t)user->uc_mcontext.gregs[REG_RIP];
	seen_trap = (uint64_t)user->uc_mcontext.gregs[REG_TRAPNO];
	seen_flags = (uint64_t)user->uc_mcontext.gregs[REG_EFL];
	siglongjmp(back, 1);
}

/* The offending instructions; each label is where the signal must say that it happened. */
__asm__(
    ".globl do_divide, at_divide, do_invalid, at_invalid, do_breakpoint, at_breakpoint, do_halt, "
    "at_halt\n"
    ".globl do_step, at_step, do_step_call, at_step_call, do_align, at_align, do_sse, at_sse, "
    "do_jump\n"
    "do_divide: xorl %ecx, %ecx\n xorl %edx, %edx\n movl $1, %eax\n at_divide: divl %ecx\n ret\n"
    "do_invalid: at_invalid: ud2\n ret\n"
    "do_breakpoint: int3\n at_breakpoint: ret\n"
    "do_halt: at_halt: hlt\n ret\n"
    "do_step: pushfq\n orq $0x100, (%rsp)\n popfq\n nop\n at_step: ret\n"
    "do_step_call: movl $39, %eax\n pushfq\n orq $0x100, (%rsp)\n popfq\n syscall\n nop\n "
    "at_step_call: ret\n"
    "do_align: pushfq\n orq $0x40000, (%rsp)\n leaq -63(%rsp), %rcx\n andq $-8, %rcx\n popfq\n"
    " at_align: movq 1(%rcx), %rax\n pushfq\n andq $-0x40001, (%rsp)\n popfq\n ret\n"
    "do_sse: pushq $0x1d80\n ldmxcsr (%rsp)\n addq $8, %rsp\n xorps %xmm1, %xmm1\n movl $1, %eax\n "
    "cvtsi2ss %eax, %xmm0\n"
    " at_sse: divss %xmm1, %xmm0\n ret\n"
    "do_jump: jmpq *%rdi\n");
void do_divide(void), do_invalid(void), do_breakpoint(void), do_halt(void), do_step(void),
    do_step_call(void), do_align(void), do_sse(void), do_jump(void *);
extern char at_divide[], at_invalid[], at_breakpoint[], at_halt[], at_step[], at_step_call[],
    at_align[], at_sse[];

static void expect(const char *name, int signo, int code, uint64_t address, const void *rip,
		   unsigned trap)
{
	int good = seen.si_signo == signo && seen.si_code == code && seen_rip == (uint64_t)rip &&
		   seen_trap == trap && (uint64_t)seen.si_addr == address;

	if (!ok(good, "%s", name))
		printf("# signal %d code %d address %p rip %lx trap %lu; want %d %d %lx %p %u\n",
		       seen.si_signo, seen.si_code, seen.si_addr, (unsigned long)seen_rip,
		       (unsigned long)seen_trap, signo, code, (unsigned long)address, rip, trap);
}

/* QEMU's emulator knows neither unmasked SSE exceptions nor alignment checks. */
static void not_raised(const char *name)
{
	skip(name, "the emulator does not raise it");
}

static void exceptions(void)
{
	if (!sigsetjmp(back, 1))
		do_divide();
	expect("division by zero", SIGFPE, FPE_INTDIV, (uint64_t)at_divide, at_divide, 0);
	if (!sigsetjmp(back, 1))
		do_invalid();
	expect("invalid opcode", SIGILL, ILL_ILLOPN, (uint64_t)at_invalid, at_invalid, 6);
	if (!sigsetjmp(back, 1))
		do_breakpoint();
	expect("int3", SIGTRAP, SI_KERNEL, 0, at_breakpoint, 3);
	if (!sigsetjmp(back, 1))
		do_halt();
	expect("privileged instruction", SIGSEGV, SI_KERNEL, 0, at_halt, 13);
	if (!sigsetjmp(back, 1))
		do_step();
	expect("single step", SIGTRAP, TRAP_TRACE, (uint64_t)at_step, at_step, 1);
	if (!sigsetjmp(back, 1))
		do_step_call();
	expect("single step over a system call", SIGTRAP, TRAP_TRACE, (uint64_t)at_step_call,
	       at_step_call, 1);
	if (!sigsetjmp(back, 1)) {
		do_sse();
		not_raised("SSE division by zero");
	} else {
		expect("SSE division by zero", SIGFPE, FPE_FLTDIV, (uint64_t)at_sse, at_sse, 19);
	}
	fesetenv(FE_DFL_ENV);
}

static void page_faults(char *page)
{
	volatile char *nothing = NULL, *kernel = (char *)KERNEL_ADDRESS,
		      *odd = (char *)NOT_CANONICAL;

	if (!sigsetjmp(back, 1))
		do_jump(page);
	expect("execute what is not executable", SIGSEGV, SEGV_ACCERR, (uint64_t)page, page, 14);
	if (!sigsetjmp(back, 1))
		do_jump((void *)8);
	expect("execute nothing", SIGSEGV, SEGV_MAPERR, 8, (void *)8, 14);
	if (!sigsetjmp(back, 1))
		(void)*nothing;
	ok(seen.si_signo == SIGSEGV && seen.si_code == SEGV_MAPERR && !seen.si_addr &&
	       seen_trap == 14,
	   "read nothing");
	if (!sigsetjmp(back, 1))
		*page = 1;
	ok(seen.si_signo == SIGSEGV && seen.si_code == SEGV_ACCERR && seen.si_addr == page,
	   "write what is read-only");
	if (!sigsetjmp(back, 1))
		(void)*kernel;
	ok(seen.si_signo == SIGSEGV && seen.si_code == SEGV_MAPERR, "read the kernel");
	if (!sigsetjmp(back, 1))
		(void)*odd;
	ok(seen.si_signo == SIGSEGV && seen.si_code == SI_KERNEL && !seen.si_addr &&
	       seen_trap == 13,
	   "read a non-canonical address");
}

/* All registers but rax, rcx and r11 survive a system call; 1 when they do. */
static int call_keeps_registers(void)
{
	uint64_t good;

	__asm__ volatile(
	    "leaq -128(%%rsp), %%rsp\n pushq %%rbp\n pushq %%rbx\n"
	    "movl %1, %%eax\n"
	    "movq $1, %%rdi\n movq $2, %%rsi\n movq $3, %%rdx\n movq $4, %%r8\n movq $5, %%r9\n "
	    "movq $6, %%r10\n"
	    "movq $7, %%rbx\n movq $8, %%rbp\n movq $9, %%r12\n movq $10, %%r13\n movq $11, "
	    "%%r14\n movq $12, %%r15\n"
	    "syscall\n"
	    "addq %%rsi, %%rdi\n shlq $4, %%rdx\n addq %%rdx, %%rdi\n addq %%r8, %%rdi\n addq "
	    "%%r9, %%rdi\n"
	    "shlq $8, %%r10\n addq %%r10, %%rdi\n addq %%rbx, %%rdi\n addq %%rbp, %%rdi\n shlq "
	    "$12, %%r12\n"
	    "addq %%r12, %%rdi\n addq %%r13, %%rdi\n addq %%r14, %%rdi\n addq %%r15, %%rdi\n"
	    "movq %%rdi, %0\n popq %%rbx\n popq %%rbp\n leaq 128(%%rsp), %%rsp\n"
	    : "=&a"(good)
	    : "i"(SYS_getppid)
	    : "rdi", "rsi", "rdx", "rcx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
	      "memory");
	return good == 1 + 2 + (3 << 4) + 4 + 5 + (6 << 8) + 7 + 8 + (9 << 12) + 10 + 11 + 12;
}

static volatile sig_atomic_t alarms;

static void scribble(int signo)
{
	/* The handler may use every vector register. */
	__asm__ volatile(
	    "pcmpeqb %%xmm0, %%xmm0\n pcmpeqb %%xmm7, %%xmm7\n pcmpeqb %%xmm15, %%xmm15"
	    :
	    :
	    : "xmm0", "xmm7", "xmm15");
	(void)signo;
	alarms++;
}

/* A loop that keeps everything in registers while signals arrive; 1 when nothing was lost. */
static int interrupts_keep_registers(void)
{
	uint64_t rounds = 3000000, sum = 0, x0, x15;

	__asm__ volatile(
	    "movq %[seed], %%xmm0\n movq %[seed], %%xmm15\n"
	    "1: addq %[rounds], %[sum]\n decq %[rounds]\n jnz 1b\n"
	    "movq %%xmm0, %[x0]\n movq %%xmm15, %[x15]\n"
	    : [sum] "+&r"(sum), [rounds] "+&r"(rounds), [x0] "=&r"(x0), [x15] "=&r"(x15)
	    : [seed] "r"(0x123456789abcdef0ul)
	    : "xmm0", "xmm15", "cc");
	return sum == 3000000ul * 3000001 / 2 && x0 == 0x123456789abcdef0ul && x15 == x0;
}

/* Gives the processor away many times with a pattern in AVX registers; 1 when it was there each
 * time. */
static int switches_keep_registers(uint64_t pattern)
{
	uint64_t rounds = 500, low[4], high[4];

	__asm__ volatile("vbroadcastsd %[pattern], %%ymm3\n vbroadcastsd %[pattern], %%ymm12\n"
			 "1: movl %[yield], %%eax\n syscall\n decq %[rounds]\n jnz 1b\n"
			 "vmovdqu %%ymm3, %[low]\n vmovdqu %%ymm12, %[high]\n vzeroupper\n"
			 : [rounds] "+&r"(rounds), [low] "=m"(low), [high] "=m"(high)
			 : [pattern] "m"(pattern), [yield] "i"(SYS_sched_yield)
			 : "rax", "rcx", "r11", "xmm3", "xmm12", "cc", "memory");
	for (int i = 0; i < 4; i++)
		if (low[i] != pattern || high[i] != pattern)
			return 0;
	return 1;
}

/* Two processes at once, each with a pattern of its own. */
static void vectors(void)
{
	int status = -1;
	pid_t child;

	if (!__builtin_cpu_supports("avx")) {
		skip("switches keep the registers", "no AVX");
		return;
	}
	child = fork();
	if (!child)
		_exit(!switches_keep_registers(0x0123456789abcdef));
	ok(switches_keep_registers(0xfedcba9876543210), "switches keep the parent's AVX registers");
	ok(waitpid(child, &status, 0) == child && status == 0, "a child's vectors are right");
}

static void registers(void)
{
	struct sigaction action = {.sa_handler = scribble};
	bool kept = true;

	ok(call_keeps_registers(), "a system call keeps the registers");
	sigaction(SIGALRM, &action, NULL);
	ualarm(200, 200);
	/* With several processors the clock is the host's, which may be busy elsewhere. */
	for (int i = 0; kept && (!i || (!alarms && i < 1000)); i++)
		kept = interrupts_keep_registers();
	ok(kept, "interrupts and handlers keep the registers");
	ualarm(0, 0);
	ok(alarms > 0, "alarms interrupted the program");
}

static void flags(void)
{
	uint64_t after;

	__asm__ volatile("leaq -128(%%rsp), %%rsp\n std\n movl %1, %%eax\n syscall\n pushfq\n popq "
			 "%0\n cld\n leaq 128(%%rsp), %%rsp"
			 : "=r"(after)
			 : "i"(SYS_getppid)
			 : "rax", "rcx", "r11", "memory");
	ok(after & FLAG_DF, "a system call keeps the direction flag");
	if (!sigsetjmp(back, 1)) {
		do_align();
		not_raised("alignment check");
	} else {
		expect("alignment check", SIGBUS, BUS_ADRALN, 0, at_align, 17);
		ok(seen_flags & FLAG_AC, "the frame shows AC");
	}
}

/* A handler that sends its program back to where no program can be. */
static volatile uint64_t bad_rip;

static void misdirect(int signo, siginfo_t *info, void *context)
{
	ucontext_t *user = context;

	(void)signo, (void)info;
	user->uc_mcontext.gregs[REG_RIP] = (greg_t)bad_rip;
}

static void bad_returns(void)
{
	struct sigaction action = {.sa_sigaction = misdirect, .sa_flags = SA_SIGINFO};

	sigaction(SIGUSR1, &action, NULL);
	bad_rip = NOT_CANONICAL;
	if (!sigsetjmp(back, 1))
		raise(SIGUSR1);
	ok(seen.si_signo == SIGSEGV && seen_rip == NOT_CANONICAL && seen_trap == 13,
	   "return to a non-canonical address");
	bad_rip = KERNEL_ADDRESS;
	if (!sigsetjmp(back, 1))
		raise(SIGUSR1);
	ok(seen.si_signo == SIGSEGV && seen_rip == KERNEL_ADDRESS && seen_trap == 14,
	   "return into the kernel");
}

/* The bytes that SGDT or SIDT stores. */
struct table {
	uint16_t limit;
	uint64_t base;
} __attribute__((packed));

/* True if ring 3 sees a table's address: the processor refuses, and Linux then gives a limit of
 * 0. */
static bool sees(void (*store)(struct table *))
{
	struct table table = {0};

	seen.si_signo = 0;
	if (!sigsetjmp(back, 1))
		store(&table);
	return seen.si_signo != SIGSEGV && table.limit;
}

static void store_gdt(struct table *table)
{
	__asm__ volatile("sgdt %0" : "=m"(*table));
}

static void store_idt(struct table *table)
{
	__asm__ volatile("sidt %0" : "=m"(*table));
}

/* CPUID leaf 7, ECX bit 2: the processor has user-mode instruction prevention. */
static void tables(void)
{
	int cpus[CPUS_MAX], count = usable_cpus(cpus);
	unsigned eax, ebx, ecx = 0, edx, wrong = 0, tried = 0;

	__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx);
	for (int i = 0; i < count; i++) {
		tried += place(0, cpus[i]) == 0;
		wrong += sees(store_gdt) + sees(store_idt);
	}
	is(tried, count, "every processor is tried");
	if (ecx & 4)
		is(wrong, 0, "no table's address is shown to ring 3");
	else
		skip("tables", "a processor without UMIP");
}

int main(void)
{
	static const int caught[] = {SIGFPE, SIGILL, SIGTRAP, SIGSEGV, SIGBUS};
	struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO};
	char *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (unsigned i = 0; i < sizeof(caught) / sizeof(caught[0]); i++)
		sigaction(caught[i], &action, NULL);
	exceptions();
	page_faults(page);
	registers();
	vectors();
	flags();
	bad_returns();
	tables();
	return tap_end();
}
