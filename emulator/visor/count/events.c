/* SPDX-License-Identifier: BSD-2-Clause */
/* Interruptions of the guest. Intel SDM vol. 3, 6.7 (NMI) and 6.15 (double fault); AMD APM vol. 2,
 * 15.20 (event injection). */
#include "emulator/visor/count/events.h"

#include "emulator/visor/base/console.h"
#include "emulator/visor/count/branches.h"
#include "emulator/visor/count/count.h"
#include "emulator/visor/count/ibs.h"
#include "emulator/visor/count/precise.h"
#include "emulator/visor/vcpu/apic.h"
#include "emulator/visor/vcpu/core.h"
#include "emulator/visor/vcpu/hpet.h"
#include "emulator/visor/vcpu/startup.h"

#define NO_EXCEPTION 256

static bool has_error_code(unsigned vector)
{
	return vector == VECTOR_DF || (vector >= VECTOR_TS && vector <= VECTOR_PF) ||
	       vector == VECTOR_AC;
}

/* Contributory exceptions (and page faults): two of them make a double fault. */
static bool contributory(unsigned vector)
{
	return vector == 0 || (vector >= VECTOR_TS && vector <= VECTOR_PF);
}

void event_inject(struct vcpu *vcpu, unsigned vector, uint32_t error)
{
	uint64_t event = EVENT_VALID | EVENT_EXCEPTION | vector;

	if (has_error_code(vector))
		event |= EVENT_HAS_ERROR | EVENT_ERROR(error);
	vcpu->vmcb->event = event;
}

void event_trap(struct vcpu *vcpu)
{
	if (!(vcpu->vmcb->rflags & RFLAGS_TF))
		return;
	vcpu->vmcb->dr6 |= DR6_BS;
	event_inject(vcpu, VECTOR_DB, 0);
}

/* Returns the exception that was being delivered, or NO_EXCEPTION: an INT n is none, whatever its
 * number. */
static unsigned exception_before(const struct vmcb *vmcb)
{
	uint64_t event = vmcb->exit_event;

	if (!(event & EVENT_VALID) || (event & EVENT_KIND) != EVENT_EXCEPTION)
		return NO_EXCEPTION;
	return event & EVENT_VECTOR;
}

void event_reflect(struct vcpu *vcpu, unsigned vector)
{
	struct vmcb *vmcb = vcpu->vmcb;
	unsigned first = exception_before(vmcb);

	if (vector == VECTOR_PF)
		vmcb->cr2 = vmcb->exit_info2;
	if (first == VECTOR_DF)
		fail("the guest's double fault handler faulted: triple fault");
	if (contributory(first) && contributory(vector) &&
	    !(vector == VECTOR_PF && first != VECTOR_PF))
		event_inject(vcpu, VECTOR_DF, 0);
	else
		event_inject(vcpu, vector, (uint32_t)vmcb->exit_info1);
}

static void send_pmi(struct vcpu *vcpu)
{
	uint32_t lvtpc = apic_read(APIC_LVT_PMC);

	if (lvtpc & APIC_LVT_MASKED)
		return;
	if (quirks_mask_lvtpc(&vcpu->quirks, &vcpu->model))
		apic_write(APIC_LVT_PMC, lvtpc | APIC_LVT_MASKED);
	if ((lvtpc & LVT_MODE) == LVT_MODE_NMI)
		vcpu->nmi_pending |= !quirks_delay_nmi(&vcpu->quirks);
	else if ((lvtpc & LVT_MODE) == LVT_MODE_FIXED)
		apic_interrupt_self(lvtpc & LVT_VECTOR);
}

void events_deliver(struct vcpu *vcpu)
{
	struct vmcb *vmcb = vcpu->vmcb;

	quirks_at(&vcpu->quirks, &vcpu->model, vmcb->rip, vcpu->nmi_blocked);
	while (quirks_take_pmi(&vcpu->quirks, &vcpu->model)) {
		branches_pmi(vcpu);
		send_pmi(vcpu);
		count_choose(vcpu);
	}
	ibs_deliver(vcpu);
	vcpu->nmi_pending |= quirks_take_nmi(&vcpu->quirks);
	if (!vcpu->nmi_pending || vcpu->nmi_blocked || vcpu->shadow || (vmcb->event & EVENT_VALID))
		return;
	vmcb->event = EVENT_VALID | EVENT_NMI;
	vcpu->nmi_pending = false;
	vcpu->nmi_blocked = true;
	vcpu->halted = false;
	vcpu->step_over = false;
	vcpu->pass_interrupt = false;
}

/* NMIs from other sources are passed to the guest. */
void event_nmi(struct vcpu *vcpu)
{
	bool own = startup_took_kick(vcpu) || vcpu->self_nmi;

	vcpu->self_nmi = false;
	own |= core_took_stop(vcpu);
	if (!hpet_took_nmi(vcpu) && !own)
		vcpu->nmi_pending = true;
}

void event_interrupt(struct vcpu *vcpu)
{
	vcpu->halted = false;
	if ((vcpu->counts || vcpu->steps) && !vcpu->icount)
		precise_interrupt(vcpu);
	else
		vcpu->pass_interrupt = true;
}

/* IRET is stepped: when it completes it unblocks NMIs, and it may change the ring. */
void event_iret(struct vcpu *vcpu)
{
	vcpu->step_over = true;
	vcpu->step_unblocks = true;
}

void event_step_over(struct vcpu *vcpu)
{
	vcpu->step_over = true;
	vcpu->step_unblocks = false;
}

/* HLT retires at once; the wait follows, in which the guest executes its HLT again. */
void event_halt(struct vcpu *vcpu)
{
	vcpu->halt_rip = vcpu->vmcb->rip;
	count_emulated(vcpu, HLT_LENGTH);
	vcpu->halted = true;
	quirks_halt(&vcpu->quirks);
}
