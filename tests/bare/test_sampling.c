/* SPDX-License-Identifier: BSD-2-Clause */
/* PMIs: on the instruction, by NMI and by vector, one for two counters, and inside the handler. */
#include "tests/bare/machine/guest.h"

#define GLOBAL_CTRL     0x38f
#define GLOBAL_STATUS   0x38e
#define GLOBAL_OVF_CTRL 0x390
#define LVTPC           0xfee00340ull
#define LVT_NMI         0x400u
#define LVT_MASKED      0x10000u
#define EOI             0xfee000b0ull
#define PMI_VECTOR      0x51
#define RFLAGS_TF       0x100
#define DEC_BYTES       3
#define MAX_SAMPLES     4096

static struct {
	unsigned hits, masked;
	uint64_t status, control, reload;
	uint64_t rip[MAX_SAMPLES];
	uint64_t flags; /* all RFLAGS that frames showed */
} pmi;

/* The handler in its one order: stop, acknowledge, note, reload, re-arm, restart. */
static void on_pmi(struct trap_frame *frame)
{
	uint64_t status = rdmsr(GLOBAL_STATUS);

	wrmsr(GLOBAL_CTRL, 0);
	wrmsr(GLOBAL_OVF_CTRL, status);
	pmi.status |= status;
	pmi.flags |= frame->rflags;
	pmi.masked += !!(cpu_read_device(LVTPC) & LVT_MASKED);
	if (pmi.hits < MAX_SAMPLES)
		pmi.rip[pmi.hits] = frame->rip;
	pmi.hits++;
	if (frame->vector != 2)
		cpu_write_device(EOI, 0);
	if (pmi.reload) {
		wrmsr(0x309, pmi.reload);
		cpu_write_device(LVTPC, LVT_NMI);
		wrmsr(GLOBAL_CTRL, pmi.control);
	}
}

static void start_over(void)
{
	pmu_reset();
	pmi.hits = pmi.masked = 0;
	pmi.status = pmi.control = pmi.reload = pmi.flags = 0;
	on_nmi(on_pmi);
	pmi_by_nmi();
}

/* In counted_spin the instruction after the Nth is DEC for even N, JNZ for odd. */
static uint64_t in_loop(uint64_t n)
{
	return (uint64_t)counted_spin_loop + (n % 2 ? DEC_BYTES : 0);
}

static bool stops_after(uint64_t period)
{
	start_over();
	fixed_start(0, OS, true, minus(period));
	counted_spin(fixed_control(0), period);
	return pmi.hits == 1 && pmi.rip[0] == in_loop(period) && pmi.status == fixed_control(0);
}

static void no_skid(void)
{
	unsigned exact = 0, more = machine.stepped ? 10 : 100;

	for (unsigned period = 1; period <= 50; period++)
		exact += stops_after(period);
	is(exact, 50, "periods 1 to 50: one PMI, on the instruction");
	exact = 0;
	for (unsigned period = 1000; period < 1000 + more; period++)
		exact += stops_after(period);
	is(exact, more, "periods from 1000 on: one PMI, on the instruction");
	ok(stops_after(machine.stepped ? 10001 : 1000001),
	   "a long period: one PMI, on the instruction");
	is(pmi.masked, 1, "the PMI masked LVTPC");
	is(pmi.flags & RFLAGS_TF, 0, "a PMI's frame shows no trap flag");
	pmu_reset();
}

static uint64_t run_user(uint64_t n)
{
	return in_user(spin, n);
}

/* The instruction after number i of ring 3, which begins with CALL: DEC for odd i, JNZ for even,
 * RET after the last. */
static unsigned samples_in_place(uint64_t period)
{
	unsigned in_place = 0;

	for (unsigned k = 0; k < pmi.hits && k < MAX_SAMPLES; k++)
		in_place +=
		    pmi.rip[k] == (uint64_t)spin_body + ((k + 1) * period % 2 ? 0 : DEC_BYTES);
	return in_place;
}

static bool samples(uint64_t period, uint64_t n)
{
	start_over();
	pmi.control = fixed_control(0);
	pmi.reload = minus(period);
	fixed_start(0, USR, true, pmi.reload);
	counted_call(pmi.control, run_user, n);
	if (pmi.hits == 2 * n / period && samples_in_place(period) == pmi.hits)
		return true;
	tap_print("# period %lu: %u samples of %lu, %u in place\n", period, pmi.hits,
		  2 * n / period, samples_in_place(period));
	return false;
}

/* 2 n + 3 instructions of ring 3: the last three come after the last sample, as no period
 * divides them. */
static void many_samples(void)
{
	static const uint64_t periods[] = {4, 7, 16, 33, 100, 997, 1000, 4096, 10007};
	/* A step takes longer than a thousand instructions, and does not know the period. */
	unsigned passed = 0, count = machine.stepped ? 7 : sizeof(periods) / sizeof(periods[0]);

	for (unsigned i = 0; i < count; i++) {
		uint64_t n = periods[i] * (machine.stepped ? 5 : 50);

		passed += samples(periods[i], n);
	}
	is(passed, count, "samples at each period in ring 3, every one in its place");
	pmu_reset();
}

static void two_at_once(void)
{
	start_over();
	fixed_start(0, OS, true, minus(100));
	general_start(0, EVENT_INSTRUCTIONS, OS, true, minus(100));
	counted_spin(fixed_control(0) | general_control(0), 500);
	is(pmi.hits, 1, "two counters wrap on one instruction: one PMI");
	is(pmi.status, fixed_control(0) | general_control(0),
	   "two overflows at once set both bits");
	is(pmi.rip[0], in_loop(100), "two overflows at once: the PMI is in its place");
	start_over();
	fixed_start(0, OS, true, minus(100));
	general_start(0, EVENT_INSTRUCTIONS, OS, true, minus(101));
	counted_spin(fixed_control(0) | general_control(0), 500);
	is(pmi.status & fixed_control(0), fixed_control(0),
	   "overflows an instruction apart: the first bit is set");
	is(pmi.rip[0], in_loop(100), "overflows an instruction apart: the PMI is in its place");
	pmu_reset();
}

static uint64_t handler_rips[2];
static unsigned handler_depth, handler_nested, handler_hits;

/* Leaves the counter running, about to wrap while NMIs are blocked. */
static void on_pmi_again(struct trap_frame *frame)
{
	wrmsr(GLOBAL_CTRL, 0);
	handler_nested += handler_depth++;
	wrmsr(GLOBAL_OVF_CTRL, rdmsr(GLOBAL_STATUS));
	if (handler_hits < 2)
		handler_rips[handler_hits] = frame->rip;
	if (++handler_hits == 1) {
		wrmsr(0x309, minus(10));
		cpu_write_device(LVTPC, LVT_NMI);
		wrmsr(GLOBAL_CTRL, fixed_control(0));
		spin(100);
	}
	handler_depth--;
}

static void in_the_handler(void)
{
	start_over();
	on_nmi(on_pmi_again);
	fixed_start(0, OS, true, minus(100));
	counted_spin(fixed_control(0), 500);
	is(handler_hits, 2, "a counter that wraps in the handler makes a second PMI");
	is(handler_nested, 0, "a PMI in the handler waits for the IRET");
	is(handler_rips[0], in_loop(100), "the first is in its place");
	is(handler_rips[1], handler_rips[0], "the second comes before the program goes on");
	pmu_reset();
}

static void by_vector(void)
{
	start_over();
	on_interrupt(PMI_VECTOR, on_pmi);
	pmi_by_vector(PMI_VECTOR);
	fixed_start(0, OS, true, minus(100));
	irq_enable();
	counted_spin(fixed_control(0), 500);
	irq_disable();
	is(pmi.hits, 1, "LVTPC with a vector: one interrupt");
	is(pmi.rip[0], in_loop(100), "a PMI by vector is on the instruction");
	on_interrupt(PMI_VECTOR, 0);
}

static void masked(void)
{
	start_over();
	cpu_write_device(LVTPC, LVT_NMI | LVT_MASKED);
	fixed_start(0, OS, true, minus(100));
	counted_spin(fixed_control(0), 500);
	is(pmi.hits, 0, "LVTPC masked: no PMI");
	is(rdmsr(GLOBAL_STATUS) & fixed_control(0), fixed_control(0),
	   "a masked PMI: the status shows the overflow");
	cpu_write_device(LVTPC, LVT_NMI);
	spin(100);
	is(pmi.hits, 0, "unmasking does not bring a lost PMI back");
	pmu_reset();
}

static void on_self_nmi(struct trap_frame *frame)
{
	pmi.rip[0] = frame->rip;
	pmi.hits++;
}

/* NMIs that no counter made reach the guest, with counters running and without. */
static void foreign(void)
{
	start_over();
	on_nmi(on_self_nmi);
	cpu_write_device(0xfee00300, 0x40400);
	spin(10);
	is(pmi.hits, 1, "an NMI from the APIC arrives");
	if (machine.stepped) /* an NMI that a stepped instruction sends merges with the one that
				ends the step */
		return;
	fixed_start(0, OS, true, minus(1000000));
	wrmsr(GLOBAL_CTRL, fixed_control(0));
	cpu_write_device(0xfee00300, 0x40400);
	spin(10);
	pmu_reset();
	is(pmi.hits, 2, "a foreign NMI beside a counter about to interrupt");
	on_nmi(on_pmi);
}

void test_sampling(void)
{
	no_skid();
	many_samples();
	two_at_once();
	in_the_handler();
	by_vector();
	masked();
	foreign();
}
