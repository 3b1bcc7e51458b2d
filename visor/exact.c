/* SPDX-License-Identifier: BSD-2-Clause */
/* Single-stepped instructions, one by one: did it retire, is it a branch, did the predictor expect
 * where it went. */
#include "visor/exact.h"

#include "visor/guest.h"

#define SEGMENT_32BIT (1u << 10) /* vmcb_segment.attributes */

static enum decode_mode mode_of(const struct vmcb *vmcb)
{
	if ((vmcb->cs.attributes & SEGMENT_LONG) && (vmcb->efer & EFER_LMA))
		return DECODE_64;
	return vmcb->cs.attributes & SEGMENT_32BIT ? DECODE_32 : DECODE_16;
}

/* The first instruction behind the delivery of an interrupt is not known beforehand: it passes for
 * a plain one. */
void exact_decode(struct vcpu *vcpu)
{
	uint8_t code[DECODE_MAX];
	unsigned bytes = 0;

	vcpu->insn_rip = vcpu->vmcb->rip;
	if (!vcpu->delivering)
		bytes = guest_fetch(vcpu, vcpu->insn_rip, code, sizeof(code));
	vcpu->insn = decode(code, bytes, mode_of(vcpu->vmcb));
}

/* A fault keeps the instruction from retiring, whatever QEMU counts; so does an iteration of REP
 * that is not the last. */
static bool retired(const struct vcpu *vcpu)
{
	uint64_t exit = vcpu->vmcb->exit_code;

	if (exit >= EXIT_EXCEPTION && exit < EXIT_INTR && exit != EXIT_EXCEPTION + VECTOR_DB)
		return false;
	return vcpu->delivering || insn_is_branch(vcpu->insn) || vcpu->vmcb->rip != vcpu->insn_rip;
}

void exact_classify(struct vcpu *vcpu, struct model_work *work)
{
	if (!work->instructions || !retired(vcpu)) {
		work->instructions = 0;
		return;
	}
	work->branches = insn_is_branch(vcpu->insn);
	if (work->branches)
		work->mispredicts =
		    predict_branch(&vcpu->predictor, vcpu->insn, vcpu->insn_rip, vcpu->vmcb->rip);
}
