/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Determines a block's outcome at the start of the next one: its branch went there, or a fault
 * ended it early, or an interrupt followed it.
 */
#include "emulator/sim/cpu/core_state.h"

#define SELECTOR_RPL 3

static bool is_high(uint64_t address)
{
	return address >> 63;
}

static void count(struct core *core, enum core_quantity quantity, uint64_t n)
{
	core->totals[core->ring][quantity] += n;
}

/* The branch at the block's end went there: runs the predictor. */
static void predict(struct core *core, const struct code_block *block, const struct code_insn *insn,
		    uint64_t to)
{
	enum branch_class class = insn->kind - CODE_NEAR;

	core->events.outcome = predictor_branch(core->predictor, insn->address, class,
						to != block->end, to, block->end);
}

/* After this number of consecutive branches to the own block the predictor no longer changes:
 * histories are full of them, counters are saturated. */
#define LOOPS_ALL 512

/* True if the branch to `to` is certainly predicted, because nothing else has run recently. */
static bool loops_on(struct core *core, const struct code_block *block, uint64_t to)
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
		return true;
	core->loops++;
	return false;
}

/* The whole block has retired. */
static inline void count_whole(struct core *core, struct code_block *block)
{
	if (block->ran_on != core)
		core_claim(core, block);
	block->runs[core->events.outcome]++;
}

/* The first nr instructions have retired; QEMU counts one more if it is a repetition, or found
 * undefined at translation. */
static void count_part(struct core *core, const struct code_block *block, unsigned nr)
{
	const struct code_insn *next = &block->insn[nr];

	count(core, CORE_EXECUTED, nr + (next->repeats || next->kind == CODE_FAULTS));
	count(core, CORE_INSTRUCTIONS, nr);
	for (unsigned i = 0; i < nr; i++) {
		count(core, CORE_LOADS, block->insn[i].loads);
		count(core, CORE_STORES, block->insn[i].stores);
	}
}

/* The block has run to its end: if that is a repetition of none, takes back its load and store. */
static void count_repetition(struct core *core, const struct code_insn *last)
{
	if (core->last_access != last->address && core->iterated != last->address) {
		count(core, CORE_LOADS, -(uint64_t)last->loads);
		count(core, CORE_STORES, -(uint64_t)last->stores);
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

/* The pipeline simulates the block, or its first instructions. */
static inline void time_exactly(struct core *core, struct code_block *block, bool part)
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
	if (!core->detail.measures || core->ring != CORE_RING_USER)
		return;
	run = run_of(core, part);
	detail_measure(&core->detail, block, &run, pipeline_cycles(core->pipeline) - before,
		       core->config);
}

/* The block, or its first instructions, take time without the pipeline. */
static inline void time_lightly(struct core *core, const struct code_block *block, bool part)
{
	struct detail_run run = run_of(core, part);

	pipeline_pass(core->pipeline, detail_cost(&core->detail, block, &run, core->config));
}

/* Advances the time by the whole block. */
static inline void time_whole(struct core *core, struct code_block *block)
{
	core->events.executed = block->nr;
	if (core->light)
		time_lightly(core, block, false);
	else
		time_exactly(core, block, false);
}

/* As time_whole(), for a part of the block, plus one if it ends with an unfinished repetition or an
 * instruction that the visor executes. */
static __attribute__((noinline)) void time_block(struct core *core, struct code_block *block,
						 unsigned nr, bool left, enum core_end end)
{
	bool more = nr < block->nr && (block->insn[nr].repeats || end == CORE_STOPPED_FOR_VISOR),
	     part = nr < block->nr || block->insn[nr - 1].repeats;

	core->events.executed = nr + more;
	if (core->light)
		time_lightly(core, block, part);
	else
		time_exactly(core, block, part);
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

/* True if a block with a usual end continues there. */
static inline bool ends_at(const struct core *core, const struct code_block *block, uint64_t to)
{
	if (block->last_accesses && core->last_access != block->last_address)
		return false;
	if (block->ends <= ENDS_ANYWHERE) /* unless a fault came before */
		return block->ends == ENDS_ANYWHERE && core->last_access >= block->must_access;
	return (to == block->end && block->ends != ENDS_AT_TARGET) ||
	       (to == block->target && block->ends != ENDS_ON);
}

/* Finishes a block with a usual end, within its ring. Returns false for other blocks. */
static inline bool finish_plain(struct core *core, struct code_block *block, uint64_t to)
{
	if (core->follows || !ends_at(core, block, to) ||
	    (is_high(to) && core->ring == CORE_RING_USER))
		return false;
	if (block->ends == ENDS_CONDITIONAL && loops_on(core, block, to))
		core->events.outcome = BRANCH_TAKEN;
	else if (block->ends != ENDS_ON)
		predict(core, block, &block->insn[block->nr - 1], to);
	if (core->observer && block->ends != ENDS_ON)
		observe_branch(core->observer, block->last_address,
			       block->insn[block->nr - 1].kind - CODE_NEAR, core->events.outcome);
	core->last_done = block->last_address;
	count_whole(core, block);
	time_whole(core, block);
	return true;
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

static __attribute__((noinline)) void finish_other(struct core *core, struct code_block *block,
						   uint64_t to, enum core_end end)
{
	const struct code_insn *last = &block->insn[block->nr - 1];
	enum core_ring new_ring = core->ring;
	bool left = false, stopped = end != CORE_WENT_ON, broken_in;
	unsigned nr = block->nr;

	if (stopped && lies_inside(block, to) && !has_looped(core, block, to, end)) {
		nr = retired_before(core, block, to, &left);
	} else if (repeats_on(block, to)) {
		left = to != last->address && to != block->start;
		nr = to == block->start ? 0 : nr - 1;
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
		count_whole(core, block);
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
	if (core->tracing)
		trace_ended(core, &(struct trace_end){block, nr, to, left, stopped, broken_in,
						      core->ring, new_ring});
	core_change_ring(core, new_ring);
	if (left)
		memory_forget_pages(core->memory);
	if (block->effects && nr > block->effective)
		core_have_effects(core, block->effects);
}

void core_finish_block(struct core *core, uint64_t to, enum core_end end)
{
	struct code_block *block = core->block;

	core->block = core->plain = NULL;
	if (!block)
		return;
	if (((end == CORE_STOPPED_AT || end == CORE_STOPPED_FOR_VISOR) && lies_inside(block, to)) ||
	    !finish_plain(core, block, to))
		finish_other(core, block, to, end);
	if (core->clear) {
		core->clear = false;
		if (core->detail.use != DETAIL_NONE)
			pipeline_clear(core->pipeline);
	}
}
