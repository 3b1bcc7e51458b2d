/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts kinds of branches to quantities. */
#include "emulator/sim/cpu/tally.h"

#define MOST_INSTRUCTIONS 512  /* of QEMU's blocks */
#define MOST_OF_A_BLOCK   4096 /* limit for repeatable instructions */

static void add_near(uint64_t *totals, enum branch_class class, unsigned outcome, uint64_t n)
{
	static const uint8_t all[BRANCH_CLASSES] = {CORE_CONDITIONAL,    CORE_JUMPS,
						    CORE_JUMPS_INDIRECT, CORE_CALLS,
						    CORE_CALLS_INDIRECT, CORE_RETURNS};
	static const uint8_t wrong[BRANCH_CLASSES] = {
	    CORE_MISPREDICTED_CONDITIONAL,    CORE_NONE,
	    CORE_MISPREDICTED_JUMPS_INDIRECT, CORE_NONE,
	    CORE_MISPREDICTED_CALLS_INDIRECT, CORE_MISPREDICTED_RETURNS};
	uint64_t taken = outcome & BRANCH_TAKEN ? n : 0;
	uint64_t conditional = class == BRANCH_CONDITIONAL ? taken : 0;
	uint64_t untaken = class == BRANCH_CONDITIONAL ? n - taken : 0;

	totals[all[class]] += n;
	totals[CORE_BRANCHES_TAKEN] += taken;
	totals[CORE_NEAR_TAKEN] += taken;
	totals[CORE_CONDITIONAL_TAKEN] += conditional;
	totals[CORE_CONDITIONAL_NOT_TAKEN] += untaken;
	if (outcome & BRANCH_MISPREDICTED) {
		totals[CORE_MISPREDICTED] += n;
		totals[wrong[class]] += n;
		totals[CORE_MISPREDICTED_TAKEN] += taken;
		totals[CORE_MISPREDICTED_CONDITIONAL_TAKEN] += conditional;
		totals[CORE_MISPREDICTED_CONDITIONAL_NOT_TAKEN] += untaken;
	}
	if (outcome & BRANCH_RESTEERED)
		totals[CORE_RESTEERS] += n;
}

void tally_add(uint64_t *totals, const struct code_block *block, unsigned outcome, uint64_t n)
{
	const struct code_insn *last = &block->insn[block->nr - 1];

	totals[CORE_EXECUTED] += block->nr * n;
	totals[CORE_INSTRUCTIONS] += block->nr * n;
	totals[CORE_LOADS] += block->loads * n;
	totals[CORE_STORES] += block->stores * n;
	if (!code_is_branch(last))
		return;
	totals[CORE_BRANCHES] += n;
	if (last->kind <= CODE_NEAR_LAST) {
		add_near(totals, last->kind - CODE_NEAR, outcome, n);
		return;
	}
	totals[CORE_FAR_BRANCHES] += n;
	totals[CORE_BRANCHES_TAKEN] += n;
}

unsigned tally_most(unsigned quantity)
{
	if (quantity >= CORE_BRANCHES && quantity <= CORE_RESTEERS)
		return 1;
	return quantity == CORE_INSTRUCTIONS || quantity == CORE_EXECUTED ||
		       quantity == CORE_LOADS || quantity == CORE_STORES
		   ? MOST_INSTRUCTIONS
		   : MOST_OF_A_BLOCK;
}
