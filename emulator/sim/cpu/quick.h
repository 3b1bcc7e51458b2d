/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The usual way of blocks and accesses, inline in QEMU's callbacks: a block that ends as it most
 * often does, whose lines of code hit, and an access that hits. Everything else takes the functions
 * of core.h.
 */
#ifndef CORE_QUICK_H
#define CORE_QUICK_H

#include "emulator/sim/cpu/core_state.h"

/* After this number of consecutive branches to the own block a built-in predictor no longer
 * changes: histories are full of them, counters are saturated. */
#define LOOPS_ALL 512

/* True if the branch to `to` is certainly predicted, because nothing else has run recently. */
static inline bool core_loops_on(struct core *core, const struct code_block *block, uint64_t to)
{
	if (to != block->start) {
		core->looping = NULL;
		return false;
	}
	if (core->looping != block) {
		core->looping = block;
		core->loops = 0;
	}
	if (core->loops == LOOPS_ALL)
		return core->saturates;
	core->loops++;
	return false;
}

/* True if a block with a usual end continues there, and no fault came before. */
static inline bool core_ends_at(const struct core *core, const struct code_block *block,
				uint64_t to)
{
	return core->last_access >= block->needs &&
	       (to == block->exits[0] || to == block->exits[1] || block->ends == ENDS_ANYWHERE);
}

/* Returns enum branch_outcome of a branch that is not predicted. */
static inline unsigned core_way(bool conditional, const struct code_block *block, uint64_t to)
{
	return !conditional || to != block->end ? BRANCH_TAKEN : 0;
}

/* Predicts the branch at the end of a block that continues there. Returns enum branch_outcome. */
static inline unsigned core_predict(struct core *core, const struct code_block *block, uint64_t to)
{
	if (block->ends == ENDS_ON)
		return 0;
	if (!core->guesses)
		return core_way(block->ends == ENDS_CONDITIONAL, block, to);
	if (block->ends != ENDS_CONDITIONAL)
		return predictor_branch(core->predictor, block->last_address, block->branch, true,
					to, block->end);
	if (core_loops_on(core, block, to))
		return BRANCH_TAKEN;
	return predictor_conditional(core->predictor, block->last_address, to != block->end, to,
				     block->end);
}

/* The whole block has retired. */
static inline void core_count_whole(struct core *core, struct code_block *block, unsigned outcome)
{
	if (block->ran_on != core)
		core_claim(core, block);
	block->runs[outcome]++;
}

/* Finishes a block that ends as core_ends_at() says, without the pipeline. Returns its enum
 * branch_outcome. */
static inline unsigned core_pass(struct core *core, struct code_block *block, uint64_t to)
{
	unsigned outcome = core_predict(core, block, to);

	core->last_done = block->last_address;
	core_count_whole(core, block, outcome);
	pipeline_pass(core->pipeline,
		      detail_cost_of(&core->detail, block, outcome, core->missed_to, core->config));
	return outcome;
}

/* core_block() for a usual block after another one, without the pipeline. Returns CORE_ASKS, with
 * nothing changed, for others. */
static inline enum core_answer core_block_quick(struct core *core, struct code_block *block)
{
	uint64_t to = block->start;

	if ((int64_t)to < core->floor || core->left <= block->nr ||
	    !core_ends_at(core, core->block, to) ||
	    !(core->blind || memory_fetches_hit(core->memory, block->fetched, block->lines)))
		return CORE_ASKS;
	core_pass(core, core->block, to);
	core->left -= block->nr;
	core->block = block;
	core->quick = (uintptr_t)block->insn;
	core->quick_bytes = block->insn_bytes & core->quick_mask;
	core->last_access = 0;
	core->missed_to = 0;
	return core->nr_watches && core_due(core) ? CORE_STOPS : CORE_GOES_ON;
}

/* Handles an access of the running block, without the pipeline, that hits the most recent page and
 * line of their sets. Returns false, with nothing changed, for others. */
static inline bool core_access_quick(struct core *core, const struct code_insn *insn,
				     uint64_t vaddr, unsigned size, bool store)
{
	if ((uintptr_t)insn - core->quick >= core->quick_bytes ||
	    !(core->blind || memory_plain_hit(core->memory, vaddr, size, store)))
		return false;
	if (store || !insn->stores)
		core->last_access = insn->address;
	return true;
}

/* core_time(), inline. */
static inline uint64_t core_now(const struct core *core)
{
	return core->light ? pipeline_cycles(core->pipeline) : pipeline_retired(core->pipeline);
}

#endif
