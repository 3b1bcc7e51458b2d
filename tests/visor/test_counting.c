/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts of code of which every instruction is known. The numbers of instructions stand in
 * measure.asm. */
#include "tests/visor/pmu.h"

#define RUNS 200

/* Stepping is slow: exact mode tries fewer rounds. */
static uint64_t many(void)
{
	return option("exact") ? 500 : 100000;
}

static void test_windows(uint32_t counter, const char *name)
{
	bool same = true;

	is(count_straight(counter), 12, name);
	is(count_loop(counter, 1), 4, "  a loop of one round");
	is(count_loop(counter, 1000), 2002, "  a loop of 1000 rounds");
	is(count_loop(counter, many()), 2 * many() + 2, "  a long loop");
	for (unsigned i = 0; i < RUNS; i++)
		same = same && count_loop(counter, 10 + i % 3) == 2 * (10 + i % 3) + 2;
	ok(same, "  200 short loops, each to the instruction");
}

/* Counters that one WRMSR starts and another stops: the same window for all. The second one counts
 * itself. */
static void test_together(void)
{
	uint64_t window = 2 * many() + 4;

	pmu_stop();
	pmu_program(0, 0, INSTRUCTIONS, USR | OS);
	pmu_program(1, 5, INSTRUCTIONS, OS);
	pmu_program_fixed(0, USR | OS);
	run_enabled(1ull << 32 | 3, many());
	is(rdmsr(PMC0), window, "GLOBAL_CTRL opens and closes the window");
	is(rdmsr(PMC0 + 1), window + 5, "  the same for a second counter, from where it stood");
	is(rdmsr(FIXED_CTR0), window, "  and for the fixed one");
	run_enabled(2, 10);
	is(rdmsr(PMC0), window, "  not for a counter that stays disabled");
	is(rdmsr(PMC0 + 1), window + 5 + 24, "  the other goes on");
}

/* Modelled events follow docs/emulated-pmu.md: cycles are 3/4 of the instructions, LLC references
 * 1/64. */
static void test_modelled(void)
{
	uint64_t window = 2 * many() + 4;

	pmu_stop();
	pmu_program(0, 0, CYCLES, OS);
	pmu_program(1, 0, LLC_REF, OS);
	run_enabled(3, many());
	is(rdmsr(PMC0), window * 3 / 4, "cycles");
	is(rdmsr(PMC0 + 1), window / 64, "last-level cache references");
	wrmsr(FIXED_CTR_CTRL, 0x330);
	run_enabled(6ull << 32, many());
	is(rdmsr(FIXED_CTR0 + 1), window * 3 / 4, "cycles of the fixed counter");
	is(rdmsr(FIXED_CTR0 + 2), window, "reference cycles, at -icount shift=0");
}

void test_counting(void)
{
	pmu_stop();
	pmu_program(0, 0, INSTRUCTIONS, OS);
	pmu_program_fixed(0, OS);
	wrmsr(GLOBAL_CTRL, 1ull << 32 | 1);
	test_windows(0, "instructions of a straight line");
	test_windows(FIXED(0), "instructions of a straight line, fixed counter");
	test_together();
	test_modelled();
	pmu_stop();
}
