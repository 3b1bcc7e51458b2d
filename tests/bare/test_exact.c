/* SPDX-License-Identifier: BSD-2-Clause */
/* The option `exact`: every instruction and branch, with nothing of the stepping to be seen. */
#include "tests/bare/machine/guest.h"
#include "emulator/visor/base/lib.h"

#define RFLAGS_TF    0x100
#define CALL_AND_RET 2
#define GLOBAL_CTRL  0x38f
#define DEBUGCTL     0x1d9
#define DEBUGCTL_LBR 1
#define LBR_TOS      0x1c9 /* of skylake */
#define LBR_TO       0x6c0
#define LBR_DEPTH    32
#define AROUND       6 /* counted_call's own */

static uint64_t count(unsigned event, uint64_t (*code)(uint64_t), uint64_t argument)
{
	general_start(0, event, OS, false, 0);
	counted_call(general_control(0), code, argument);
	return general_read(0);
}

static unsigned pmis;
static uint64_t place;

static void on_pmi(struct trap_frame *frame)
{
	pmis++;
	place = frame->rip;
	wrmsr(GLOBAL_CTRL, 0);
}

/* The 20th branch of the loop is the JNZ of its 20th round: the PMI finds the loop's top. */
static void sample_branches(void)
{
	on_nmi(on_pmi);
	pmi_by_nmi();
	general_start(0, EVENT_BRANCHES, OS, true, minus(20));
	counted_spin(general_control(0), 100);
	is(pmis, 1, "exact: a PMI of branches");
	is(place, (uint64_t)counted_spin_loop, "after the branch that wraps the counter");
}

/* Branches are recorded though nothing counts: the last one of the loop that was taken. */
static void record_branches(void)
{
	uint64_t top;

	wrmsr(DEBUGCTL, DEBUGCTL_LBR);
	spin(10);
	wrmsr(DEBUGCTL, 0);
	for (uint64_t n = rdmsr(LBR_TOS), i = 0; i < 4; i++) {
		top = rdmsr(LBR_TO + (n - i) % LBR_DEPTH);
		if (top == (uint64_t)spin_body)
			break;
	}
	is(top, (uint64_t)spin_body, "exact: branches are recorded while nothing counts");
}

static uint64_t seen;

static uint64_t look_at_flags(uint64_t n)
{
	seen = flags_seen(n);
	return 0;
}

void test_exact(void)
{
	pmu_reset();
	is(count(EVENT_INSTRUCTIONS, branchy, 1000), AROUND + 6001, "exact: instructions");
	is(count(EVENT_BRANCHES, branchy, 1000), 2000 + CALL_AND_RET, "exact: branches");
	is(count(EVENT_MISPREDICTS, branchy, 1000), 1,
	   "exact: of a known loop only the end is mispredicted");
	is(count(EVENT_INSTRUCTIONS, repeated, 100), AROUND + 4,
	   "exact: REP STOSB is one instruction");
	count(EVENT_INSTRUCTIONS, look_at_flags, 64);
	is(seen & RFLAGS_TF, 0, "exact: PUSHF shows no trap flag");
	sample_branches();
	if (has_word(machine.personality, "skylake"))
		record_branches();
	pmu_reset();
}
