/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Accounting. Between two exits the TSC advances by the visor's constant path and by 2^shift for
 * each instruction of the guest: that gives the count. An instruction that exits was not executed:
 * it retires, once, when the visor has emulated it, so a WRMSR that starts or stops a counter is
 * itself counted under the old setting.
 */
#include "emulator/visor/count/count.h"
#include "emulator/visor/model/model.h"

#include "abi/core_page.h"
#include "emulator/visor/base/cpu.h"
#include "emulator/visor/count/branches.h"
#include "emulator/visor/count/events.h"
#include "emulator/visor/count/exact.h"
#include "emulator/visor/count/trace.h"
#include "emulator/visor/vcpu/guest.h"

enum model_ring ring_now(const struct vcpu *vcpu)
{
	return vcpu->vmcb->cpl ? MODEL_USER : MODEL_KERNEL;
}

void count_choose(struct vcpu *vcpu)
{
	vcpu->counts = model_counts(&vcpu->model);
	vcpu->split_rings = vcpu->counts && model_splits_rings(&vcpu->model);
	branches_choose(vcpu);
}

void count_prepare(struct vcpu *vcpu)
{
	vcpu->steps = vcpu->options.exact ? vcpu->counts || vcpu->records
					  : vcpu->counts && branches_near(vcpu);
	vcpu->steps |= trace_steps(vcpu);
	vcpu->splits = !vcpu->steps && ((vcpu->split_rings && !vcpu->core) ||
					branches_behind_kernel(vcpu) || trace_awaits_return(vcpu));
}

/* Retires the work that the simulated core saw, by ring: cycles pass even if nothing retired. */
static void retire_core(struct vcpu *vcpu)
{
	static const enum model_ring rings[CORE_RINGS] = {MODEL_KERNEL, MODEL_USER};

	for (unsigned ring = 0; ring < CORE_RINGS; ring++) {
		const uint64_t *quantities = vcpu->core->work[ring];
		struct model_work work = {.instructions = quantities[CORE_EXECUTED],
					  .ring = rings[ring],
					  .quantities = quantities,
					  .sample = &vcpu->core->sample};

		if (work.instructions || quantities[CORE_CYCLES])
			model_retire(&vcpu->model, &work);
	}
}

static void retire(struct vcpu *vcpu, uint64_t instructions, enum model_ring ring)
{
	struct model_work work = {
	    .instructions = instructions, .ring = ring, .exact = vcpu->options.exact};

	if (vcpu->steps)
		exact_classify(vcpu, &work);
	if (vcpu->core)
		retire_core(vcpu);
	else
		model_retire(&vcpu->model, &work);
}

/* Returns the ring of the last run. A run that started with an event ended in the handler's ring,
 * but INT n is an instruction before it. */
static enum model_ring run_ring(const struct vcpu *vcpu)
{
	if ((vcpu->delivering && !vcpu->soft_rip) || !vcpu->stepping)
		return ring_now(vcpu);
	return vcpu->entry_cpl ? MODEL_USER : MODEL_KERNEL;
}

/* Returns by how many ns the core has moved the clock in the last run. */
static uint64_t moved_in_run(const struct vcpu *vcpu)
{
	return vcpu->timed ? (uint64_t)vcpu->core->moved : 0;
}

/* The guest's clock advances by the core's cycles where they are known, but in HLT by the machine's
 * time. */
static void pass_time(struct vcpu *vcpu)
{
	if (vcpu->timed && vcpu->deadline != NEVER)
		vcpu->deadline += moved_in_run(vcpu);
	if (vcpu->timed && !vcpu->halted)
		vcpu->guest_tsc += (uint64_t)vcpu->core->elapsed;
	else
		vcpu->guest_tsc += vcpu->run_ticks + moved_in_run(vcpu);
}

/* TSC ticks of the guest in the last run. The HLT itself was counted when it exited; INT n was not
 * executed yet, though QEMU counts it. */
static uint64_t ticks_of_run(const struct vcpu *vcpu)
{
	uint64_t took = vcpu->tsc_out - vcpu->tsc_in - moved_in_run(vcpu),
		 path = vcpu->overhead + ((uint64_t)vcpu->sled_used << vcpu->shift);
	uint64_t one = 1ull << vcpu->shift;

	took = took > path ? took - path : 0;
	if ((vcpu->halted || vcpu->vmcb->exit_code == EXIT_INTN) && took >= one)
		took -= one;
	return took;
}

/* A precise step is one instruction, or none if it did not complete. */
static uint64_t ticks_of_step(const struct vcpu *vcpu)
{
	bool done = vcpu->soft_rip ? vcpu->vmcb->exit_code == EXIT_NMI : exact_stepped(vcpu);

	return done ? 1ull << vcpu->shift : 0;
}

void count_run(struct vcpu *vcpu)
{
	vcpu->run_ticks = vcpu->precise ? ticks_of_step(vcpu) : ticks_of_run(vcpu);
	if (vcpu->icount)
		pass_time(vcpu);
	else
		vcpu->guest_tsc = vcpu->tsc_out + vcpu->vmcb->tsc_offset;
	if (vcpu->halted) {
		model_halted(&vcpu->model, vcpu->run_ticks);
		return;
	}
	quirks_retire(&vcpu->quirks, vcpu->run_ticks >> vcpu->shift);
	if (vcpu->counts || vcpu->steps)
		retire(vcpu, vcpu->run_ticks >> vcpu->shift, run_ring(vcpu));
}

void count_adjust_clock(struct vcpu *vcpu, uint64_t by)
{
	vcpu->guest_tsc += by;
	vcpu->vmcb->tsc_offset += by;
	vcpu->tsc_adjust += by;
}

void count_set_clock(struct vcpu *vcpu, uint64_t tsc)
{
	uint64_t now = vcpu->icount ? vcpu->guest_tsc : rdtsc() + vcpu->vmcb->tsc_offset;

	count_adjust_clock(vcpu, tsc - now);
}

/* Returns the length of the instruction at RIP, which is `plain` without prefixes: only code in
 * ring 3 is likely to have some. */
static unsigned whole_length(const struct vcpu *vcpu, unsigned plain)
{
	uint8_t code[DECODE_MAX];
	struct insn insn;

	if (!vcpu->vmcb->cpl)
		return plain;
	insn =
	    decode(code, guest_fetch(vcpu, vcpu->vmcb->rip, code, sizeof(code)), guest_mode(vcpu));
	return insn.length ? insn.length : plain;
}

static void count_emulation(struct vcpu *vcpu, unsigned branches)
{
	struct model_work work = {
	    .instructions = 1,
	    .branches = branches,
	    .ring = ring_now(vcpu),
	    .exact = vcpu->options.exact,
	};

	vcpu->shadow = false;
	if (!vcpu->timed) /* else it is among the core's cycles */
		vcpu->guest_tsc += 1ull << vcpu->shift;
	quirks_retire(&vcpu->quirks, 1);
	if (vcpu->counts)
		model_retire(&vcpu->model, &work);
}

/* The visor emulated an instruction in the guest's ring: it retires like any other. */
static void count_one(struct vcpu *vcpu)
{
	count_emulation(vcpu, 0);
}

void count_far_branch(struct vcpu *vcpu)
{
	count_emulation(vcpu, 1);
}

void count_undefined(struct vcpu *vcpu, unsigned branches)
{
	if (vcpu->icount && !vcpu->core && !(vcpu->steps && vcpu->options.exact))
		return;
	count_emulation(vcpu, branches);
	if (vcpu->icount && !vcpu->timed)
		vcpu->guest_tsc -= 1ull << vcpu->shift;
}

void count_emulated(struct vcpu *vcpu, unsigned length)
{
	vcpu->vmcb->rip += whole_length(vcpu, length);
	vcpu->vmcb->rflags &= ~RFLAGS_RF;
	count_one(vcpu);
	event_trap(vcpu);
}

/* True for an event whose delivery must end its run: QEMU would deliver such an interrupt twice,
 * and it counts INT n. */
static bool runs_alone(const struct vcpu *vcpu)
{
	return vcpu->soft_rip || (vcpu->vmcb->event & EVENT_KIND) == EVENT_INTERRUPT;
}

uint64_t count_limit(const struct vcpu *vcpu)
{
	unsigned rings = MODEL_USER | MODEL_KERNEL;
	uint64_t overflow, awkward;

	if (vcpu->halted)
		return NEVER;
	if ((vcpu->vmcb->event & EVENT_VALID) &&
	    (vcpu->steps || model_pebs_waits(&vcpu->model) || model_ibs_waits(&vcpu->model) ||
	     vcpu->storing || vcpu->loading || (vcpu->nmi_pending && !vcpu->nmi_blocked) ||
	     runs_alone(vcpu)))
		return 0;
	if (vcpu->step_over || vcpu->shadow || vcpu->steps || vcpu->storing || vcpu->loading)
		return 1;
	awkward = quirks_until(&vcpu->quirks);
	if (!vcpu->counts)
		return awkward;
	if (vcpu->splits)
		rings = vcpu->delivering ? MODEL_KERNEL : ring_now(vcpu);
	overflow = branches_limit(vcpu, model_until_overflow(&vcpu->model, rings, false));
	return overflow < awkward ? overflow : awkward;
}
