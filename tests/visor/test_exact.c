/* SPDX-License-Identifier: BSD-2-Clause */
/* With single-stepping every branch is seen: their counts, mispredictions, and PMIs of branches. */
#include "tests/visor/pmu.h"

#define ROUNDS 200

static unsigned pmis;
static uint64_t place;

static void pmi(struct frame *frame)
{
	pmis++;
	place = frame->rip;
	wrmsr(GLOBAL_OVF_CTRL, rdmsr(GLOBAL_STATUS));
	apic_write(APIC_LVTPC, LVT_NMI);
}

/* Three branches a round: CALL, RET, JNZ; behind the loop RET is not reached before the window
 * closes. */
static void test_branches(void)
{
	for (unsigned run = 0; run < 2; run++) {
		pmu_stop();
		pmu_program(0, 0, BRANCHES, OS);
		pmu_program(1, 0, BRANCH_MISS, OS);
		run_calls(3, ROUNDS);
		is(rdmsr(PMC0), 3 * ROUNDS, "every branch is counted");
		if (run)
			is(rdmsr(PMC0 + 1), 1,
			   "the loop's end is mispredicted, once the loop is known");
	}
}

/* The 20th branch of the loop is the JNZ of round 20: the PMI comes at the loop's top. */
static void test_pmi(void)
{
	pmu_stop();
	on_interrupt(VECTOR_NMI, pmi);
	apic_write(APIC_LVTPC, LVT_NMI);
	pmu_program(0, -20ull, BRANCHES, OS | INT);
	run_enabled(1, ROUNDS);
	is(pmis, 1, "a PMI of branches");
	is(place, (uint64_t)enabled_loop, "  behind the branch that wrapped the counter");
	on_interrupt(VECTOR_NMI, 0);
}

void test_exact(void)
{
	test_branches();
	test_pmi();
	pmu_stop();
}
