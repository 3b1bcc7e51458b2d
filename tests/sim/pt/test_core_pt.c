/* SPDX-License-Identifier: BSD-2-Clause */
/* Processor Trace of random walks through code: a decoder must find each instruction that ran in
 * ring 3, one by one, and no other. Filters of addresses and contexts. */
#include "tests/sim/pt/pt_walk.h"

static void every_instruction_is_found(void **state)
{
	static const uint64_t ways[] = {
	    0,
	    PT_CTL_NO_RETC,
	    PT_CTL_TSC,
	    PT_CTL_TSC | PT_CTL_MTC | 9ull << PT_CTL_MTC_FREQ,
	    PT_CTL_TSC | PT_CTL_CYC,
	    PT_CTL_TSC | PT_CTL_CYC | 5ull << PT_CTL_CYC_THRESH | PT_CTL_MTC |
		9ull << PT_CTL_MTC_FREQ,
	};

	(void)state;
	for (uint64_t seed = 0; seed < 24; seed++) {
		struct walk *walk = new_walk(seed, USER | ways[seed % 6]);

		walk->interrupts = seed & 1;
		walk_along(walk);
		assert_int_equal(walk->guest.page.pt.lost, 0);
		decode(walk, memory + 0x80000, written(walk), 0);
		walk_end(walk);
		free(walk);
	}
}

/* A filter range: only its instructions are decoded. */
static void a_range_filters(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 8; seed++) {
		struct walk *walk = new_walk(1000 + seed, USER | 1ull << PT_CTL_RANGE_CFG(1));
		struct pt_state *pt = &walk->guest.page.pt;
		unsigned nr = 0;

		walk->interrupts = seed & 1;
		pt->range[1][0] = walk->blocks[10]->start;
		pt->range[1][1] = walk->blocks[40]->end - 1;
		walk_along(walk);
		for (unsigned i = 0; i < walk->nr_ran; i++)
			if (walk->ran[i] >= pt->range[1][0] && walk->ran[i] <= pt->range[1][1])
				walk->ran[nr++] = walk->ran[i];
		walk->nr_ran = nr;
		assert_true(nr > 100);
		decode(walk, memory + 0x80000, written(walk), 0);
		walk_end(walk);
		free(walk);
	}
}

/* Another address space's instructions, and the kernel's, leave nothing but where packets begin. */
static void other_contexts_are_silent(void **state)
{
	static const uint64_t ctls[] = {USER | PT_CTL_CR3_FILTER, (USER & ~PT_CTL_USR),
					USER & ~PT_CTL_TRACE};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct walk *walk = new_walk(i, ctls[i]);

		walk->guest.page.pt.cr3_match = 0x6000;
		walk_along(walk);
		assert_int_equal(written(walk), 22); /* PSB, CBR, PSBEND */
		walk_end(walk);
		free(walk);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_instruction_is_found),
	    cmocka_unit_test(a_range_filters),
	    cmocka_unit_test(other_contexts_are_silent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
