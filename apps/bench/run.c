/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs the code once, in ring 3 with signal handlers or in ring 0 by /dev/ring0, after emptying the
 * caches. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <ucontext.h>
#include <unistd.h>

#include "apps/bench/bench.h"

#define FIRST_INTERRUPT    32
#define NMI                2
#define MOST_INTERRUPTIONS 100
#define MSR_PREFETCH       0x1a4
#define PREFETCHERS        0xf

static int device = -1; /* /dev/ring0 */
static sigjmp_buf ended;
static struct end *caught;
static int msr_file = -1;
static uint64_t prefetch_was;

/* ---- ring 3 ---- */

/* By enum ring0_register. */
static const int context_registers[RING0_REGISTERS] = {
    REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
    REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

static void on_signal(int signal, siginfo_t *info, void *context)
{
	const greg_t *from = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)info;
	if (!caught) {
		guard_leave();
		_exit(128 + signal);
	}
	caught->ended = true;
	caught->call = (struct ring0_call){.ended = (uint32_t)from[REG_TRAPNO],
					   .error = (uint32_t)from[REG_ERR],
					   .rip = (uint64_t)from[REG_RIP],
					   .rflags = (uint64_t)from[REG_EFL],
					   .cr2 = (uint64_t)from[REG_CR2]};
	for (int i = 0; i < RING0_REGISTERS; i++)
		caught->call.registers[i] = (uint64_t)from[context_registers[i]];
	siglongjmp(ended, 1);
}

static void catch_signals(void)
{
	static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP};
	static char stack[65536];
	const stack_t other = {.ss_sp = stack, .ss_size = sizeof(stack)};
	struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK};

	sigaltstack(&other, NULL);
	for (unsigned i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &action, NULL);
}

static void run_ring3(const struct harness *harness, struct end *end)
{
	caught = end;
	if (!sigsetjmp(ended, 1))
		((void (*)(void))harness->code)();
	caught = NULL;
}

/* ---- ring 0 ---- */

static void open_device(void)
{
	device = open("/dev/ring0", O_RDWR | O_CLOEXEC);
	if (device >= 0)
		return;
	if (errno == ENOENT)
		fail("--ring 0 needs the barepmu kernel: this one has no /dev/ring0");
	fail("--ring 0 needs root: /dev/ring0: %s", strerror(errno));
}

/* True if an interrupt ended it, which is no fault of the code. */
static bool was_interrupted(const struct ring0_call *call)
{
	return call->ended == NMI ||
	       (call->ended >= FIRST_INTERRUPT && call->ended != RING0_RETURNED);
}

static void call_ring0(struct ring0_call *call)
{
	const struct ring0_call original = *call;

	for (int i = 0; i < MOST_INTERRUPTIONS; i++) {
		*call = original;
		if (ioctl(device, RING0_CALL, call))
			fail("/dev/ring0: %s", strerror(errno));
		if (!was_interrupted(call))
			return;
	}
}

static void run_in_ring0(const struct harness *harness, struct end *end)
{
	end->call = (struct ring0_call){.code = (uint64_t)harness->code, .stack = harness->stack};
	call_ring0(&end->call);
	end->ended = end->call.ended != RING0_RETURNED;
}

/* Runs the code in ring 0 for privileged operations; false: this kernel does not allow it. */
static bool run_ring0(struct ring0_call *call, const void *code, uint64_t argument)
{
	static uint8_t *memory;
	const size_t bytes = 8192;

	if (device < 0)
		device = open("/dev/ring0", O_RDWR | O_CLOEXEC);
	if (device < 0)
		return false;
	if (!memory)
		memory = low_memory(bytes);
	memcpy(memory, code, 64);
	*call = (struct ring0_call){
	    .code = (uint64_t)memory, .argument = argument, .stack = (uint64_t)memory + bytes};
	call_ring0(call);
	return call->ended == RING0_RETURNED;
}

/* ---- both ---- */

void run_prepare(const struct bench_options *options)
{
	int cpu = options->cpu >= 0 ? options->cpu : sched_getcpu();
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((unsigned)cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		fail("--cpu %d: this machine has no such processor", cpu);
	catch_signals();
	if (options->ring == 0)
		open_device();
}

__attribute__((target("avx"))) static void clean_upper_halves(void)
{
	__builtin_ia32_vzeroupper();
}

/* Forgets vector state that the code leaves: upper halves, for which SSE instructions pay, and
 * x87 registers that MMX instructions have marked as full. */
static void clean_registers(void)
{
	__builtin_ia32_emms();
	if (__builtin_cpu_supports("avx"))
		clean_upper_halves();
}

void run_once(const struct bench_options *options, const struct harness *harness, struct end *end)
{
	end->ended = false;
	clean_registers();
	if (options->ring == 0)
		run_in_ring0(harness, end);
	else
		run_ring3(harness, end);
	clean_registers();
}

/* ---- cold ---- */

/* wbinvd; ret. And: flips CR4.PGE, by which all entries of the TLBs go: mov rax, cr4; xor al, 80h;
 * mov cr4, rax; xor al, 80h; mov cr4, rax; ret. */
static const uint8_t write_back[64] = {0x0f, 0x09, 0xc3};
static const uint8_t flush_tlb[64] = {0x0f, 0x20, 0xe0, 0x34, 0x80, 0x0f, 0x22,
				      0xe0, 0x34, 0x80, 0x0f, 0x22, 0xe0, 0xc3};

static void need_ring0(const uint8_t *code, const char *what)
{
	struct ring0_call call;

	if (!run_ring0(&call, code, 0))
		fail("%s needs /dev/ring0: the barepmu kernel, and root", what);
}

#define BRANCHES   16384
#define STEP_BYTES 10
/* Fills the branch predictor's tables with jumps over a NOP, taken at random. bt edi, n; jc +1;
 * nop; ror edi, k */
static void scatter_branches(void)
{
	static uint8_t *code;
	uint32_t random = 1;
	uint8_t *to;

	if (!code) {
		code = low_memory(BRANCHES * STEP_BYTES + 1);
		to = code;
		for (int i = 0; i < BRANCHES; i++) {
			random = random * 1664525 + 1013904223;
			const uint8_t step[STEP_BYTES] = {
			    0x0f, 0xba, 0xe7, (uint8_t)(random >> 27),     0x72, 1,
			    0x90, 0xc1, 0xcf, (uint8_t)(random >> 22 & 31)};
			memcpy(to, step, sizeof(step));
			to += sizeof(step);
		}
		*to = 0xc3;
	}
	random = (uint32_t)rand();
	((void (*)(uint32_t))code)(random * 2654435761u);
}

bool run_can_empty(void)
{
	struct ring0_call call;

	return run_ring0(&call, write_back, 0);
}

void run_cool(const struct bench_options *options, const struct harness *harness)
{
	if (options->cold & BENCH_COLD_BRANCHES)
		scatter_branches();
	if (options->flush)
		for (int i = 0; i < AREAS; i++)
			flush_lines(areas[i].start, areas[i].bytes);
	if (options->cold & BENCH_COLD_DATA)
		need_ring0(write_back, "--cold d");
	if (options->cold & BENCH_COLD_TLB)
		need_ring0(flush_tlb, "--cold tlb");
	if (options->cold & BENCH_COLD_CODE)
		flush_lines(harness->code, (size_t)(harness->end - harness->code));
}

/* ---- prefetchers ---- */

void prefetch_off(const struct bench_options *options)
{
	char path[64];
	uint64_t value;

	if (!options->prefetch_off)
		return;
	snprintf(path, sizeof(path), "/dev/cpu/%d/msr", sched_getcpu());
	msr_file = open(path, O_RDWR | O_CLOEXEC);
	if (msr_file < 0)
		fail("--prefetch off: %s: %s", path, strerror(errno));
	if (pread(msr_file, &prefetch_was, 8, MSR_PREFETCH) != 8)
		fail("--prefetch off: this processor has no MSR 1A4H");
	value = prefetch_was | PREFETCHERS;
	if (pwrite(msr_file, &value, 8, MSR_PREFETCH) != 8)
		fail("--prefetch off: MSR 1A4H: %s", strerror(errno));
	if (pread(msr_file, &value, 8, MSR_PREFETCH) != 8 || (value & PREFETCHERS) != PREFETCHERS)
		fail("--prefetch off: MSR 1A4H does not keep what is written: nothing is switched "
		     "here");
}

void prefetch_back(void)
{
	if (msr_file >= 0 && pwrite(msr_file, &prefetch_was, 8, MSR_PREFETCH) != 8)
		fail("MSR 1A4H: %s", strerror(errno));
}
