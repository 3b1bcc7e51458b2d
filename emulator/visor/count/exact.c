/* SPDX-License-Identifier: BSD-2-Clause */
/* Single-stepped instructions: whether each retired, is a branch, and was predicted. */
#include "emulator/visor/count/exact.h"

#include "emulator/visor/count/branches.h"
#include "emulator/visor/count/count.h"
#include "emulator/visor/count/precise.h"
#include "emulator/visor/count/trace.h"
#include "emulator/visor/vcpu/guest.h"

/* Decodes the next instruction: the INT n that is being delivered, or the one at RIP. The first one
 * after the delivery of an interrupt is unknown and treated as a plain one. */
static unsigned look(struct vcpu *vcpu, uint8_t code[DECODE_MAX])
{
	unsigned bytes = 0;

	vcpu->insn_rip = vcpu->soft_rip ? vcpu->soft_rip : vcpu->vmcb->rip;
	if (vcpu->soft_rip)
		bytes = guest_fetch(vcpu, vcpu->soft_rip, code, DECODE_MAX);
	else if (!vcpu->delivering)
		bytes = guest_fetch_next(vcpu, code);
	vcpu->insn = decode(code, bytes, guest_mode(vcpu));
	return bytes;
}

/*
 * The trap flag is the cheaper way to stop, but it is in RFLAGS: an instruction that saves, loads
 * or clears them, or a guest that traps itself, is stopped by the stopwatch. So is PAUSE, where
 * QEMU loses the trap, and everything while breakpoints are set: with each trap QEMU reports the
 * last hit again.
 */
static bool may_trap(const struct vcpu *vcpu)
{
	return !vcpu->delivering && !vcpu->step_over && !vcpu->halted &&
	       !(vcpu->vmcb->dr7 & DR7_ENABLES) && !(vcpu->vmcb->rflags & RFLAGS_TF) &&
	       vcpu->insn.kind != INSN_PAUSE &&
	       !(vcpu->insn.kind >= INSN_FAR && vcpu->insn.kind <= INSN_SYSEXIT);
}

void exact_prepare(struct vcpu *vcpu)
{
	uint8_t code[DECODE_MAX];
	unsigned bytes;

	vcpu->trapping = false;
	if (!vcpu->steps && !vcpu->precise) {
		vcpu->code_page.physical = 0;
		return;
	}
	bytes = look(vcpu, code);
	vcpu->injected = vcpu->vmcb->event & EVENT_VALID ? vcpu->vmcb->event : 0;
	if (vcpu->precise) {
		precise_prepare(vcpu, code, bytes);
		return;
	}
	vcpu->trapping = may_trap(vcpu);
	if (!vcpu->trapping)
		return;
	vcpu->vmcb->rflags |= RFLAGS_TF;
	vcpu->guest_dr6 = vcpu->vmcb->dr6;
}

void exact_finish(struct vcpu *vcpu)
{
	if (vcpu->precise)
		precise_finish(vcpu);
	else if (vcpu->trapping)
		vcpu->vmcb->rflags &= ~RFLAGS_TF;
}

bool exact_stepped(const struct vcpu *vcpu)
{
	return vcpu->trapping && vcpu->vmcb->exit_code == EXIT_EXCEPTION + VECTOR_DB &&
	       (vcpu->vmcb->dr6 & DR6_BS);
}

/* The breakpoints that DR7 enables (two bits each), as DR6 reports hits; none after IRET: QEMU
 * reports the last hit again at each step until the watched page is used. */
static uint64_t enabled_hits(const struct vcpu *vcpu)
{
	const struct vmcb *vmcb = vcpu->vmcb;
	uint64_t hits = 0;

	for (unsigned i = 0; i < 4 && !precise_behind_iret(vcpu); i++)
		if (vmcb->dr7 >> 2 * i & 3)
			hits |= vmcb->dr6 & 1ull << i;
	return hits;
}

bool exact_took_trap(struct vcpu *vcpu)
{
	struct vmcb *vmcb = vcpu->vmcb;

	if (!vcpu->trapping || !(vmcb->dr6 & DR6_BS) || (vcpu->precise && vcpu->guest_traps))
		return false;
	if (enabled_hits(vcpu)) {
		vmcb->dr6 &= ~DR6_BS | vcpu->guest_dr6;
		return false;
	}
	vmcb->dr6 = vcpu->guest_dr6;
	return true;
}

/* A faulting instruction does not retire, whatever QEMU counts; nor does an iteration of REP except
 * the last. */
static bool retired(const struct vcpu *vcpu)
{
	uint64_t exit = vcpu->vmcb->exit_code;

	if (exit >= EXIT_EXCEPTION && exit < EXIT_INTR && exit != EXIT_EXCEPTION + VECTOR_DB)
		return false;
	return vcpu->delivering || insn_is_branch(vcpu->insn) || vcpu->vmcb->rip != vcpu->insn_rip;
}

void exact_classify(struct vcpu *vcpu, struct model_work *work)
{
	bool done = work->instructions && retired(vcpu);

	work->branches = done && insn_is_branch(vcpu->insn);
	if (work->branches)
		work->mispredicts =
		    predict_branch(&vcpu->predictor, vcpu->insn, vcpu->insn_rip, vcpu->vmcb->rip);
	branches_step(vcpu, done, work->mispredicts);
	trace_step(vcpu, done);
	if (work->exact && !done)
		work->instructions = 0;
}
