/* SPDX-License-Identifier: BSD-2-Clause */
/* Exact counts of known code in ring 0, in ring 3, and in both. */
#include "tests/bare/machine/guest.h"

#define RUNS (machine.stepped ? 20u : 200u) /* stepping takes its time */

static uint64_t long_loop(void)
{
	return machine.stepped ? 5000 : 500000;
}

static void kernel_loop(void)
{
	unsigned equal = 0;

	for (unsigned i = 0; i < RUNS; i++) {
		fixed_start(0, OS | USR, false, 0);
		counted_spin(fixed_control(0), 500);
		equal += fixed_read(0) == 1003;
	}
	is(equal, RUNS, "every time a loop in ring 0 is 1003 instructions");
	fixed_start(0, OS, false, 0);
	counted_spin(fixed_control(0), long_loop());
	is(fixed_read(0), 2 * long_loop() + 3, "a long loop");
	fixed_start(0, USR, false, 0);
	counted_spin(fixed_control(0), 500);
	is(fixed_read(0), 0, "a counter of ring 3 does not count in ring 0");
	pmu_reset();
}

static uint64_t run_user(uint64_t n)
{
	return in_user(spin, n);
}

/* Three counters at once: both rings, ring 0, ring 3. */
static void rings_of(uint64_t (*code)(uint64_t), uint64_t n, uint64_t counts[3])
{
	fixed_start(0, OS | USR, false, 0);
	general_start(0, EVENT_INSTRUCTIONS, OS, false, 0);
	general_start(1, EVENT_INSTRUCTIONS, USR, false, 0);
	counted_call(fixed_control(0) | general_control(0) | general_control(1), code, n);
	counts[0] = fixed_read(0);
	counts[1] = general_read(0);
	counts[2] = general_read(1);
	pmu_reset();
}

static void user_loop(void)
{
	uint64_t first[3], again[3];
	unsigned equal = 0, sums = 0, user = 0;

	rings_of(run_user, 500, first);
	for (unsigned i = 0; i < RUNS; i++) {
		rings_of(run_user, 500, again);
		equal += again[0] == first[0] && again[1] == first[1];
		sums += again[0] == again[1] + again[2];
		user += again[2] == 1001 + IN_USER_EXTRA;
	}
	is(user, RUNS, "every time a loop in ring 3 is 1001 instructions, CALL and INT");
	is(equal, RUNS, "every time the same in ring 0 and in both");
	is(sums, RUNS, "every time the rings' counts add up");
}

static void user_only(void)
{
	general_start(0, EVENT_INSTRUCTIONS, USR, false, 0);
	counted_call(general_control(0), run_user, long_loop());
	is(general_read(0), 2 * long_loop() + 1 + IN_USER_EXTRA, "ring 3 alone, a long loop");
	fixed_start(0, OS | USR, false, 0);
	counted_call(fixed_control(0), run_user, long_loop());
	ok(fixed_read(0) > 2 * long_loop() + 1 + IN_USER_EXTRA,
	   "both rings count more than ring 3");
	pmu_reset();
}

static uint64_t run_syscalls(uint64_t n)
{
	return in_user(user_syscalls, n);
}

static void system_calls(void)
{
	uint64_t few[3], many[3];

	syscalls = 0;
	rings_of(run_syscalls, 10, few);
	rings_of(run_syscalls, 30, many);
	is(syscalls, 40, "all system calls arrived");
	is(few[2], 32 + IN_USER_EXTRA, "SYSCALL counts once in ring 3");
	is(many[2], 92 + IN_USER_EXTRA, "whatever their number");
	is(many[1] - few[1], 40, "the kernel's part is counted in ring 0");
	is(many[0], many[1] + many[2], "the rings' counts add up");
}

static void exiting_instructions(void)
{
	fixed_start(0, OS, false, 0);
	counted_call(fixed_control(0), exiting, 0);
	is(fixed_read(0), 6 + 9, "CPUID, RDMSR, RDPMC count once each");
	pmu_reset();
}

static uint64_t faulting(uint64_t unused)
{
	uint64_t value;

	(void)unused;
	return try_rdmsr(0x680, &value);
}

static uint64_t run_faulting(uint64_t n)
{
	return in_user(faulting, n);
}

/* A fault in ring 3 (RDMSR is privileged): the rings' counts still add up. */
static void faults_across_rings(void)
{
	uint64_t counts[3];

	rings_of(run_faulting, 0, counts);
	is(counts[0], counts[1] + counts[2], "a fault in ring 3: the rings' counts add up");
}

void test_counting(void)
{
	pmu_reset();
	kernel_loop();
	user_loop();
	user_only();
	system_calls();
	exiting_instructions();
	faults_across_rings();
}
