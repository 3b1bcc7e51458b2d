/* SPDX-License-Identifier: BSD-2-Clause */
/* PMIs as NMIs: at which instruction, how many, with which status, through which LVTPC, and what
 * they freeze. */
#include "tests/visor/pmu.h"

#define ROUNDS    1000
#define DEC_BYTES 3 /* of DEC RSI, the loop's first instruction; JNZ is its second */

/* What the handler saw. */
static struct {
	unsigned count, depth, deepest;
	uint64_t rip, rsi, status, global_ctrl;
	uint32_t lvtpc;
	uint32_t first, second; /* two reads of counter 0 */
	bool overflow_inside;   /* make another counter overflow in the handler */
} seen;

static void record(struct frame *frame)
{
	seen.count++;
	if (++seen.depth > seen.deepest)
		seen.deepest = seen.depth;
	seen.rip = frame->rip;
	seen.rsi = frame->rsi;
	seen.status = rdmsr(GLOBAL_STATUS);
	seen.global_ctrl = rdmsr(GLOBAL_CTRL);
	seen.lvtpc = apic_read(APIC_LVTPC);
	seen.first = (uint32_t)rdpmc(0);
	seen.second = (uint32_t)rdpmc(0);
	wrmsr(GLOBAL_OVF_CTRL, seen.status);
	apic_write(APIC_LVTPC, LVT_NMI);
	if (seen.overflow_inside) {
		seen.overflow_inside = false;
		wrmsr(GLOBAL_CTRL, 0);
		wrmsr(PMC0 + 1, -3ull);
		wrmsr(GLOBAL_CTRL, 2);
		for (volatile unsigned i = 0; i < 10; i++)
			;
	}
	seen.depth--;
}

static void prepare(void)
{
	pmu_stop();
	__builtin_memset(&seen, 0, sizeof(seen));
	on_interrupt(VECTOR_NMI, record);
	apic_write(APIC_LVTPC, LVT_NMI);
}

/* After `period` instructions of the loop: the next one's address, and what is left of the rounds.
 */
static void check_place(uint64_t period)
{
	uint64_t rip = (uint64_t)enabled_loop + (period % 2 ? DEC_BYTES : 0);

	is(seen.count, 1, "one PMI");
	is(seen.rip, rip, "  behind the instruction that wrapped the counter");
	is(seen.rsi, ROUNDS - (period + 1) / 2, "  in that very round");
	is(seen.status, 1, "  with the counter's status bit");
	is(seen.lvtpc, LVT_NMI | LVT_MASKED, "  which masked LVTPC");
}

static void test_place(void)
{
	static const uint16_t periods[] = {1, 2, 3, 4, 5, 17, 100, 101, 1998, 1999};

	for (unsigned i = 0; i < sizeof(periods) / sizeof(periods[0]); i++) {
		prepare();
		pmu_program(0, -(uint64_t)periods[i], INSTRUCTIONS, OS | INT);
		run_enabled(1, ROUNDS);
		check_place(periods[i]);
	}
}

static void test_without_interrupt(void)
{
	prepare();
	pmu_program(0, -10ull, INSTRUCTIONS, OS);
	run_enabled(1, ROUNDS);
	is(seen.count, 0, "no PMI where it was not asked for");
	is(rdmsr(GLOBAL_STATUS), 1, "  but the status bit");
	is(rdmsr(PMC0), 2 * ROUNDS + 4 - 10, "  and the count goes on from 0");
}

static void test_masked(void)
{
	prepare();
	apic_write(APIC_LVTPC, LVT_NMI | LVT_MASKED);
	pmu_program(0, -10ull, INSTRUCTIONS, OS | INT);
	run_enabled(1, ROUNDS);
	apic_write(APIC_LVTPC, LVT_NMI);
	run_enabled(1, 100);
	is(seen.count, 0, "a PMI that meets a masked LVTPC is lost");
}

/* All that wrap at one instruction share a PMI. */
static void test_together(void)
{
	prepare();
	pmu_program(0, -50ull, INSTRUCTIONS, OS | INT);
	pmu_program(1, -50ull, INSTRUCTIONS, OS | USR | INT);
	pmu_program_fixed(-50ull, OS | INT);
	run_enabled(1ull << 32 | 3, ROUNDS);
	is(seen.count, 1, "three counters that wrap together make one PMI");
	is(seen.status, 1ull << 32 | 3, "  with all three status bits");
}

/* One instruction apart: the second meets the handler, or the mask, which the handler of the first
 * takes off. */
static void test_apart(void)
{
	prepare();
	pmu_program(0, -50ull, INSTRUCTIONS, OS | INT);
	pmu_program(1, -1000ull, INSTRUCTIONS, OS | INT);
	run_enabled(3, ROUNDS);
	is(seen.count, 2, "two counters that wrap apart make two PMIs");
	is(seen.status, 2, "  each with its own bit");
}

/* While an NMI is being handled the next one waits for IRET. */
static void test_inside(void)
{
	prepare();
	pmu_program(0, -50ull, INSTRUCTIONS, OS | INT);
	pmu_program(1, 0, INSTRUCTIONS, OS | INT);
	seen.overflow_inside = true;
	run_enabled(1, ROUNDS);
	is(seen.count, 2, "an overflow inside the handler makes its own PMI");
	is(seen.deepest, 1, "  after the handler's IRET");
	is(seen.status & 2, 2, "  with its status");
}

static void test_freeze(void)
{
	uint64_t left;

	prepare();
	wrmsr(DEBUGCTL, FREEZE_PERFMON_ON_PMI);
	pmu_program(0, -50ull, INSTRUCTIONS, OS | INT);
	run_enabled(1, ROUNDS);
	is(seen.count, 1, "freeze on PMI");
	is(seen.first, 0, "  stops the counter where it wrapped");
	is(seen.second, seen.first, "  while the handler runs");
	is(seen.global_ctrl, version4() ? 1 : 0, "  by GLOBAL_CTRL up to version 3");
	is(seen.status, version4() ? CTR_FRZ | 1 : 1, "  by the status from version 4");
	/* the loop's rest and the end of the handler count when it took the freeze off, nothing
	 * when nobody enables them */
	left = version4() ? 2 * ROUNDS + 4 - 50 : 0;
	ok(rdmsr(PMC0) >= left && rdmsr(PMC0) <= left + (version4() ? 200 : 0),
	   "  until the handler takes it off");
}

static void test_no_freeze(void)
{
	prepare();
	pmu_program(0, -50ull, INSTRUCTIONS, OS | INT);
	run_enabled(1, ROUNDS);
	ok(seen.first > 0 && seen.second > seen.first,
	   "without freeze the counter counts the handler");
}

static void timer(struct frame *frame)
{
	(void)frame;
	apic_write(APIC_EOI, 0);
}

/* A halted processor retires nothing: a millisecond or more passes in a few instructions. */
static void test_halt(void)
{
	uint64_t before, after, start;

	prepare();
	on_interrupt(VECTOR_TIMER, timer);
	pmu_program(0, 0, INSTRUCTIONS, OS);
	apic_write(APIC_LVTT, VECTOR_TIMER);
	apic_write(APIC_TDCR, 0xb); /* divide by 1 */
	wrmsr(GLOBAL_CTRL, 1);
	start = rdtsc();
	before = rdpmc(0);
	apic_write(APIC_TMICT, 1000000);
	irq_enable_and_halt();
	irq_disable();
	after = rdpmc(0);
	ok(after - before < 200, "HLT counts nothing while it waits");
	ok(rdtsc() - start > 500000, "  though time passes");
	wrmsr(GLOBAL_CTRL, 0);
}

void test_interrupts(void)
{
	test_place();
	test_without_interrupt();
	test_masked();
	test_together();
	test_apart();
	test_inside();
	test_freeze();
	test_no_freeze();
	test_halt();
	pmu_stop();
	on_interrupt(VECTOR_NMI, 0);
}
