/* SPDX-License-Identifier: BSD-2-Clause */
/* Several counters at once, each with its own period, sampling ring 3: together, apart, at every
 * instruction. */
#include "tests/bare/machine/guest.h"

#define COUNTERS        3
#define GLOBAL_STATUS   0x38e
#define GLOBAL_OVF_CTRL 0x390
#define DEBUGCTL        0x1d9
#define LVTPC           0xfee00340ull
#define LVT_NMI         0x400u
#define USER_EXTRA      3 /* CALL, RET and INT 80H around the loop */

#define FREEZE_PERFMON_ON_PMI (1ull << 12)

static uint64_t periods[COUNTERS], overflows[COUNTERS], pmis;

/* Counters 0 and 1 are general, 2 is the first fixed one. */
#define FIXED_ONE 2

static uint64_t control(unsigned counter)
{
	return counter != FIXED_ONE ? general_control(counter) : fixed_control(0);
}

static void start(unsigned counter)
{
	if (counter != FIXED_ONE)
		general_start(counter, EVENT_INSTRUCTIONS, USR, true, minus(periods[counter]));
	else
		fixed_start(0, USR, true, minus(periods[counter]));
}

/* Each counter in the status is reloaded; the others count on. Up to version 3 a freeze has
 * cleared the enables. */
static void on_pmi(struct trap_frame *frame)
{
	uint64_t status = rdmsr(GLOBAL_STATUS), all = 0;

	(void)frame;
	pmis++;
	for (unsigned i = 0; i < COUNTERS; i++) {
		all |= control(i);
		if (!(status & control(i)))
			continue;
		overflows[i]++;
		start(i);
	}
	wrmsr(GLOBAL_OVF_CTRL, status);
	cpu_write_device(LVTPC, LVT_NMI);
	wrmsr(0x38f, all);
}

static uint64_t run_user(uint64_t n)
{
	return in_user(spin, n);
}

/* How many of `total` instructions are the last of some counter's period. */
static uint64_t places(uint64_t total)
{
	uint64_t count = 0;

	for (uint64_t i = 1; i <= total; i++)
		count += i % periods[0] == 0 || i % periods[1] == 0 || i % periods[2] == 0;
	return count;
}

static bool sample(const uint16_t set[COUNTERS], bool freeze)
{
	/* Both a PMI for each instruction and a step take time. */
	uint64_t n = machine.stepped ? 25 : set[0] == 1 ? 50 : 200;
	uint64_t total = 2 * n + USER_EXTRA, all = 0;
	bool passed = true;

	pmu_reset();
	wrmsr(DEBUGCTL, freeze ? FREEZE_PERFMON_ON_PMI : 0);
	pmis = 0;
	for (unsigned i = 0; i < COUNTERS; i++) {
		periods[i] = set[i];
		overflows[i] = 0;
		all |= control(i);
		start(i);
	}
	counted_call(all, run_user, n);
	for (unsigned i = 0; i < COUNTERS; i++) {
		passed = passed && overflows[i] == total / periods[i];
		if (overflows[i] != total / periods[i])
			tap_print("# period %lu: %lu overflows of %lu\n", periods[i], overflows[i],
				  total / periods[i]);
	}
	if (pmis != places(total))
		tap_print("# %lu PMIs of %lu\n", pmis, places(total));
	return passed && pmis == places(total);
}

void test_stress(void)
{
	static const uint16_t sets[][COUNTERS] = {
	    {1, 1, 1},   {1, 2, 3},      {2, 3, 5},       {7, 7, 7},    {10, 20, 40},
	    {1, 50, 13}, {99, 100, 101}, {150, 151, 203}, {50, 50, 51},
	};
	unsigned passed = 0, count = sizeof(sets) / sizeof(sets[0]);

	on_nmi(on_pmi);
	pmi_by_nmi();
	for (unsigned i = 0; i < count; i++)
		passed += sample(sets[i], false) && sample(sets[i], true);
	is(passed, count,
	   "three counters sample ring 3 at once: every overflow, one PMI for those that wrap "
	   "together");
	wrmsr(DEBUGCTL, 0);
	pmu_reset();
}
