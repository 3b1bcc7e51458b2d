/* SPDX-License-Identifier: BSD-2-Clause */
/* Intel SDM vol. 2, SYSENTER and SYSEXIT. */
#include "emulator/visor/count/sysenter.h"
#include "emulator/visor/model/model.h"

#include "emulator/visor/base/cpu.h"
#include "emulator/visor/count/branches.h"
#include "emulator/visor/count/count.h"
#include "emulator/visor/count/events.h"
#include "emulator/visor/count/split.h"
#include "emulator/visor/count/trace.h"

#define SELECTOR     0xfffcu /* of IA32_SYSENTER_CS */
#define TO_STACK     8       /* from a code segment's selector to its stack's */
#define TO_USER32    16
#define TO_USER64    32
#define CANONICAL(a) (((int64_t)(a) << 16) >> 16 == (int64_t)(a))

bool sysenter_offered(const struct vcpu *vcpu)
{
	return model_is_intel(&vcpu->model) && (vcpu->vmcb->efer & EFER_LMA);
}

static void sysenter_enter(struct vcpu *vcpu, uint16_t selector)
{
	struct vmcb *vmcb = vcpu->vmcb;

	vmcb->rip = rdmsr(MSR_SYSENTER_EIP);
	vmcb->rsp = rdmsr(MSR_SYSENTER_ESP);
	vmcb->rflags &= ~(RFLAGS_IF | RFLAGS_RF);
	split_load_rings(vcpu, 0, selector, selector + TO_STACK, true);
}

static void leave(struct vcpu *vcpu, unsigned selector, bool wide)
{
	struct vmcb *vmcb = vcpu->vmcb;

	selector += wide ? TO_USER64 : TO_USER32;
	vmcb->rip = wide ? vcpu->gpr[RDX] : (uint32_t)vcpu->gpr[RDX];
	vmcb->rsp = wide ? vcpu->gpr[RCX] : (uint32_t)vcpu->gpr[RCX];
	vmcb->rflags &= ~RFLAGS_RF;
	split_load_rings(vcpu, RPL_USER, selector, selector + TO_STACK, wide);
}

static bool refused(const struct vcpu *vcpu, struct insn insn, bool wide, uint16_t selector)
{
	if (!selector)
		return true;
	if (insn.kind == INSN_SYSENTER)
		return false;
	return vcpu->vmcb->cpl ||
	       (wide && !(CANONICAL(vcpu->gpr[RDX]) && CANONICAL(vcpu->gpr[RCX])));
}

void sysenter_emulate(struct vcpu *vcpu, struct insn insn, bool wide)
{
	uint16_t selector = (uint16_t)(rdmsr(MSR_SYSENTER_CS) & SELECTOR);
	uint64_t from = vcpu->vmcb->rip;

	if (refused(vcpu, insn, wide, selector)) {
		event_inject(vcpu, VECTOR_GP, 0);
		return;
	}
	count_undefined(vcpu, 1);
	if (insn.kind == INSN_SYSENTER)
		sysenter_enter(vcpu, selector);
	else
		leave(vcpu, selector, wide);
	branches_emulated(vcpu, insn.kind, from);
	trace_far(vcpu, from);
	event_trap(vcpu);
}
