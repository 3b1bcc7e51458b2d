/* SPDX-License-Identifier: BSD-2-Clause */
/* Illegal registers, flags, vectors and signal frames of ring 3: each ends as the architecture
 * and Linux say, and the system survives. */
#include "tests/fuzz/fuzz.h"
#include <asm/prctl.h>
#include <setjmp.h>
#include <sys/resource.h>
#include <sys/ucontext.h>

#define TF      (1ul << 8)
#define DF      (1ul << 10)
#define NT      (1ul << 14)
#define AC      (1ul << 18)
#define RIP_END 0x7fffffffeffe /* SYSCALL here returns to the first address past ring 3 */

static char code_page[PAGE] __attribute__((aligned(4096)));

/* Ends with the signal (negative: exits with that status). */
struct hostile {
	const char *name;
	void (*body)(uint64_t argument);
	uint64_t argument;
	int wanted;
};

static void run_code(const char *bytes, size_t length)
{
	mprotect(code_page, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC);
	memcpy(code_page, bytes, length);
	code_page[length] = (char)0xc3;
	((void (*)(void))(void *)code_page)();
}

/* INT n. */
static void int_n(uint64_t n)
{
	const char bytes[2] = {(char)0xcd, (char)n};

	run_code(bytes, 2);
}

/* An instruction, as up to 8 bytes from the lowest on. */
static void instruction(uint64_t bytes)
{
	char code[8];

	memcpy(code, &bytes, 8);
	memset(code_page, 0x90, 64);
	run_code(code, 8);
}

static void jump(uint64_t target)
{
	__asm__ volatile("jmp *%0" : : "r"(target));
}

static void push_at(uint64_t rsp)
{
	__asm__ volatile("mov %0, %%rsp\n\tpush %%rax" : : "r"(rsp) : "memory");
}

static void syscall_with_rsp(uint64_t rsp)
{
	uint64_t saved;

	__asm__ volatile("mov %%rsp, %%rbx\n\tmov %2, %%rsp\n\tmov $39, %%eax\n\tsyscall\n\t"
			 "mov %%rbx, %%rsp"
			 : "=a"(saved), "=m"(code_page)
			 : "r"(rsp)
			 : "rbx", "rcx", "r11", "memory");
	_exit(saved == (uint64_t)getpid() ? 7 : 8);
}

/* System calls with every flag that POPF can set: they return with them. */
static void syscall_with_flags(uint64_t flags)
{
	uint64_t after, result;

	__asm__ volatile("pushf\n\tor %2, (%%rsp)\n\tpopf\n\tmov $39, %%eax\n\tsyscall\n\t"
			 "pushf\n\tpop %1\n\tpush $0x202\n\tpopf"
			 : "=&a"(result), "=&r"(after)
			 : "r"(flags)
			 : "rcx", "r11", "memory", "cc");
	_exit(result == (uint64_t)getpid() && (after & flags) == flags ? 7 : 8);
}

/* A fault in the kernel's copy with the direction flag set, then a copy that must go forward. */
static void copy_with_df(uint64_t argument)
{
	static char from[64] = "forward", to[64];
	int ends[2];

	(void)argument;
	pipe(ends);
	__asm__ volatile("std");
	raw_syscall(SYS_write, (uint64_t[6]){(uint64_t)ends[1], (uint64_t)from, 64});
	raw_syscall(SYS_read, (uint64_t[6]){(uint64_t)ends[0], (uint64_t)to, 64});
	__asm__ volatile("cld");
	_exit(strcmp(to, "forward") ? 8 : 7);
}

static void trap_flag_over_syscalls(uint64_t argument)
{
	signal(SIGTRAP, SIG_IGN);
	(void)argument;
	__asm__ volatile("pushf\n\torl $0x100, (%%rsp)\n\tpopf\n\tmov $39, %%eax\n\tsyscall\n\tnop"
			 :
			 :
			 : "rax", "rcx", "r11", "memory", "cc");
	_exit(7);
}

static void segment(uint64_t selector)
{
	uint16_t value = (uint16_t)selector;

	switch (selector >> 16) {
	case 0:
		__asm__ volatile("mov %0, %%ds" : : "r"(value));
		break;
	case 1:
		__asm__ volatile("mov %0, %%gs" : : "r"(value));
		break;
	case 2:
		__asm__ volatile("mov %0, %%ss" : : "r"(value));
		break;
	default:
		__asm__ volatile("mov %0, %%es" : : "r"(value));
	}
	getpid();
	_exit(7);
}

/* Far returns: selector in the low half. */
static void far_return(uint64_t selector)
{
	__asm__ volatile("push %0\n\tlea 1f(%%rip), %%rax\n\tpush %%rax\n\tlretq\n1:"
			 :
			 : "r"(selector)
			 : "rax", "memory");
	_exit(7);
}

static void iret(uint64_t selector)
{
	__asm__ volatile("mov %%rsp, %%rdx\n\tpush %1\n\tpush %%rdx\n\tpushf\n\tpush %0\n\t"
			 "lea 1f(%%rip), %%rax\n\tpush %%rax\n\tiretq\n1:"
			 :
			 : "r"(selector & 0xffff), "r"(selector >> 16)
			 : "rax", "rdx", "memory");
	_exit(7);
}

static void base(uint64_t address)
{
	_exit(syscall(SYS_arch_prctl, ARCH_SET_GS, address) == -1 && errno == EPERM &&
		      syscall(SYS_arch_prctl, ARCH_SET_FS, address) == -1 && errno == EPERM
		  ? 7
		  : 8);
}

static void unmap_below(uint64_t argument)
{
	void *stack = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)argument;
	push_at((uint64_t)stack + PAGE);
}

/* A handler without a stack to run on. */
static void no_stack_for_handler(uint64_t rsp)
{
	signal(SIGUSR1, exit);
	__asm__ volatile("mov %0, %%rsp\n\tsyscall\n\tmov $60, %%eax\n\tsyscall"
			 :
			 : "r"(rsp), "a"(SYS_tkill), "D"(getpid()), "S"(SIGUSR1)
			 : "memory");
}

static void bad_altstack(uint64_t address)
{
	const stack_t stack = {.ss_sp = (void *)address, .ss_size = -1ul};
	const struct sigaction action = {.sa_handler = exit, .sa_flags = SA_ONSTACK};

	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	_exit(7);
}

static int recurse(volatile char *below, uint64_t times)
{
	volatile char room[2000];

	room[0] = *below;
	return times ? recurse(room, times - 1) + room[0] : 0;
}

static void deep(uint64_t limit)
{
	const struct rlimit stack = {limit, limit};

	setrlimit(RLIMIT_STACK, &stack);
	_exit(recurse("x", -1ul));
}

/* ---- frames that sigreturn refuses, or takes ---- */

enum forged {
	FORGED_CS,
	FORGED_SS,
	FORGED_RIP,
	FORGED_RSP,
	FORGED_FLAGS,
	FORGED_FPSTATE,
	FORGED_XSTATE,
	FORGED_HEADER,
	FORGED_MAGIC,
	FORGED_MASK,
	FORGED_STACK,
};

static uint64_t forged_what, forged_value;

static void forge(int signo, siginfo_t *info, void *context)
{
	ucontext_t *user = context;
	greg_t *registers = user->uc_mcontext.gregs;
	uint64_t *state = (uint64_t *)user->uc_mcontext.fpregs;

	(void)signo;
	(void)info;
	switch (forged_what) {
	case FORGED_CS:
		registers[REG_CSGSFS] = (registers[REG_CSGSFS] & ~0xffffl) | (greg_t)forged_value;
		break;
	case FORGED_SS:
		registers[REG_CSGSFS] =
		    (registers[REG_CSGSFS] & 0xffffffffffffl) | (greg_t)(forged_value << 48);
		break;
	case FORGED_RIP:
		registers[REG_RIP] = (greg_t)forged_value;
		break;
	case FORGED_RSP:
		registers[REG_RSP] = (greg_t)forged_value;
		break;
	case FORGED_FLAGS:
		registers[REG_EFL] = (greg_t)forged_value;
		break;
	case FORGED_FPSTATE:
		user->uc_mcontext.fpregs = (void *)forged_value;
		break;
	case FORGED_XSTATE: /* XSTATE_BV and the rest of the header */
		state[64] = forged_value;
		break;
	case FORGED_HEADER:
		state[65] = forged_value;
		break;
	case FORGED_MAGIC: /* of the software-reserved words */
		state[58] = forged_value;
		break;
	case FORGED_MASK:
		memset(&user->uc_sigmask, 0xff, 8);
		break;
	case FORGED_STACK:
		user->uc_stack.ss_sp = (void *)forged_value;
		user->uc_stack.ss_size = (size_t)-1;
		user->uc_stack.ss_flags = -1;
		break;
	}
}

static sigjmp_buf after_refusal;

static void refused(int signo)
{
	siglongjmp(after_refusal, signo);
}

/* A refused XSAVE area must not come back when the task is switched to later. */
static void forged_state_is_forgotten(uint64_t argument)
{
	const struct sigaction action = {.sa_sigaction = forge, .sa_flags = SA_SIGINFO};
	const struct timespec nap = {.tv_nsec = 1000000};
	double value = 1.5;
	uint64_t before = 0, after = 0, number = SYS_nanosleep;

	(void)argument;
	sigaction(SIGUSR1, &action, NULL);
	signal(SIGSEGV, refused);
	forged_what = FORGED_HEADER;
	forged_value = -1ul;
	if (!sigsetjmp(after_refusal, 1)) {
		raise(SIGUSR1);
		_exit(8);
	}
	memcpy(&before, &value, sizeof(before));
	__asm__ volatile("movq %2, %%xmm15\n\tsyscall\n\tmovq %%xmm15, %0"
			 : "=&r"(after), "+a"(number)
			 : "r"(before), "D"(&nap), "S"(NULL)
			 : "rcx", "r11", "xmm15", "memory");
	_exit(before == after ? 7 : 8);
}

static bool xsave_is_there(void)
{
	uint32_t eax = 1, ebx, ecx = 0, edx;

	__asm__ volatile("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
	return ecx >> 27 & 1;
}

static void forged_return(uint64_t what)
{
	const struct sigaction action = {.sa_sigaction = forge, .sa_flags = SA_SIGINFO};

	sigaction(SIGUSR1, &action, NULL);
	forged_what = what;
	raw_syscall(SYS_tkill,
		    (uint64_t[6]){(uint64_t)raw_syscall(SYS_gettid, (uint64_t[6]){0}), SIGUSR1});
	if (what == FORGED_FLAGS)
		__asm__ volatile("push $0x202\n\tpopf" : : : "cc", "memory");
	_exit(7);
}

static const struct {
	const char *name;
	uint64_t what, value;
	int wanted;
	bool xsave; /* only where the frame has an XSAVE area */
} forgeries[] = {
    {"code segment 0", FORGED_CS, 0, SIGSEGV, false},
    {"the kernel's code segment", FORGED_CS, 0x10, SIGSEGV, false},
    {"a data segment as code", FORGED_CS, 0x2b, SIGSEGV, false},
    {"the task state as code", FORGED_CS, 0x40, SIGSEGV, false},
    {"a code segment beyond the table", FORGED_CS, 0xffff, SIGSEGV, false},
    {"a local code segment", FORGED_CS, 0x37, SIGSEGV, false},
    {"the kernel's stack segment", FORGED_SS, 0x18, SIGSEGV, false},
    {"a code segment as stack", FORGED_SS, 0x33, SIGSEGV, false},
    {"a stack segment beyond the table", FORGED_SS, 0xfff0, SIGSEGV, false},
    {"an address that is not canonical", FORGED_RIP, 0x800000000000, SIGSEGV, false},
    {"an address with bit 63 only", FORGED_RIP, 1ul << 63, SIGSEGV, false},
    {"the kernel's address", FORGED_RIP, KERNEL, SIGSEGV, false},
    {"address 0", FORGED_RIP, 0, SIGSEGV, false},
    {"a stack in the kernel", FORGED_RSP, KERNEL_MAP, SIGSEGV, false},
    {"a stack that is not canonical", FORGED_RSP, 0x800000000010, SIGSEGV, false},
    {"flags without the fixed bit", FORGED_FLAGS, 0, -7, false},
    {"all flags but TF and AC", FORGED_FLAGS, ~(TF | AC | DF), -7, false},
    {"vector state in the kernel", FORGED_FPSTATE, KERNEL_MAP, SIGSEGV, false},
    {"vector state at 1", FORGED_FPSTATE, 1, SIGSEGV, false},
    {"no vector state", FORGED_FPSTATE, 0, -7, false},
    {"unknown state components", FORGED_XSTATE, -1ul, SIGSEGV, true},
    {"reserved words of the XSAVE header", FORGED_HEADER, -1ul, SIGSEGV, true},
    {"another magic word", FORGED_MAGIC, 0, -7, true},
    {"a full signal mask", FORGED_MASK, 0, -7, false},
    {"an alternate stack in the kernel", FORGED_STACK, KERNEL_MAP, -7, false},
};

static const struct hostile cases[] = {
    {"HLT", instruction, 0xf4, SIGSEGV},
    {"CLI", instruction, 0xfa, SIGSEGV},
    {"STI", instruction, 0xfb, SIGSEGV},
    {"IN", instruction, 0xec, SIGSEGV},
    {"OUT", instruction, 0xee, SIGSEGV},
    {"OUT 0xf4", instruction, 0xf4e6, SIGSEGV},
    {"RDMSR", instruction, 0x320f, SIGSEGV},
    {"WRMSR", instruction, 0x300f, SIGSEGV},
    {"MOV from CR0", instruction, 0xc0200f, SIGSEGV},
    {"MOV to CR3", instruction, 0xd8220f, SIGSEGV},
    {"MOV from DR7", instruction, 0xf8210f, SIGSEGV},
    {"LGDT", instruction, 0x14010f, SIGSEGV},
    {"LTR", instruction, 0xd8000f, SIGSEGV},
    {"CLTS", instruction, 0x060f, SIGSEGV},
    {"INVD", instruction, 0x080f, SIGSEGV},
    {"WBINVD", instruction, 0x090f, SIGSEGV},
    {"SYSRET", instruction, 0x070f48, SIGSEGV},
    {"SWAPGS", instruction, 0xf8010f, SIGSEGV},
    {"INVLPG", instruction, 0x38010f, SIGSEGV},
    {"UD2", instruction, 0x0b0f, SIGILL},
    {"INT3", instruction, 0xcc, SIGTRAP},
    {"a segment prefix of 64-bit mode's holes", instruction, 0x06, SIGILL},
    {"VMMCALL", instruction, 0xd9010f, SIGILL},
    {"XSETBV", instruction, 0xd1010f, SIGSEGV},
    {"RDPMC of no counter", instruction, 0x330f, SIGSEGV},
    {"a jump to 0", jump, 0, SIGSEGV},
    {"a jump to an address that is not canonical", jump, 1ul << 47, SIGSEGV},
    {"a jump to the kernel", jump, KERNEL, SIGSEGV},
    {"a push at 0", push_at, 0, SIGSEGV},
    {"a push into the kernel", push_at, KERNEL_MAP + PAGE, SIGSEGV},
    {"a push into a guard page", unmap_below, 0, SIGSEGV},
    {"a system call with stack pointer 0", syscall_with_rsp, 0, -7},
    {"a system call with the stack in the kernel", syscall_with_rsp, KERNEL_MAP + 64, -7},
    {"a system call with a stack that is not canonical", syscall_with_rsp, 1ul << 62, -7},
    {"a system call with DF", syscall_with_flags, DF, -7},
    {"a system call with AC", syscall_with_flags, AC, -7},
    {"a system call with NT", syscall_with_flags, NT, -7},
    {"copies with DF", copy_with_df, 0, -7},
    {"single steps over a system call, SIGTRAP ignored", trap_flag_over_syscalls, 0, SIGTRAP},
    {"DS = 0", segment, 0, -7},
    {"DS = the kernel's", segment, 0x18, SIGSEGV},
    {"DS = the task state", segment, 0x43, SIGSEGV},
    {"GS = 0", segment, 1 << 16, -7},
    {"GS = ring 3's data", segment, 1 << 16 | 0x2b, -7},
    {"GS beyond the table", segment, 1 << 16 | 0xfff3, SIGSEGV},
    {"SS = 0", segment, 2 << 16, SIGSEGV},
    {"SS = the kernel's", segment, 2 << 16 | 0x18, SIGSEGV},
    {"ES = local", segment, 3 << 16 | 0x2f, SIGSEGV},
    {"a far return to the kernel", far_return, 0x10, SIGSEGV},
    {"a far return to data", far_return, 0x2b, SIGSEGV},
    {"IRET to the kernel", iret, 0x180010, SIGSEGV},
    {"IRET with stack segment 0", iret, 0x33, SIGSEGV},
    {"a segment base in the kernel", base, KERNEL, -7},
    {"a segment base that is not canonical", base, 1ul << 47, -7},
    {"a segment base of all ones", base, -1ul, -7},
    {"a handler with the stack at 0", no_stack_for_handler, 0, SIGSEGV},
    {"a handler with the stack in the kernel", no_stack_for_handler, KERNEL_MAP, SIGSEGV},
    {"a handler with a stack that is not canonical", no_stack_for_handler, 1ul << 47, SIGSEGV},
    {"a handler with the stack at the very top", no_stack_for_handler, -8ul, SIGSEGV},
    {"an alternate stack in the kernel", bad_altstack, KERNEL_MAP, SIGSEGV},
    {"an alternate stack everywhere", bad_altstack, 1, -SIGUSR1},
    {"endless recursion", deep, 8 << 20, SIGSEGV},
    {"endless recursion in a small stack", deep, 64 << 10, SIGSEGV},
};

static void check(const char *name, int status, int wanted)
{
	int got = status == -1 ? 0 : WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status);

	if (!ok(got == wanted, "%s", name))
		printf("# got %d, wanted %d (a signal, or minus an exit status)\n", got, wanted);
}

static void all_vectors(void)
{
	unsigned wrong = 0;

	for (unsigned n = 0; n < 256; n++) {
		int status = contained(int_n, n, ENDS_MS);
		int wanted = n == 3 ? SIGTRAP : SIGSEGV;

		if (n == 0x80 || (WIFSIGNALED(status) && WTERMSIG(status) == wanted))
			continue;
		wrong++;
		printf("# INT %u: status %d\n", n, status);
	}
	is(wrong, 0, "INT n for every n but Linux's own");
}

/* SYSCALL as the last instruction of ring 3's addresses. */
static void last_instruction(uint64_t argument)
{
	const char code[2] = {0x0f, 0x05};
	char *page = mmap((void *)USER_LAST, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	(void)argument;
	if (page == MAP_FAILED)
		_exit(9);
	memcpy(page + PAGE - 2, code, 2);
	__asm__ volatile("jmp *%0" : : "r"(RIP_END), "a"(39) : "memory");
}

/* The page that would make SYSCALL return to an address that is not canonical cannot be mapped. */
static void beyond_last(uint64_t argument)
{
	void *page = mmap((void *)(USER_LAST + PAGE), PAGE, PROT_READ | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	(void)argument;
	_exit(page == MAP_FAILED && errno == ENOMEM ? 7 : 8);
}

int main(int argc, char **argv)
{
	be_well_first(argc, argv);
	for (unsigned i = 0; i < COUNT(cases); i++)
		check(cases[i].name, contained(cases[i].body, cases[i].argument, ENDS_MS),
		      cases[i].wanted);
	for (unsigned i = 0; i < COUNT(forgeries); i++) {
		if (forgeries[i].xsave && !xsave_is_there())
			continue;
		forged_value = forgeries[i].value;
		check(forgeries[i].name, contained(forged_return, forgeries[i].what, ENDS_MS),
		      forgeries[i].wanted);
	}
	if (xsave_is_there())
		check("refused vector state is forgotten",
		      contained(forged_state_is_forgotten, 0, ENDS_MS), -7);
	check("a system call at the end of ring 3", contained(last_instruction, 0, ENDS_MS),
	      SIGSEGV);
	check("nothing lies past the last page", contained(beyond_last, 0, ENDS_MS), -7);
	all_vectors();
	system_is_well("all this");
	return tap_end();
}
