/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns a block's outcome into records of the branch trace store. Where an interrupt follows a
 * branch, both are records. */
#include "emulator/sim/cpu/store.h"

#include "emulator/sim/cpu/core_state.h"

/* Appends a branch or an interrupt that began in `ring`. Stops the guest at the limit; if it runs
 * on until the array is full, the rest is lost. */
static void put(struct core *core, uint64_t from, uint64_t to, enum core_ring ring, bool predicted)
{
	struct core_store *store = &core->page->store;

	if (!(store->rings >> ring & 1) || store->nr >= CORE_STORED)
		return;
	store->branches[store->nr++] = (struct core_stored){from, to, predicted};
	if (store->nr == store->limit)
		core->tracer.machine.stop(core->tracer.machine.who);
}

/* Appends the block's last branch, which led to `to`, if it was taken. */
static void put_branch(struct core *core, const struct trace_end *end, uint64_t to)
{
	const struct code_insn *last = &end->block->insn[end->block->nr - 1];

	if (last->kind == CODE_NEAR + BRANCH_CONDITIONAL && to == end->block->end)
		return;
	put(core, last->address, to, end->ring, !(core->events.outcome & BRANCH_MISPREDICTED));
}

static void put_interrupt(struct core *core, const struct trace_end *end)
{
	uint64_t ip;

	if (!trace_interrupted_at(core, end, &ip))
		return;
	if (trace_was_done(end, ip))
		put_branch(core, end, ip);
	put(core, ip, end->to, end->broken_in ? CORE_RING_USER : end->ring, true);
}

void store_entered(struct core *core, const struct code_block *block)
{
	const struct pt_state *state = &core->page->pt;

	if (block->start != state->here_ip)
		put(core, state->here_ip, block->start,
		    state->here_user ? CORE_RING_USER : CORE_RING_KERNEL, true);
}

void store_ended(struct core *core, const struct trace_end *end)
{
	const struct code_block *block = end->block;
	enum core_ring ring = end->stopped ? core->page->stopped_ring : end->new_ring;

	if (trace_was_left(core, end, ring == CORE_RING_USER))
		put_interrupt(core, end);
	else if (end->nr == block->nr && code_is_branch(&block->insn[block->nr - 1]))
		put_branch(core, end, end->to);
}
