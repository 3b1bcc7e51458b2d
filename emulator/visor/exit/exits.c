/* SPDX-License-Identifier: BSD-2-Clause */
/* The visor's loop and its table of exits. AMD APM vol. 2, appendix C. */
#include "emulator/visor/exit/exits.h"

#include "emulator/visor/count/count.h"
#include "emulator/visor/count/events.h"
#include "emulator/visor/count/exact.h"
#include "emulator/visor/count/ibs.h"
#include "emulator/visor/count/pebs.h"
#include "emulator/visor/count/precise.h"
#include "emulator/visor/count/split.h"
#include "emulator/visor/count/trace.h"
#include "emulator/visor/exit/apic_store.h"
#include "emulator/visor/exit/cpuid.h"
#include "emulator/visor/exit/msr.h"
#include "emulator/visor/exit/timer_port.h"
#include "emulator/visor/vcpu/core.h"
#include "emulator/visor/vcpu/guest.h"
#include "emulator/visor/vcpu/host.h"
#include "emulator/visor/vcpu/hpet.h"
#include "emulator/visor/vcpu/startup.h"

typedef void exit_handler(struct vcpu *vcpu);

static void exit_shutdown(struct vcpu *vcpu)
{
	guest_died(vcpu, "triple fault");
}

static void exit_init(struct vcpu *vcpu)
{
	guest_died(vcpu, "an INIT of the machine's");
}

static void exit_nested_page_fault(struct vcpu *vcpu)
{
	if (apic_store_begins(vcpu))
		return;
	guest_died(vcpu, "access to the visor's memory at %lx", vcpu->vmcb->exit_info2);
}

/* SVM's own instructions do not exist on the guest's processor, nor does MWAIT, whose wait the
 * visor could not observe. */
static void exit_undefined(struct vcpu *vcpu)
{
	event_inject(vcpu, VECTOR_UD, 0);
}

static void exit_exception(struct vcpu *vcpu, unsigned vector)
{
	if (vector == VECTOR_DB && exact_took_trap(vcpu))
		return;
	split_exception(vcpu, vector);
}

#define OPCODE_ESCAPE    0x0f
#define OPCODE_MOV_TO_CR 0x22
#define REX              0x40 /* and the 15 after it */

/* QEMU exits with this code if a MOV to a control register sets reserved bits, which is a #GP of
 * the guest. */
static void exit_invalid(struct vcpu *vcpu)
{
	uint8_t code[3];
	unsigned bytes = guest_fetch(vcpu, vcpu->vmcb->rip, code, sizeof(code));
	unsigned rex = bytes && (code[0] & 0xf0) == REX;

	if (bytes >= rex + 2 && code[rex] == OPCODE_ESCAPE && code[rex + 1] == OPCODE_MOV_TO_CR)
		event_inject(vcpu, VECTOR_GP, 0);
	else
		guest_died(vcpu, "the processor refuses its state");
}

static void exit_software_interrupt(struct vcpu *vcpu)
{
	if (vcpu->icount)
		event_step_over(vcpu);
	else
		precise_software_interrupt(vcpu);
}

#define LAST_EXIT EXIT_MWAIT_ARMED

static exit_handler *const handlers[LAST_EXIT + 1] = {
    [EXIT_INTR] = event_interrupt,
    [EXIT_NMI] = event_nmi,
    [EXIT_INIT] = exit_init,
    [EXIT_RDPMC] = msr_rdpmc,
    [EXIT_CPUID] = cpuid_exit,
    [EXIT_PUSHF] = event_step_over,
    [EXIT_POPF] = event_step_over,
    [EXIT_IRET] = event_iret,
    [EXIT_INTN] = exit_software_interrupt,
    [EXIT_PAUSE] = precise_pause,
    [EXIT_HLT] = event_halt,
    [EXIT_INVLPGA] = exit_undefined,
    [EXIT_IO] = timer_port_exit,
    [EXIT_MSR] = msr_exit,
    [EXIT_SHUTDOWN] = exit_shutdown,
    [EXIT_VMRUN... EXIT_SKINIT] = exit_undefined,
    [EXIT_MONITOR... EXIT_MWAIT_ARMED] = exit_undefined,
};

/* An INT n that was not delivered is still pending. */
static void finish_delivery(struct vcpu *vcpu)
{
	if (vcpu->soft_rip && vcpu->vmcb->exit_code != EXIT_NMI)
		vcpu->vmcb->rip = vcpu->soft_rip;
	vcpu->soft_rip = 0;
}

static void handle(struct vcpu *vcpu)
{
	uint64_t code = vcpu->vmcb->exit_code;

	finish_delivery(vcpu);
	if (code >= EXIT_EXCEPTION && code < EXIT_INTR)
		exit_exception(vcpu, (unsigned)(code - EXIT_EXCEPTION));
	else if (code <= LAST_EXIT && handlers[code])
		handlers[code](vcpu);
	else if (code == EXIT_NESTED_PAGE_FAULT)
		exit_nested_page_fault(vcpu);
	else if ((uint32_t)code == EXIT_INVALID)
		exit_invalid(vcpu);
	else
		guest_died(vcpu, "unexpected exit %lx (%lx, %lx)", code, vcpu->vmcb->exit_info1,
			   vcpu->vmcb->exit_info2);
}

void visor_run(struct vcpu *vcpu)
{
	run_guest(vcpu);
	hpet_note_exit(vcpu);
}

static void prepare(struct vcpu *vcpu)
{
	struct vmcb *vmcb = vcpu->vmcb;
	uint64_t limit;

	events_deliver(vcpu);
	vcpu->entry_cpl = vmcb->cpl;
	vcpu->entry_rip = vmcb->rip;
	vcpu->delivering = vcpu->pass_interrupt || (vmcb->event & EVENT_VALID);
	count_prepare(vcpu);
	limit = count_limit(vcpu);
	vcpu->stepping = limit <= 1;
	vcpu->precise = vcpu->stepping && !vcpu->icount;
	split_intercept(vcpu);
	if (vcpu->halted)
		vmcb->rip = vcpu->halt_rip;
	exact_prepare(vcpu);
	trace_enter(vcpu);
	if (vcpu->core)
		core_enter(vcpu);
	core_follow_clock(vcpu);
	hpet_aim(vcpu, vcpu->trapping || vcpu->precise ? NEVER : limit);
}

/* Ends stepping over an instruction, unless only an NMI came before it. */
static void finish_step(struct vcpu *vcpu)
{
	if (!vcpu->step_over || (vcpu->vmcb->exit_code == EXIT_NMI && !vcpu->run_ticks))
		return;
	vcpu->step_over = false;
	if (vcpu->step_unblocks && vcpu->run_ticks)
		vcpu->nmi_blocked = false;
}

static void finish(struct vcpu *vcpu)
{
	struct vmcb *vmcb = vcpu->vmcb;

	vcpu->shadow = vmcb->interrupt_shadow & 1;
	vcpu->pass_interrupt = false;
	exact_finish(vcpu);
	trace_exit(vcpu);
	if (vcpu->core)
		core_sync(vcpu);
	count_run(vcpu);
	trace_settled(vcpu);
	if (!vcpu->delivering) {
		pebs_finish_run(vcpu);
		ibs_finish_run(vcpu);
	}
	apic_store_finish(vcpu);
	if (vcpu->halted)
		vmcb->rip = vcpu->halt_rip + HLT_LENGTH;
	finish_step(vcpu);
	host_follow(vcpu);
}

void visor_loop(struct vcpu *vcpu)
{
	uint64_t rip;

	for (;;) {
		startup_open_mail(vcpu);
		prepare(vcpu);
		visor_run(vcpu);
		finish(vcpu);
		rip = vcpu->vmcb->rip;
		handle(vcpu);
		pebs_finish_emulated(vcpu, rip);
		ibs_finish_emulated(vcpu, rip);
	}
}
