/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs the cases: each stepped by the trap flag, with the state after each instruction, then at
 * full speed. One line a case. */
#include "tests/diff/diff.h"
#include "tests/bare/machine/gate.h"
#include "emulator/visor/base/console.h"
#include "emulator/visor/base/cpu.h"
#include "emulator/visor/base/lib.h"
#include "abi/debug_exit.h"
#include "abi/pvh.h"

#define VECTORS      256
#define VECTOR_DB    1
#define VECTOR_NMI   2
#define VECTOR_BP    3
#define VECTOR_OF    4
#define VECTOR_PF    14
#define VECTOR_TIMER 0x20
#define FIRST_PASSED 0x30 /* these come back to the code */
#define LAST_PASSED  0x3f
#define STUB_BYTES   16
#define KERNEL_SS    0x10
#define USER_CS      0x2b
#define USER_SS      0x23
#define STEPS        48
#define ENDLESS      0x656e646c657373ull /* printed for a case that the clock had to end */

#define APIC(reg)   (0xfee00000ull + (reg))
#define EOI         APIC(0x0b0)
#define SVR         APIC(0x0f0)
#define LVT_TIMER   APIC(0x320)
#define LVTPC       APIC(0x340)
#define INITIAL     APIC(0x380)
#define DIVIDE      APIC(0x3e0)
#define SVR_ENABLE  0x1ffu
#define DIVIDE_BY_1 0xb
#define LVT_NMI     0x400u
#define PATIENCE    1000000000u /* ns */

#define MSR_FIXED_0     0x309
#define MSR_FIXED_CTRL  0x38d
#define MSR_GLOBAL_CTRL 0x38f
#define MSR_AMD_SELECT  0xc0010000
#define AMD_COUNTS      0x4000c0u /* instructions; and in which rings: */
#define AMD_USR         0x10000u
#define AMD_OS          0x20000u
#define FIXED_OS        1u
#define FIXED_USR       2u
#define FIXED_PMI       8u
#define COUNTER_WIDTH   48
#define SHORTEST        8 /* instructions: longer than the handler's own */
#define PERIODS         29

extern const char stubs[], syscall_entry[];
void guest_main(const struct pvh_start_info *start);

static struct gate gates[VECTORS];
static bool show, sampling, pauses;
static struct {
	uint64_t hash;
	unsigned steps;
	bool stepped, endless;
} run;
static struct {
	unsigned instructions, steps, vectors[VECTOR_SYSCALL + 1], endless;
} seen;

static void mix(uint64_t value)
{
	run.hash = (run.hash ^ value) * 0x100000001b3ull;
	run.hash ^= run.hash >> 29;
}

static void mix_state(const struct state *s)
{
	for (unsigned i = 0; i < GPRS; i++)
		mix(s->gpr[i]);
	mix(s->rip);
	mix(s->cs);
	mix(s->rflags);
	mix(s->ss);
	mix(s->vector);
	mix(s->error);
}

static bool in_window(const struct state *s)
{
	return s->rip >= CODE && s->rip < CODE + CODE_BYTES;
}

static void tell(const struct state *s)
{
	say("# vector %lu error %lx rip %lx cs %lx flags %lx ss %lx cr2 %lx:", s->vector, s->error,
	    s->rip, s->cs, s->rflags, s->ss, read_cr2());
	for (unsigned i = 0; i < GPRS; i++)
		say(" %lx", s->gpr[i]);
	if (in_window(s)) {
		say(", code");
		for (unsigned i = 0; i < 8; i++)
			say(" %02x", code_page[(s->rip + i) % PAGE]);
	}
	say("\n");
}
void trap(struct state *s)
{
	bool passed =
	    s->vector == VECTOR_BP || (s->vector >= FIRST_PASSED && s->vector <= LAST_PASSED);

	if (fixup) {
		s->gpr[RAX] = s->vector;
		s->rip = fixup;
		return;
	}
	if (s->vector == VECTOR_TIMER && in_window(s)) {
		run.endless = true;
		cpu_write_device(EOI, 0);
		leave_case(0);
	}
	mix_state(s);
	if (s->vector == VECTOR_PF)
		mix(read_cr2());
	if (show)
		tell(s);
	seen.vectors[s->vector <= VECTOR_SYSCALL ? s->vector : 0]++;
	run.steps++;
	if (run.steps < STEPS && in_window(s) &&
	    (passed || (s->vector == VECTOR_DB && run.stepped)))
		return;
	leave_case(1);
}

static void traps_setup(void)
{
	struct table_register idt = {sizeof(gates) - 1, (uint64_t)gates};

	for (unsigned i = 0; i < VECTORS; i++) {
		uint64_t stub = (uint64_t)stubs + i * STUB_BYTES;
		bool user =
		    i == VECTOR_BP || i == VECTOR_OF || (i >= FIRST_PASSED && i <= LAST_PASSED);

		gates[i] = gate_to(stub, i == VECTOR_NMI ? 2 : 1, user ? GATE_USER : GATE_KERNEL);
	}
	lidt(&idt);
	outb(0x21, 0xff); /* the PICs are masked */
	outb(0xa1, 0xff);
	cpu_write_device(SVR, SVR_ENABLE);
	cpu_write_device(DIVIDE, DIVIDE_BY_1);
	cpu_write_device(LVT_TIMER, VECTOR_TIMER);
	cpu_write_device(LVTPC, LVT_NMI);
}

/* The registers that code of ring 0 may have written. */
static void restore_registers(void)
{
	static const struct {
		uint32_t msr;
		uint64_t value;
	} values[] = {
	    {0xc0000080, 0xd01}, {0xc0000081, (uint64_t)0x1b << 48 | (uint64_t)KERNEL_CS << 32},
	    {0xc0000083, 0},     {0xc0000084, RFLAGS_TF | RFLAGS_IF},
	    {0xc0000100, 0},     {0xc0000101, 0},
	    {0xc0000102, 0},     {0xc0000103, 0},
	    {0x174, 0},          {0x175, 0},
	    {0x176, 0},
	};

	tidy();
	for (unsigned i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		wrmsr(values[i].msr, values[i].value);
	wrmsr(0xc0000082, (uint64_t)syscall_entry);
}

static void fill(struct dice *dice, uint8_t *at, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i += 8)
		*(uint64_t *)(at + i) = roll(dice);
}

/* Pointers, small numbers, anything. */
static uint64_t value(struct dice *dice, unsigned ring)
{
	switch (below(dice, ring ? 5 : 2)) {
	case 0:
		return below(dice, 64);
	case 1:
		return 0x8000000000000000ull >> below(dice, 16);
	case 2:
		return DATA + below(dice, 5 * PAGE);
	case 3:
		return CODE + below(dice, 64);
	default:
		return roll(dice);
	}
}

static struct state start_state(struct dice *dice, unsigned ring)
{
	struct state s = {.rip = CODE,
			  .cs = ring ? USER_CS : KERNEL_CS,
			  .ss = ring ? USER_SS : KERNEL_SS,
			  .rflags = RFLAGS_FIXED | (ring ? RFLAGS_IF : 0) | (roll(dice) & 0x8d5)};

	for (unsigned i = 0; i < GPRS; i++)
		s.gpr[i] = value(dice, ring);
	s.gpr[RBX] = DATA + 128 + below(dice, 1024) * 4;
	s.gpr[RSI] = DATA + 128 + below(dice, 1024);
	s.gpr[RDI] = DATA + PAGE + below(dice, 1024);
	s.gpr[RSP] = STACK_MIDDLE - below(dice, 64) * 8;
	return s;
}

/* With `show`, also prints them in lines of eight. */
static void mix_words(const char *what, const uint64_t *words, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		mix(words[i]);
		if (show && i % 8 == 0)
			say("# %s %u:", what, i);
		if (show)
			say(" %lx%s", words[i], i % 8 == 7 || i == n - 1 ? "\n" : "");
	}
}

static void mix_rest(void)
{
	uint64_t words[32], others[5];

	write_cr0((read_cr0() & ~0xcull)); /* neither EM nor TS */
	write_cr4(read_cr4() | 0x600);
	cpu_read_xmms(words);
	others[0] = cpu_read_ds();
	others[1] = cpu_read_es();
	for (unsigned i = 0; i < 3; i++)
		others[2 + i] = rdmsr(0xc0000100 + i);
	mix_words("xmm", words, 32);
	mix_words("ds, es, bases", others, 5);
	mix_words("data", (const uint64_t *)data_pages, DATA_BYTES / 8);
	mix_words("stack", (const uint64_t *)stack_pages, DATA_BYTES / 8);
}

static uint64_t run_case(uint64_t seed, uint64_t number, bool stepped)
{
	struct dice dice = {seed * 0x9e3779b97f4a7c15ull + number * 0xbf58476d1ce4e5b9ull + 1};
	unsigned ring;
	struct state state;
	uint64_t ended;

	roll(&dice);
	roll(&dice);
	ring = below(&dice, 5) < 3 ? 3 : 0;
	generate(&dice, ring, pauses, code_page);
	fill(&dice, data_pages, DATA_BYTES);
	fill(&dice, stack_pages, DATA_BYTES);
	state = start_state(&dice, ring);
	state.rflags |= stepped ? RFLAGS_TF : 0;
	run.hash = 0xcbf29ce484222325ull;
	run.steps = 0;
	run.stepped = stepped;
	run.endless = false;
	if (show)
		say("# ring %u, %s\n", ring, stepped ? "stepped" : "at once");
	restore_registers();
	cpu_write_device(INITIAL, PATIENCE);
	ended = enter_case(&state);
	cpu_write_device(INITIAL, 0);
	if (!ended)
		return ENDLESS;
	mix_rest();
	seen.steps += run.steps;
	return run.hash;
}

/* Starts counting by the words: "user" or "all" rings are counted; "sample": with PMIs, which no
 * case sees. */
static void count(const char *words)
{
	unsigned rings;

	sampling = has_word(words, "count=sample");
	rings = has_word(words, "count=user")              ? FIXED_USR
		: sampling || has_word(words, "count=all") ? FIXED_USR | FIXED_OS
							   : 0;

	counting_msr = MSR_GLOBAL_CTRL;
	if (!rings)
		return;
	if (has_word(words, "amd")) {
		counting_msr = MSR_AMD_SELECT;
		counting = AMD_COUNTS | (rings & FIXED_USR ? AMD_USR : 0) |
			   (rings & FIXED_OS ? AMD_OS : 0);
		return;
	}
	wrmsr(MSR_FIXED_CTRL, rings | (sampling ? FIXED_PMI : 0));
	counting = 1ull << 32;
}

static void begin_period(uint64_t number)
{
	if (!sampling)
		return;
	period = SHORTEST + number % PERIODS;
	wrmsr(MSR_FIXED_0, -period & ((1ull << COUNTER_WIDTH) - 1));
}

static uint64_t number_of(const char *words, const char *name, uint64_t otherwise)
{
	size_t bytes = strlen(name);
	uint64_t result = 0;

	for (; *words; words++)
		if (!memcmp(words, name, bytes))
			break;
	if (!*words)
		return otherwise;
	for (words += bytes; *words >= '0' && *words <= '9'; words++)
		result = result * 10 + (uint64_t)(*words - '0');
	return result;
}

void guest_main(const struct pvh_start_info *start)
{
	const char *words = (const char *)start->command_line;
	uint64_t seed = number_of(words, "seed=", 1), first = number_of(words, "first=", 0);
	uint64_t cases = number_of(words, "cases=", 100);
	unsigned kinds = 0;

	traps_setup();
	show = has_word(words, "show");
	pauses = !has_word(words, "nopause");
	count(words);
	for (uint64_t i = first; i < first + cases; i++) {
		uint64_t stepped, at_once = 0;
		unsigned steps;

		begin_period(i);
		stepped = run_case(seed, i, true);
		steps = run.steps;
		if (stepped != ENDLESS && steps < STEPS)
			at_once = run_case(seed, i, false);
		seen.endless += stepped == ENDLESS || at_once == ENDLESS;
		say("%lu %lx %lx\n", i, stepped, at_once);
	}
	for (unsigned i = 0; i <= VECTOR_SYSCALL; i++)
		kinds += seen.vectors[i] != 0;
	say("# %u steps, %u kinds of trap, %u without end\n", seen.steps, kinds, seen.endless);
	say("# %lu PMIs\n", nmis);
	say("done\n");
	outb(DEBUG_EXIT_PORT, 0);
	for (;;)
		halt();
}
