/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Determines a block's outcome at the start of the next one: its branch went there, or a fault
 * ended it early, or an interrupt followed it.
 */
#include "emulator/sim/cpu/quick.h"

#define SELECTOR_RPL 3

static bool is_high(uint64_t address)
{
	return address >> 63;
}

static void outcome_count(struct core *core, enum core_quantity quantity, uint64_t n)
{
	core->totals[core->ring][quantity] += n;
}

/* The branch at the block's end went there: runs the predictor. */
static void predict(struct core *core, const struct code_block *block, const struct code_insn *insn,
		    uint64_t to)
{
	enum branch_class class = insn->kind - CODE_NEAR;

	core->events.outcome = core->guesses
				   ? predictor_branch(core->predictor, insn->address, class,
						      to != block->end, to, block->end)
				   : core_way(class == BRANCH_CONDITIONAL, block, to);
}

/* The first nr instructions have retired; QEMU counts one more if it is a repetition, or found
 * undefined at translation. */
static void count_part(struct core *core, const struct code_block *block, unsigned nr)
{
	const struct code_insn *next = &block->insn[nr];

	outcome_count(core, CORE_EXECUTED, nr + (next->repeats || next->kind == CODE_FAULTS));
	outcome_count(core, CORE_INSTRUCTIONS, nr);
	for (unsigned i = 0; i < nr; i++) {
		outcome_count(core, CORE_LOADS, block->insn[i].loads);
		outcome_count(core, CORE_STORES, block->insn[i].stores);
	}
}

/* The block has run to its end: if that is a repetition of none, takes back its load and store. */
static void count_repetition(struct core *core, const struct code_insn *last)
{
	if (core->last_access != last->address && core->iterated != last->address) {
		outcome_count(core, CORE_LOADS, -(uint64_t)last->loads);
		outcome_count(core, CORE_STORES, -(uint64_t)last->stores);
	}
	core->iterated = 0;
}

/* Returns the ring after a far branch to `to`. */
static enum core_ring ring_behind(const struct core *core, enum code_kind kind, uint64_t to)
{
	switch (kind) {
	case CODE_FAR_IN:
		return CORE_RING_KERNEL;
	case CODE_FAR_OUT:
		return CORE_RING_USER;
	case CODE_FAR_FRAME:
		if (core->selector != SELECTOR_UNKNOWN)
			return core->selector & SELECTOR_RPL ? CORE_RING_USER : CORE_RING_KERNEL;
		return is_high(to) ? CORE_RING_KERNEL : CORE_RING_USER;
	default:
		return core->ring;
	}
}

/* Returns how many of its instructions retired when the guest left it for `to`, which is no regular
 * successor: an instruction without its access has faulted. */
static unsigned retired_before(const struct core *core, const struct code_block *block, uint64_t to,
			       bool *left)
{
	for (unsigned i = 0; i < block->nr; i++)
		if (block->insn[i].address == to)
			return i;
	*left = true;
	for (unsigned i = 0; i < block->nr; i++) {
		const struct code_insn *insn = &block->insn[i];

		if ((insn->accesses && insn->address > core->last_access) ||
		    insn->kind == CODE_FAULTS)
			return i;
	}
	return block->nr;
}

/* True if a block whose instructions are all done continues at `to`. */
static bool leads_to(const struct core *core, const struct code_block *block, uint64_t to)
{
	const struct code_insn *last = &block->insn[block->nr - 1];

	if (last->accesses && core->last_access != last->address)
		return false;
	switch (last->kind) {
	case CODE_PLAIN:
		return to == block->end;
	case CODE_NEAR + BRANCH_CONDITIONAL:
		return to == block->end || to == block->target;
	case CODE_NEAR + BRANCH_JUMP:
	case CODE_NEAR + BRANCH_CALL:
		return to == block->target;
	case CODE_FAULTS:
		return false;
	default: /* anywhere: unless a fault came before */
		return core->last_access >= block->must_access;
	}
}

/* True if the guest stopped before one of the block's instructions: an indirect branch at its end
 * has not led there. A repetition may continue. */
static bool lies_inside(const struct code_block *block, uint64_t to)
{
	return to >= block->start && to < block->end && !block->insn[block->nr - 1].repeats;
}

/* A repeated instruction has completed when the guest is past it. */
static bool repeats_on(const struct code_block *block, uint64_t to)
{
	const struct code_insn *last = &block->insn[block->nr - 1];

	return last->repeats && to != block->end;
}

/* Returns what determines the cost of the block's run, of `executed` instructions. */
static inline struct detail_run run_of(const struct core *core, bool part)
{
	return (struct detail_run){.executed = core->events.executed,
				   .outcome = core->events.outcome,
				   .part = part,
				   .misses = core->missed_to};
}

void core_time_exactly(struct core *core, struct code_block *block, bool part)
{
	struct block *timing = block->timing[core->kind];
	uint64_t before = pipeline_cycles(core->pipeline);
	struct detail_run run;

	if (!timing || !core->events.executed)
		pipeline_forget(core->pipeline);
	else if (part)
		pipeline_block(core->pipeline, timing, &core->events);
	else
		pipeline_block_quick(core->pipeline, timing, &core->events);
	if (!core->detail.measures || !core_has_windows(core))
		return;
	run = run_of(core, part);
	detail_measure(&core->detail, block, &run, pipeline_cycles(core->pipeline) - before,
		       core->config);
}

/* Advances the time by the block's first nr instructions, plus one if it ends with an unfinished
 * repetition or an instruction that the visor executes. */
static void time_block(struct core *core, struct code_block *block, unsigned nr, bool left,
		       enum core_end end)
{
	bool more = nr < block->nr && (block->insn[nr].repeats || end == CORE_STOPPED_FOR_VISOR),
	     part = nr < block->nr || block->insn[nr - 1].repeats;
	struct detail_run run;

	core->events.executed = nr + more;
	run = run_of(core, part);
	if (core->light && block->changes)
		pipeline_change(core->pipeline, block->upper, block->direction);
	if (core->light)
		pipeline_pass(core->pipeline,
			      detail_cost(&core->detail, block, &run, core->config));
	else
		core_time_exactly(core, block, part);
	if (left && core->detail.use != DETAIL_NONE)
		pipeline_interrupt(core->pipeline);
}

/* Records the branch that ended a block (NULL: none), or an interrupt of the guest at `at`. */
static void record(struct core *core, const struct code_insn *branch, uint64_t at, uint64_t to,
		   bool left, enum core_ring ring)
{
	struct core_branch entry = {
	    .from = at, .to = to, .kind = CORE_BRANCH_FAR, .from_ring = core->ring, .ring = ring};

	if (!left) {
		if (!branch || (branch->kind == CODE_NEAR + BRANCH_CONDITIONAL &&
				!(core->events.outcome & BRANCH_TAKEN)))
			return;
		entry.from = branch->address;
		entry.length = branch->length;
		entry.mispredicted = core->events.outcome & BRANCH_MISPREDICTED;
		if (branch->kind <= CODE_NEAR_LAST)
			entry.kind = branch->kind - CODE_NEAR;
	}
	records_add(&core->records, &core->page->filter, entry, pipeline_cycles(core->pipeline));
}

void core_have_effects(struct core *core, unsigned effects)
{
	memory_forget_pages(core->memory);
	if (effects & EFFECT_CACHES)
		memory_flush_caches(core->memory);
	if (effects & EFFECT_SPACE)
		memory_flush_space(core->memory);
	if (effects & EFFECT_TLBS)
		memory_flush_tlbs(core->memory);
}

/* A one-block loop has returned to its start, and stopped there. */
static bool has_looped(const struct core *core, const struct code_block *block, uint64_t to,
		       enum core_end end)
{
	return end == CORE_STOPPED_BETWEEN && to == block->start && leads_to(core, block, to);
}

static void trace(struct core *core, const struct trace_end *end)
{
	if (core->tracing)
		trace_ended(core, end);
	if (core->storing)
		store_ended(core, end);
}

static void finish_other(struct core *core, struct code_block *block, uint64_t to,
			 enum core_end end)
{
	const struct code_insn *last = &block->insn[block->nr - 1];
	enum core_ring new_ring = core->ring;
	bool left = false, stopped = end != CORE_WENT_ON, broken_in;
	unsigned nr = block->nr;

	if (stopped && lies_inside(block, to) && !has_looped(core, block, to, end)) {
		nr = retired_before(core, block, to, &left);
	} else if (repeats_on(block, to)) {
		nr = retired_before(core, block, to, &left);
		nr -= nr == block->nr;
	} else if (!leads_to(core, block, to)) {
		nr = retired_before(core, block, to, &left);
	}
	core->last_done = block->insn[nr ? nr - 1 : 0].address;
	if (nr < block->nr || !code_is_branch(last))
		last = NULL;
	if (last && last->kind <= CODE_NEAR_LAST)
		predict(core, block, last, to);
	if (core->observer && last && last->kind <= CODE_NEAR_LAST)
		observe_branch(core->observer, last->address, last->kind - CODE_NEAR,
			       core->events.outcome);
	if (core->last_access == block->last_address && repeats_on(block, to))
		core->iterated = block->last_address;
	if (nr == block->nr)
		core_count_whole(core, block, core->events.outcome);
	else
		count_part(core, block, nr);
	if (nr == block->nr && block->insn[nr - 1].repeats)
		count_repetition(core, &block->insn[nr - 1]);
	time_block(core, block, nr, left, end);
	if (last && !stopped && last->kind > CODE_NEAR_LAST)
		new_ring = ring_behind(core, last->kind, to);
	broken_in = !stopped && new_ring == CORE_RING_USER && is_high(to);
	if (!stopped && (left || broken_in))
		new_ring = CORE_RING_KERNEL;
	if (core->recording)
		record(core, last, nr < block->nr ? block->insn[nr].address : block->end, to, left,
		       new_ring);
	if (core->tracing || core->storing)
		trace(core, &(struct trace_end){block, nr, to, left, stopped, broken_in, core->ring,
						new_ring});
	core_change_ring(core, new_ring);
	if (left)
		memory_forget_pages(core->memory);
	if (block->effects && nr > block->effective)
		core_have_effects(core, block->effects);
}

/* Finishes a block that ends as core_ends_at() says. */
static void finish_usual(struct core *core, struct code_block *block, uint64_t to)
{
	if (core->light) {
		core->events.outcome = core_pass(core, block, to);
		return;
	}
	core->events.outcome = core_predict(core, block, to);
	core->events.executed = block->nr;
	core->last_done = block->last_address;
	core_count_whole(core, block, core->events.outcome);
	core_time_exactly(core, block, false);
}

/* True if the block ends as it most often does, within its ring, and its branches are not recorded.
 */
static bool is_usual(const struct core *core, const struct code_block *block, uint64_t to,
		     enum core_end end)
{
	bool inside = end == CORE_STOPPED_AT || end == CORE_STOPPED_FOR_VISOR;

	return !(inside && lies_inside(block, to)) && !core->follows &&
	       core_ends_at(core, block, to) && !(is_high(to) && core->ring == CORE_RING_USER);
}

static void finish(struct core *core, struct code_block *block, uint64_t to, enum core_end end)
{
	if (!is_usual(core, block, to, end)) {
		finish_other(core, block, to, end);
		return;
	}
	finish_usual(core, block, to);
	if (core->observer && block->ends != ENDS_ON)
		observe_branch(core->observer, block->last_address, block->branch,
			       core->events.outcome);
}

void core_finish_block(struct core *core, uint64_t to, enum core_end end)
{
	struct code_block *block = core->block;

	core->block = NULL;
	core->quick_bytes = 0;
	core_change(core);
	if (block)
		finish(core, block, to, end);
	if (block && core->clear) {
		core->clear = false;
		if (core->detail.use != DETAIL_NONE)
			pipeline_clear(core->pipeline);
	}
	for (; core->assists; core->assists--)
		if (core->detail.use != DETAIL_NONE)
			pipeline_assist(core->pipeline);
}
