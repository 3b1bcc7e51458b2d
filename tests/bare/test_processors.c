/* SPDX-License-Identifier: BSD-2-Clause */
/* Several processors: started by INIT and SIPI, each counting and sampling by its own PMU at the
 * same time, NMIs between them. Intel SDM vol. 3, 8.4.4.1 (start), 10.6.1 (ICR). */
#include "tests/bare/machine/guest.h"
#include "emulator/visor/base/lib.h"

#define MAX_PROCESSORS 16

#define APIC_ID         0xfee00020ull
#define ICR             0xfee00300ull
#define ICR_HIGH        0xfee00310ull
#define ICR_INIT        0x4500u
#define ICR_SIPI        0x4600u
#define ICR_NMI         0x4400u
#define ICR_ALL_OTHERS  0xc0000u
#define ID_SHIFT        24
#define APIC_BASE       0x1b
#define BASE_X2APIC     (1u << 10)
#define X2APIC_ICR      0x830
#define GLOBAL_CTRL     0x38f
#define GLOBAL_STATUS   0x38e
#define GLOBAL_OVF_CTRL 0x390
#define DEC_BYTES       3

#define PAGE        0x8000u /* of emulator/visor/start/trampoline.asm, with its parameters */
#define PARAMETERS  0x800u
#define STACK_BYTES 4096
#define PATIENCE    100000000000ull /* TSC ticks: half a minute at least */

#define SAMPLES 8

/* Number of periods that each processor starts, and instructions of the shortest, of which half
 * are run: a stepped instruction takes the host microseconds. */
#define HURRIES      (machine.stepped ? 32u : 100u)
#define HURRY_PERIOD (machine.stepped ? 500 : 100000)

enum command { NOTHING, COUNT, SAMPLE, TAKE_NMI, TAKE_NMI_HALTED, HURRY };

extern const char trampoline[];
extern const uint64_t trampoline_bytes;

static uint8_t stacks[MAX_PROCESSORS][STACK_BYTES] __attribute__((aligned(16)));
static volatile struct {
	unsigned starts, done, nmis;
	uint64_t counted, pmi_rip;
	unsigned pmis, on_instruction;
} processors[MAX_PROCESSORS];
static volatile unsigned command, nr;
static bool x2apic; /* this processor's ICR is an MSR */

static unsigned self(void)
{
	return cpu_read_device(APIC_ID) >> ID_SHIFT;
}

/* A PMI, or another processor's NMI. */
static void on_any_nmi(struct trap_frame *frame)
{
	uint64_t status = rdmsr(GLOBAL_STATUS);
	unsigned i = self();

	if (!status) {
		processors[i].nmis++;
		return;
	}
	wrmsr(GLOBAL_CTRL, 0);
	wrmsr(GLOBAL_OVF_CTRL, status);
	processors[i].pmis++;
	processors[i].pmi_rip = frame->rip;
}

/* Rounds of the loop, others on each processor. Estimates need longer ones. */
static uint64_t rounds(unsigned i)
{
	return machine.stepped ? 500 + 10 * i : 5000000;
}

static void count(unsigned i)
{
	pmu_reset();
	fixed_start(0, OS, false, 0);
	counted_spin(fixed_control(0), rounds(i));
	processors[i].counted = fixed_read(0);
}

/* In counted_spin the instruction after the Nth is DEC for even N, JNZ for odd. */
static uint64_t after(uint64_t n)
{
	return (uint64_t)counted_spin_loop + (n % 2 ? DEC_BYTES : 0);
}

static void sample(unsigned i)
{
	for (unsigned k = 0; k < SAMPLES; k++) {
		uint64_t period = rounds(i) / SAMPLES + k;

		pmu_reset();
		pmi_by_nmi();
		fixed_start(0, OS, true, minus(period));
		counted_spin(fixed_control(0), rounds(i));
		processors[i].on_instruction += processors[i].pmi_rip == after(period);
	}
}

/* Periods that are restarted all the time, shortly before they end or while they do. */
static void hurry(unsigned i)
{
	const uint64_t period = HURRY_PERIOD;

	pmu_reset();
	pmi_by_nmi();
	for (uint64_t n = 0; n < HURRIES; n++) {
		fixed_start(0, OS, true, minus(period + n % 16 * (period / 100)));
		counted_spin(fixed_control(0), period / 2);
		wrmsr(GLOBAL_CTRL, 0);
	}
	pmu_reset();
	(void)i;
}

static void obey(unsigned i, enum command what)
{
	if (what == COUNT)
		count(i);
	if (what == SAMPLE)
		sample(i);
	if (what == HURRY)
		hurry(i);
	while (what == TAKE_NMI && !processors[i].nmis)
		cpu_relax();
	while (what == TAKE_NMI_HALTED && !processors[i].nmis)
		halt();
}

static void other_main(uint64_t i)
{
	unsigned last = NOTHING;

	traps_join();
	processors[i].starts++;
	for (;;) {
		while (command == last)
			cpu_relax();
		last = command;
		obey((unsigned)i, last);
		processors[i].done = last;
	}
}

static void command_processor(unsigned id, uint32_t icr)
{
	if (x2apic) {
		wrmsr(X2APIC_ICR, (uint64_t)id << 32 | icr);
		return;
	}
	cpu_write_device(ICR_HIGH, id << ID_SHIFT);
	cpu_write_device(ICR, icr);
}

/* Waits, with bounded patience, until every other processor has done the command. `nag`: sends
 * an NMI to the ones that have not. */
static bool all_done(bool nag)
{
	uint64_t limit = rdtsc() + PATIENCE;
	unsigned done;

	do {
		done = 1;
		for (unsigned i = 1; i < nr; i++) {
			done += processors[i].done == command;
			if (nag && processors[i].done != command)
				command_processor(i, ICR_NMI);
		}
		cpu_relax();
	} while (done < nr && rdtsc() < limit);
	return done == nr;
}

static bool order(enum command what)
{
	for (unsigned i = 1; i < nr; i++)
		processors[i].nmis = 0;
	command = what;
	return what == TAKE_NMI || all_done(what == TAKE_NMI_HALTED);
}

static bool start(unsigned i)
{
	uint64_t limit = rdtsc() + PATIENCE;
	unsigned before = processors[i].starts;
	uint64_t *parameters = (uint64_t *)(uint64_t)(PAGE + PARAMETERS);

	parameters[0] = read_cr3();
	parameters[1] = (uint64_t)(stacks[i] + STACK_BYTES);
	parameters[2] = (uint64_t)other_main;
	parameters[3] = i;
	command_processor(i, ICR_INIT);
	command_processor(i, ICR_SIPI | PAGE >> 12);
	command_processor(i, ICR_SIPI | PAGE >> 12);
	while (processors[i].starts == before && rdtsc() < limit)
		cpu_relax();
	return processors[i].starts == before + 1;
}

static void test_start(void)
{
	unsigned started = 1;

	memcpy((void *)(uint64_t)PAGE, trampoline, trampoline_bytes);
	for (unsigned i = 1; i < nr; i++)
		started += start(i);
	is(started, nr, "every processor starts by INIT and two SIPIs, once");
}

static void test_counts(void)
{
	unsigned right = 1;

	ok(order(COUNT), "all processors count at the same time");
	for (unsigned i = 1; i < nr; i++) {
		uint64_t counted = processors[i].counted;

		right += machine.stepped ? counted == 2 * rounds(i) + 3 : counted > 0;
		tap_print("# processor %u counts %lu instructions\n", i, counted);
	}
	is(right, nr, machine.stepped ? "each its own instructions, exactly" : "each something");
}

static void test_samples(void)
{
	unsigned once = 1, exactly = 1;

	ok(order(SAMPLE), "all processors sample at the same time");
	for (unsigned i = 1; i < nr; i++) {
		once += processors[i].pmis == SAMPLES;
		exactly += processors[i].on_instruction == SAMPLES;
		if (processors[i].pmis != SAMPLES || processors[i].nmis)
			tap_print("# processor %u: %u PMIs, %u other NMIs\n", i, processors[i].pmis,
				  processors[i].nmis);
	}
	is(once, nr, "each processor takes each of its PMIs, once");
	if (machine.stepped)
		is(exactly, nr, "each processor's PMIs are on the instruction");
}

static unsigned nmis_of_others(void)
{
	unsigned sum = 0;

	for (unsigned i = 1; i < nr; i++)
		sum += processors[i].nmis;
	return sum;
}

static void test_nmis(void)
{
	is(nmis_of_others(), 0, "no other processor gets an NMI");
	ok(order(HURRY), "all processors start periods over and over");
	is(nmis_of_others(), 0, "restarted periods leave no unclaimed NMI");
	order(TAKE_NMI);
	command_processor(0, ICR_NMI | ICR_ALL_OTHERS);
	ok(all_done(false), "an NMI reaches all others");
	is(nmis_of_others(), nr - 1, "once");
	ok(order(TAKE_NMI_HALTED), "an NMI wakes each from HLT");
	is(processors[0].nmis, 0, "an NMI to oneself does not come back");
}

void test_processors(unsigned wanted, bool by_x2apic)
{
	nr = wanted;
	x2apic = by_x2apic;
	if (x2apic)
		wrmsr(APIC_BASE, rdmsr(APIC_BASE) | BASE_X2APIC);
	on_nmi(on_any_nmi);
	test_start();
	test_counts();
	test_samples();
	test_nmis();
	ok(start(1) && processors[1].starts == 2, "INIT and SIPI restart a running processor");
	command = NOTHING;
	ok(start(nr - 1), "a processor starts while another waits");
}
