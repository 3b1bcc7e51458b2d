/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns a block's outcome into a move of the guest. If an interrupt follows a branch, the branch
 * target is read from the interrupt frame. */
#include "emulator/sim/cpu/trace.h"

#include "emulator/sim/cpu/core_state.h"

static struct pt_state *state_of(const struct core *core)
{
	return &core->page->pt;
}

/* Sets the encoder's time: the guest's TSC, which follows the core's cycles or the instructions
 * since the entry. */
static void set_time(struct core *core)
{
	struct tracer *tracer = &core->tracer;
	const struct pt_state *state = state_of(core);
	uint64_t passed = core->page->timing ? core_time(core) - tracer->entered
					     : tracer->ran << state->tsc_shift;

	tracer->pt.state = state_of(core);
	if (state->here_tsc + passed > tracer->pt.tsc)
		tracer->pt.tsc = state->here_tsc + passed;
}

static void move(struct core *core, enum pt_kind kind, uint64_t from, struct pt_place to)
{
	pt_move(&core->tracer.pt, &(struct pt_move){.kind = kind, .from = from, .to = to});
}

/* The guest's place, as reported by the visor. */
static struct pt_place visors_place(const struct pt_state *state)
{
	return (struct pt_place){.ip = state->here_ip,
				 .cr3 = state->here_cr3,
				 .user = state->here_user,
				 .mode = state->here_mode};
}

static struct pt_place place_now(const struct core *core, uint64_t ip, bool user)
{
	const struct trace_machine *machine = &core->tracer.machine;
	struct pt_place place = {.ip = ip, .user = user};

	machine->place(machine->who, &place.cr3, &place.mode);
	return place;
}

/* Stops the guest once for each full region with INT. */
static void stop_when_full(struct core *core)
{
	const struct trace_machine *machine = &core->tracer.machine;

	if (state_of(core)->interrupt != PT_INTERRUPT_DUE)
		return;
	state_of(core)->interrupt = PT_INTERRUPT_STOPS;
	machine->stop(machine->who);
}

void trace_entered(struct core *core, const struct code_block *block)
{
	struct pt_state *state = state_of(core);
	struct pt_place here = visors_place(state);

	core->tracer.ran = 0;
	core->tracer.entered = core_time(core);
	core->tracer.pt.tsc = state->here_tsc;
	set_time(core);
	pt_check(&core->tracer.pt, &here);
	if (block->start != here.ip)
		move(core, state->here_soft ? PT_FAR : PT_EVENT, here.ip,
		     place_now(core, block->start, false));
	stop_when_full(core);
}

static bool is_near(const struct code_insn *insn)
{
	return insn->kind >= CODE_NEAR && insn->kind <= CODE_NEAR_LAST;
}

/* Encodes the block's last branch, which led to `to`. */
static void branch(struct core *core, const struct code_block *block, struct pt_place to)
{
	const struct code_insn *last = &block->insn[block->nr - 1];

	pt_move(&core->tracer.pt,
		&(struct pt_move){.kind = is_near(last) ? (enum pt_kind)(last->kind - CODE_NEAR)
							: PT_FAR,
				  .taken = to.ip != block->end,
				  .next = block->end,
				  .to = to});
}

bool trace_interrupted_at(const struct core *core, const struct trace_end *end, uint64_t *ip)
{
	const struct trace_machine *machine = &core->tracer.machine;

	if (!end->stopped)
		return machine->frame(machine->who, ip);
	*ip = state_of(core)->frame_ip;
	return *ip;
}

static bool leads_to_start(const struct code_block *block)
{
	const struct code_insn *last = &block->insn[block->nr - 1];

	if (last->kind == CODE_NEAR + BRANCH_CONDITIONAL || last->kind == CODE_NEAR + BRANCH_JUMP ||
	    last->kind == CODE_NEAR + BRANCH_CALL)
		return block->target == block->start;
	return code_is_branch(last);
}

bool trace_was_done(const struct trace_end *end, uint64_t ip)
{
	const struct code_block *block = end->block;

	if (!code_is_branch(&block->insn[block->nr - 1]))
		return false;
	for (unsigned i = 0; i < block->nr; i++)
		if (block->insn[i].address == ip)
			return !i && end->nr == block->nr && leads_to_start(block);
	return true;
}

static void interrupted(struct core *core, const struct trace_end *end, struct pt_place to)
{
	struct pt_place at = to;
	bool user = end->ring == CORE_RING_USER;

	if (!trace_interrupted_at(core, end, &at.ip)) {
		pt_lose(&core->tracer.pt, &to);
		return;
	}
	at.user = end->broken_in ? true : user;
	if (trace_was_done(end, at.ip))
		branch(core, end->block, at);
	move(core, PT_EVENT, at.ip, to);
}

/* True if the block's last instruction entered ring 0. A fault before it that has no memory access
 * is recognised by an interrupt frame with an address inside the block. */
static bool went_in(const struct core *core, const struct trace_end *end)
{
	const struct code_block *block = end->block;
	uint64_t ip;

	if (end->nr < block->nr || block->insn[block->nr - 1].kind != CODE_FAR_IN)
		return false;
	return !trace_interrupted_at(core, end, &ip) || ip <= block->start || ip >= block->end;
}

bool trace_was_left(const struct core *core, const struct trace_end *end, bool to_user)
{
	return end->left || end->broken_in ||
	       (end->ring == CORE_RING_USER && !to_user && !went_in(core, end));
}

/* Encodes the end of a block, after which the guest is at `to`. */
static void follow(struct core *core, const struct trace_end *end, struct pt_place to)
{
	const struct code_block *block = end->block;

	if (trace_was_left(core, end, to.user))
		interrupted(core, end, to);
	else if (end->nr == block->nr && code_is_branch(&block->insn[block->nr - 1]))
		branch(core, block, to);
	if ((block->effects & EFFECT_SPACE) && end->nr > block->effective)
		pt_load_cr3(&core->tracer.pt, &to);
}

void trace_ended(struct core *core, const struct trace_end *end)
{
	struct pt_place to;

	if (end->stopped)
		to = visors_place(state_of(core));
	else
		to = place_now(core, end->to, end->new_ring == CORE_RING_USER);
	to.ip = end->to;
	core->tracer.ran += end->nr;
	set_time(core);
	follow(core, end, to);
	stop_when_full(core);
}
