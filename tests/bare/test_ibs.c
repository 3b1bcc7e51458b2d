/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * AMD's instruction-based sampling on a bare machine: its registers, the extended local vector
 * table that it interrupts by, and that the sample is the instruction after a period's last one,
 * whatever values were written before. AMD APM vol. 2, "Instruction-Based Sampling"; BKDG of family
 * 10h and PPRs of families 17h and 19h, MSRC001_1030 to 103C.
 */
#include "tests/bare/machine/guest.h"
#include "emulator/visor/base/lib.h"

#define FETCH_CTL     0xc0011030u
#define FETCH_ADDRESS 0xc0011031u
#define OP_CTL        0xc0011033u
#define OP_RIP        0xc0011034u
#define OP_DATA       0xc0011035u
#define OP_DATA3      0xc0011037u
#define IBS_CTL       0xc001103au
#define TARGET        0xc001103bu
#define FETCH_MORE    0xc001103cu
#define OP_DATA4      0xc001103du

#define OP_L3_ONLY     (1ull << 16)
#define OP_ENABLE      (1ull << 17)
#define OP_VALID       (1ull << 18)
#define OP_COUNTS      (1ull << 19)
#define OP_LONG        (1ull << 26)
#define OP_COUNT       (0x7ffffffull << 32)
#define OP_RESERVED    (1ull << 27)
#define OP_SLOW_ONLY   (1ull << 63)
#define CAPS_LATENCY   0x1000u
#define FETCH_ENABLE   (1ull << 48)
#define FETCH_VALID    (1ull << 49)
#define FETCH_RANDOM   (1ull << 57)
#define FETCH_RESERVED (1ull << 62)

#define DATA_TAKEN  (1ull << 35)
#define DATA_BRANCH (1ull << 37)

#define APIC         0xfee00000ull
#define APIC_VERSION 0x030
#define APIC_FEATURE 0x400
#define EILVT(i)     (0x500 + 0x10 * (i))
#define MASKED       0x10000u
#define BY_NMI       0x400u

#define DEC_BYTES 3 /* switched_spin's loop: DEC, JNZ */

/* From one period to the next: stepping takes its time. */
#define NEXT_PERIOD (machine.stepped ? 880u : 176u)

static const struct kind {
	const char *name;
	uint32_t caps;
	unsigned entry; /* of the extended LVT */
} kinds[] = {{"k10", 0x01f, 1},
	     {"zen2", 0x2ff, 0},
	     {"zen3", 0x2ff, 0},
	     {"zen4", 0xaff, 0},
	     {"zen5", 0x1aff, 0}};

static const struct kind *kind;

static uint32_t apic_read_at(unsigned offset)
{
	return cpu_read_device(APIC + offset);
}

static void apic_write_at(unsigned offset, uint32_t value)
{
	cpu_write_device(APIC + offset, value);
}

static void identity(void)
{
	uint32_t regs[4];

	cpuid_words(0x80000001, 0, regs);
	is(regs[2] >> 10 & 1, 1, "CPUID says that there is IBS");
	cpuid_words(0x80000000, 0, regs);
	ok(regs[0] >= 0x8000001b, "CPUID has IBS's leaf");
	cpuid_words(0x8000001b, 0, regs);
	is(regs[0], kind->caps, "IBS's leaf has the personality's capabilities");
}

static void registers(void)
{
	bool extended = kind->caps & 0x20, filters = kind->caps & 0x800;
	uint64_t value;

	is(try_wrmsr(OP_CTL, 0x1234 | OP_COUNTS | 5ull << 32), 0, "the control of ops is written");
	is(rdmsr(OP_CTL), 0x1234 | OP_COUNTS | 5ull << 32,
	   "IBS_OP_CTL is read back, with its count");
	is(try_wrmsr(OP_CTL, OP_RESERVED), GP_FAULT, "a reserved bit faults");
	is(try_wrmsr(OP_CTL, OP_SLOW_ONLY), kind->caps & CAPS_LATENCY ? 0 : GP_FAULT,
	   "a filter of slow loads");
	is(try_wrmsr(OP_CTL, OP_LONG), extended ? 0 : GP_FAULT, "longer periods");
	is(try_wrmsr(OP_CTL, OP_L3_ONLY), filters ? 0 : GP_FAULT, "a filter of misses");
	wrmsr(OP_CTL, 0);
	is(try_wrmsr(FETCH_CTL, FETCH_RESERVED), GP_FAULT, "a reserved bit of the other faults");
	is(try_wrmsr(FETCH_CTL, 0x4321), 0, "IBS_FETCH_CTL is written");
	is(rdmsr(FETCH_CTL), 0x4321, "IBS_FETCH_CTL is read back");
	wrmsr(FETCH_CTL, 0);
	is(rdmsr(IBS_CTL), 0x100 | kind->entry, "the interrupt's entry is said");
	is(try_wrmsr(IBS_CTL, 0x100), GP_FAULT, "IBS_CTL cannot be written");
	is(try_rdmsr(TARGET, &value), extended ? 0 : GP_FAULT, "a branch's target");
	is(try_rdmsr(FETCH_MORE, &value), extended ? 0 : GP_FAULT, "more of fetches");
	is(try_rdmsr(OP_DATA4, &value), GP_FAULT, "no further data");
}

static void vector_table(void)
{
	unsigned masked = 0;

	ok(apic_read_at(APIC_VERSION) >> 31, "the APIC has its extended space");
	is(apic_read_at(APIC_FEATURE) >> 16 & 0xff, 4,
	   "the extended vector table has four entries");
	for (unsigned i = 0; i < 4; i++)
		masked += apic_read_at(EILVT(i)) == MASKED;
	is(masked, 4, "all entries of the extended vector table are masked");
	apic_write_at(EILVT(3), MASKED | BY_NMI | 0x30);
	is(apic_read_at(EILVT(3)), MASKED | BY_NMI | 0x30,
	   "an entry of the extended vector table keeps its value");
	apic_write_at(EILVT(3), MASKED);
	apic_write_at(EILVT(kind->entry), BY_NMI);
}

static struct {
	unsigned hits;
	uint64_t place, control, rip, data, data3, target;
} sample;

static void on_op(struct trap_frame *frame)
{
	sample.hits++;
	sample.place = frame->rip;
	sample.control = rdmsr(OP_CTL);
	sample.rip = rdmsr(OP_RIP);
	sample.data = rdmsr(OP_DATA);
	sample.data3 = rdmsr(OP_DATA3);
	sample.target = kind->caps & 0x20 ? rdmsr(TARGET) : 0;
	wrmsr(OP_CTL, 0);
}

/* The n-th instruction of the loop, from 0 on. */
static uint64_t loop_at(uint64_t n)
{
	return (uint64_t)switched_spin_loop + (n % 2 ? DEC_BYTES : 0);
}

/* 16384 instructions are 12288 cycles and 18432 micro-operations (docs/emulated-pmu.md). */
static uint64_t instructions_of(uint64_t events, uint64_t rate)
{
	return (events * 16384 + rate - 1) / rate;
}

static bool tells_of(uint64_t period, uint64_t counts, uint64_t rate)
{
	uint64_t n = instructions_of(period, rate);
	bool jump = n % 2;

	sample.hits = 0;
	switched_spin(OP_CTL, OP_ENABLE | counts | period / 16, n);
	return sample.hits == 1 && sample.rip == loop_at(n) && sample.place == loop_at(n + 1) &&
	       (sample.control & (OP_VALID | OP_ENABLE)) == (OP_VALID | OP_ENABLE) &&
	       sample.data3 == 0 &&
	       (sample.data & (DATA_BRANCH | DATA_TAKEN)) ==
		   (jump ? DATA_BRANCH | DATA_TAKEN : 0) &&
	       sample.target == (jump && (kind->caps & 0x20) ? loop_at(0) : 0);
}

static void ops(void)
{
	unsigned right = 0, tried = 0, random = 0;

	on_nmi(on_op);
	for (uint64_t period = 16; period <= 4000; period += NEXT_PERIOD, tried += 2) {
		right += tells_of(period, 0, 12288);
		random += (sample.control & OP_COUNT) != 0;
		right += tells_of(period, OP_COUNTS, 18432);
	}
	is(right, tried, "each period of cycles or ops samples the instruction after it, once");
	is(random, 0, "a count of cycles starts at 0");
	tells_of(1600, OP_COUNTS, 18432);
	ok((sample.control & OP_COUNT) >> 32 < 128, "a count of ops starts below 128");
	sample.hits = 0;
	switched_spin(OP_CTL, OP_ENABLE | OP_VALID | 16, 2000);
	is(sample.hits, 0, "a sample that is still valid keeps the next one away");
	apic_write_at(EILVT(kind->entry), MASKED | BY_NMI);
	switched_spin(OP_CTL, OP_ENABLE | 16, 2000);
	is(sample.hits, 0, "a masked entry makes no NMI");
	apic_write_at(EILVT(kind->entry), BY_NMI);
	on_nmi(0);
}

static void on_fetch(struct trap_frame *frame)
{
	sample.hits++;
	sample.place = frame->rip;
	sample.control = rdmsr(FETCH_CTL);
	sample.rip = rdmsr(FETCH_ADDRESS);
	wrmsr(FETCH_CTL, 0);
}

/* 4096 fetches are 16384 instructions. */
static bool fetch_tells(uint64_t period, uint64_t random)
{
	uint64_t n = instructions_of(period, 4096);

	sample.hits = 0;
	switched_spin(FETCH_CTL, FETCH_ENABLE | random | period / 16, n);
	return sample.hits == 1 && (sample.control & FETCH_VALID) &&
	       (random || sample.rip == loop_at(n)) &&
	       (sample.rip == loop_at(0) || sample.rip == loop_at(1));
}

static void fetches(void)
{
	unsigned right = 0, tried = 0;

	on_nmi(on_fetch);
	for (uint64_t period = 16; period <= 2000; period += NEXT_PERIOD, tried += 2) {
		right += fetch_tells(period, 0);
		right += fetch_tells(period, FETCH_RANDOM);
	}
	is(right, tried, "each period of fetches samples one, at random a little early");
	on_nmi(0);
}

/* ---- random values ---- */

#define FIRST_MSR     FETCH_CTL
#define MSRS          (OP_DATA4 - FIRST_MSR + 1)
#define WRITES        600
#define SPINS         200
#define SPINS_STEPPED 20
#define SPIN_BYTES    64 /* more than switched_spin() has */

static uint64_t next_random(void)
{
	static uint64_t x = 88172645463325252ull;

	x ^= x << 13;
	x ^= x >> 7;
	return x ^= x << 17;
}

/* All kinds of bits, few, one, or a short period. */
static uint64_t random_value(void)
{
	uint64_t value = next_random();

	switch (next_random() % 4) {
	case 0:
		return value;
	case 1:
		return value & next_random() & next_random();
	case 2:
		return 1ull << value % 64;
	default:
		return value % 64;
	}
}

static uint64_t enable_of(uint32_t msr)
{
	return msr == OP_CTL ? OP_ENABLE : msr == FETCH_CTL ? FETCH_ENABLE : 0;
}

/* Returns true if a write that faults changes nothing, and another one is read back, unless it
 * has started to count. */
static bool keeps(uint32_t msr, uint64_t value)
{
	uint64_t before = 0, after = 0, fault, unknown = try_rdmsr(msr, &before);

	fault = try_wrmsr(msr, value);
	if (!fault && (value & enable_of(msr))) {
		wrmsr(msr, 0);
		wrmsr(msr, 0); /* the first one leaves what fetches have counted */
		return true;
	}
	return try_rdmsr(msr, &after) == unknown && (!unknown || fault) &&
	       after == (fault ? before : value);
}

/* The handler's reaction to a sample. */
enum answer { ANSWER_CLEAR, ANSWER_LEAVE, ANSWER_MORE, ANSWERS };

static struct {
	uint32_t msr;
	enum answer answer;
	unsigned hits, wrong, all;
} fuzz;

static bool in_spin(uint64_t rip)
{
	return rip - (uint64_t)switched_spin < SPIN_BYTES;
}

/* One that the handler asked for may be of its own way back. */
static void on_random(struct trap_frame *frame)
{
	bool op = fuzz.msr == OP_CTL;
	uint64_t bits = op ? OP_VALID | OP_ENABLE : FETCH_VALID | FETCH_ENABLE,
		 tagged = rdmsr(op ? OP_RIP : FETCH_ADDRESS);

	fuzz.hits++;
	fuzz.wrong += (rdmsr(fuzz.msr) & bits) != bits || !in_spin(frame->rip) ||
		      (!in_spin(tagged) && fuzz.answer != ANSWER_MORE);
	if (fuzz.answer == ANSWER_CLEAR)
		wrmsr(fuzz.msr, 0);
	else if (fuzz.answer == ANSWER_MORE)
		wrmsr(fuzz.msr, enable_of(fuzz.msr) | (random_value() & 0x3ff));
}

/* A sample at most once, unless the handler asks for more; none while its entry is masked. */
static bool spins(void)
{
	uint32_t msr = next_random() % 2 ? OP_CTL : FETCH_CTL;
	uint64_t n = 1 + next_random() % 800, value = 1 + next_random() % 16;
	bool masked = next_random() % 4 == 0;

	value |= enable_of(msr);
	value |= next_random() & (msr == OP_CTL ? OP_COUNTS | 0x3full << 32 : FETCH_RANDOM);
	fuzz.msr = msr;
	fuzz.answer = next_random() % ANSWERS;
	fuzz.hits = fuzz.wrong = 0;
	apic_write_at(EILVT(kind->entry), masked ? MASKED | BY_NMI : BY_NMI);
	switched_spin(msr, value, n);
	fuzz.all += fuzz.hits;
	return !fuzz.wrong && fuzz.hits <= (masked                       ? 0
					    : fuzz.answer == ANSWER_MORE ? n + SPIN_BYTES
									 : 1);
}

static void random_values(void)
{
	unsigned kept = 0, right = 0, count = machine.stepped ? SPINS_STEPPED : SPINS;

	apic_write_at(EILVT(kind->entry), MASKED | BY_NMI);
	for (unsigned i = 0; i < WRITES; i++)
		kept += keeps(FIRST_MSR + next_random() % MSRS, random_value());
	is(kept, WRITES, "random values: what faults changes nothing, what does not is kept");
	wrmsr(FETCH_CTL, 0);
	wrmsr(OP_CTL, 0);
	on_nmi(on_random);
	for (unsigned i = 0; i < count; i++)
		right += spins();
	is(right, count, "random periods and answers: samples of what runs, and no more of them");
	ok(fuzz.all > count / 4, "random values leave samples");
	apic_write_at(EILVT(kind->entry), BY_NMI);
	on_nmi(on_op);
	ok(tells_of(1600, 0, 12288), "after random values a sample is as before");
	on_nmi(0);
}

void test_ibs(void)
{
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (has_word(machine.personality, kinds[i].name))
			kind = &kinds[i];
	if (!kind)
		return;
	identity();
	registers();
	vector_table();
	ops();
	fetches();
	random_values();
}
