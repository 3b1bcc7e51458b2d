/* SPDX-License-Identifier: BSD-2-Clause */
/* The option `exact`: every instruction and branch, with nothing of the stepping to be seen. */
#include "tests/bare/guest.h"

#define RFLAGS_TF    0x100
#define CALL_AND_RET 2
#define AROUND       6 /* counted_call's own */

static uint64_t count(unsigned event, uint64_t (*code)(uint64_t), uint64_t argument)
{
	general_start(0, event, OS, false, 0);
	counted_call(general_control(0), code, argument);
	return general_read(0);
}

static uint64_t seen;

static uint64_t look_at_flags(uint64_t n)
{
	seen = flags_seen(n);
	return 0;
}

void test_exact(void)
{
	uint64_t mispredicts;

	pmu_reset();
	is(count(EVENT_INSTRUCTIONS, branchy, 1000), AROUND + 6001, "exact: instructions");
	is(count(EVENT_BRANCHES, branchy, 1000), 2000 + CALL_AND_RET, "exact: branches");
	mispredicts = count(EVENT_MISPREDICTS, branchy, 1000);
	ok(mispredicts < 20, "exact: a loop is mispredicted %lu times", mispredicts);
	is(count(EVENT_INSTRUCTIONS, repeated, 100), AROUND + 4,
	   "exact: REP STOSB is one instruction");
	count(EVENT_INSTRUCTIONS, look_at_flags, 64);
	is(seen & RFLAGS_TF, 0, "exact: PUSHF shows no trap flag");
	pmu_reset();
}
