/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When to step for the last branch records, and which branches are recorded.
 *
 * Stepping begins `window` instructions before the overflow. Unless the option lbr=N fixes
 * `window`, it starts at 256 and doubles, up to 8192, each time a PMI finds the records not yet
 * full although the whole window was stepped; overflows that are closer together than the window
 * are ignored for this. Records from before an unstepped stretch are dropped. A call stack must not
 * miss a call, so every instruction that could be one is stepped for it. With `exact` all are, even
 * while nothing counts. Source: Intel SDM vol. 3, "Last Branch, Interrupt, and Exception
 * Recording".
 */
#include "emulator/visor/count/branches.h"
#include "emulator/visor/model/model.h"

#include "emulator/visor/count/count.h"
#include "emulator/visor/model/base/lbr/branch.h"
#include "emulator/visor/vcpu/guest.h"

#define WINDOW_FIRST 256
#define WINDOW_LAST  8192
#define ALL_RINGS    (MODEL_USER | MODEL_KERNEL)

void branches_choose(struct vcpu *vcpu)
{
	vcpu->records = (vcpu->counts || vcpu->options.exact) && !vcpu->core &&
			model_records_branches(&vcpu->model);
	if (!vcpu->window)
		vcpu->window = vcpu->options.lbr ? vcpu->options.lbr : WINDOW_FIRST;
}

/* True if the next overflow is near enough, or the record of one is still pending. Only ring 3's
 * instructions may lead to it: both rings together give a lower bound. */
static bool within_window(const struct vcpu *vcpu)
{
	uint64_t left = model_until_overflow(&vcpu->model, ALL_RINGS, false);

	return left <= vcpu->window || model_pebs_waits(&vcpu->model) ||
	       (left != MODEL_NEVER && model_stacks_calls(&vcpu->model));
}

/* True if the kernel's branches are not recorded, and it is not about to leave. */
static bool skips_kernel(const struct vcpu *vcpu)
{
	return !vcpu->vmcb->cpl && !vcpu->step_over &&
	       !(model_recorded_rings(&vcpu->model) & MODEL_KERNEL);
}

bool branches_near(struct vcpu *vcpu)
{
	if (!vcpu->records || vcpu->halted)
		return false;
	if (!within_window(vcpu)) {
		vcpu->gap = true;
		return false;
	}
	if (vcpu->gap) {
		model_forget_branches(&vcpu->model);
		vcpu->whole_window = true;
	}
	vcpu->gap = false;
	return !skips_kernel(vcpu);
}

bool branches_behind_kernel(const struct vcpu *vcpu)
{
	return vcpu->records && !vcpu->gap && skips_kernel(vcpu);
}

uint64_t branches_limit(const struct vcpu *vcpu, uint64_t limit)
{
	if (!vcpu->records || limit == MODEL_NEVER || limit <= vcpu->window)
		return limit;
	return limit - vcpu->window;
}

void branches_pmi(struct vcpu *vcpu)
{
	if (vcpu->records && !vcpu->options.lbr && !vcpu->gap && vcpu->whole_window &&
	    vcpu->window < WINDOW_LAST && !model_stacks_calls(&vcpu->model) &&
	    !model_branches_filled(&vcpu->model))
		vcpu->window *= 2;
	vcpu->whole_window = false;
}

static void record(struct vcpu *vcpu, struct insn insn, uint64_t to, bool mispredicted)
{
	model_branch(&vcpu->model, &(struct model_branch){
				       .insn = insn,
				       .from = vcpu->insn_rip,
				       .to = to,
				       .from_ring = vcpu->entry_cpl ? MODEL_USER : MODEL_KERNEL,
				       .ring = ring_now(vcpu),
				       .mispredicted = mispredicted,
				   });
}

/* Records the delivered event of the entry, or an interrupt that was let through, after which one
 * instruction of its handler ran. */
static void record_event(struct vcpu *vcpu)
{
	uint64_t to = vcpu->vmcb->rip;

	if (vcpu->injected && (vcpu->injected & EVENT_VECTOR) == VECTOR_DB)
		return; /* debug exceptions are not recorded */
	if (!vcpu->injected)
		to = guest_handler_before(vcpu, to);
	if (to && to != vcpu->insn_rip)
		record(vcpu, (struct insn){INSN_FAR, 0}, to, false);
}

void branches_step(struct vcpu *vcpu, bool retired, bool mispredicted)
{
	uint64_t to = vcpu->vmcb->rip;

	if (!vcpu->records)
		return;
	if (vcpu->delivering)
		record_event(vcpu);
	else if (retired && insn_is_branch(vcpu->insn) &&
		 !(insn_is_conditional(vcpu->insn) && to == vcpu->insn_rip + vcpu->insn.length))
		record(vcpu, vcpu->insn, to, mispredicted);
}

void branches_emulated(struct vcpu *vcpu, enum insn_kind kind, uint64_t from)
{
	if (!vcpu->records || vcpu->gap)
		return;
	vcpu->insn_rip = from;
	record(vcpu, (struct insn){kind, 0}, vcpu->vmcb->rip, false);
}
