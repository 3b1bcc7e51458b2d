/* SPDX-License-Identifier: BSD-2-Clause */
/* Starts and stops Processor Trace, and encodes stepped instructions. SDM vol. 3, "Intel Processor
 * Trace". */
#include "emulator/visor/count/trace.h"
#include "emulator/visor/model/model.h"

#include "abi/core_page.h"
#include "emulator/pt/pt.h"
#include "emulator/visor/count/count.h"
#include "emulator/visor/count/store.h"
#include "emulator/visor/model/base/registers.h"
#include "emulator/visor/vcpu/core.h"
#include "emulator/visor/vcpu/guest.h"
#include "emulator/visor/vcpu/host.h"

#define RTIT_CTL    0x570
#define WRMSR_BYTES 2
#define STACK_LINE  16 /* an interrupt aligns the stack to it, in bytes */

_Static_assert(PT_ADDRESS_BITS == HOST_ADDRESS_BITS, "addresses that CPUID says");
_Static_assert((int)PT_FAR == INSN_FAR - INSN_JCC, "kinds of branches in the same order");

static uint8_t *memory_at(void *context, uint64_t physical)
{
	(void)context;
	return guest_physical(physical);
}

static bool core_traces(const struct vcpu *vcpu)
{
	return vcpu->core && core_stops(vcpu) != MODEL_STOPS_NONE;
}

void trace_setup(struct vcpu *vcpu)
{
	if (vcpu->core)
		model_share_pt(&vcpu->model, &vcpu->core->pt);
	vcpu->pt.state = model_pt(&vcpu->model);
	vcpu->pt.at = memory_at;
	vcpu->pt.state->tsc_shift = (uint8_t)vcpu->shift;
	vcpu->pt.state->ratio = (uint8_t)(vcpu->tsc_khz / BUS_KHZ);
}

static uint8_t mode_now(const struct vcpu *vcpu)
{
	static const uint8_t modes[] = {
	    [DECODE_16] = PT_MODE_16, [DECODE_32] = PT_MODE_32, [DECODE_64] = PT_MODE_64};

	return modes[guest_mode(vcpu)];
}

static struct pt_place place_at(const struct vcpu *vcpu, uint64_t ip)
{
	return (struct pt_place){
	    .ip = ip, .cr3 = vcpu->vmcb->cr3, .user = vcpu->vmcb->cpl, .mode = mode_now(vcpu)};
}

static void set_time(struct vcpu *vcpu)
{
	vcpu->pt.tsc = vcpu->guest_tsc;
}

void trace_before_write(struct vcpu *vcpu, uint32_t msr, uint64_t value)
{
	if (!vcpu->traces || msr != RTIT_CTL || (value & PT_CTL_TRACE))
		return;
	set_time(vcpu);
	pt_stop(&vcpu->pt, vcpu->vmcb->rip - WRMSR_BYTES); /* it has retired */
}

void trace_choose(struct vcpu *vcpu)
{
	bool traces = vcpu->pt.state->ctl & PT_CTL_TRACE;
	struct pt_place place;

	store_choose(vcpu);
	if (traces == vcpu->traces)
		return;
	vcpu->traces = traces;
	if (!traces)
		return;
	vcpu->traced_cr3 = vcpu->vmcb->cr3;
	place = place_at(vcpu, vcpu->vmcb->rip);
	set_time(vcpu);
	pt_start(&vcpu->pt, &place);
}

/* True while branches are traced or stored. */
static bool traces_branches(const struct vcpu *vcpu)
{
	return vcpu->traces || vcpu->stores;
}

static bool traces_kernel(const struct vcpu *vcpu)
{
	return (vcpu->traces && (vcpu->pt.state->ctl & PT_CTL_OS)) || (vcpu->stores & MODEL_KERNEL);
}

/* True in ring 0 if that is not traced and no IRET is being stepped. */
static bool skips_kernel(const struct vcpu *vcpu)
{
	return !vcpu->vmcb->cpl && !vcpu->step_over && !traces_kernel(vcpu);
}

static bool is_mine(const struct vcpu *vcpu)
{
	return traces_branches(vcpu) && !core_traces(vcpu) && !vcpu->halted;
}

bool trace_steps(const struct vcpu *vcpu)
{
	return is_mine(vcpu) && !skips_kernel(vcpu);
}

bool trace_awaits_return(const struct vcpu *vcpu)
{
	return is_mine(vcpu) && skips_kernel(vcpu);
}

static void set_here(struct vcpu *vcpu)
{
	struct pt_state *state = vcpu->pt.state;

	state->here_ip = vcpu->soft_rip ? vcpu->soft_rip : vcpu->vmcb->rip;
	state->here_soft = vcpu->soft_rip != 0;
	state->here_cr3 = vcpu->vmcb->cr3;
	state->here_user = vcpu->vmcb->cpl != 0;
	state->here_mode = mode_now(vcpu);
}

void trace_enter(struct vcpu *vcpu)
{
	store_enter(vcpu);
	if (!traces_branches(vcpu) || !core_traces(vcpu))
		return;
	set_here(vcpu);
	vcpu->pt.state->here_tsc = vcpu->guest_tsc;
}

/* Returns the interrupted instruction's address if an event was just delivered, 0 if unknown. In
 * 64-bit mode the alignment of RSP shows whether an error code was pushed. */
static uint64_t frame_ip(const struct vcpu *vcpu)
{
	uint64_t at = vcpu->vmcb->rsp, ip = 0;

	if (vcpu->vmcb->cpl || guest_mode(vcpu) != DECODE_64)
		return 0;
	if (at % STACK_LINE == 0)
		at += sizeof(ip);
	return guest_read(vcpu, at, &ip, sizeof(ip)) ? ip : 0;
}

void trace_exit(struct vcpu *vcpu)
{
	if (!traces_branches(vcpu) || !core_traces(vcpu))
		return;
	set_here(vcpu);
	vcpu->pt.state->frame_ip = frame_ip(vcpu);
}

void trace_settled(struct vcpu *vcpu)
{
	store_settled(vcpu);
	if (vcpu->traces)
		model_pt_interrupt(&vcpu->model);
}

/* Returns where the delivered event has led; 0: there was none. After an interrupt that was let
 * through, its handler's first instruction has run; where the gate is not found, the ring shows
 * that the interrupt came. */
static uint64_t handler_of_event(const struct vcpu *vcpu)
{
	uint64_t ip = vcpu->vmcb->rip, gate;

	if (vcpu->injected || vcpu->soft_rip)
		return ip == vcpu->insn_rip ? 0 : ip;
	gate = guest_handler_before(vcpu, ip);
	if (gate)
		return gate;
	return vcpu->entry_cpl != vcpu->vmcb->cpl ? ip : 0;
}

static enum model_ring entry_ring(const struct vcpu *vcpu)
{
	return vcpu->entry_cpl ? MODEL_USER : MODEL_KERNEL;
}

/* Encodes a delivered event. INT n is a branch, any other event comes before an instruction. */
static void step_event(struct vcpu *vcpu)
{
	uint64_t to = handler_of_event(vcpu);

	if (!to)
		return;
	store_branch(vcpu, entry_ring(vcpu), vcpu->insn_rip, to);
	if (!vcpu->traces)
		return;
	pt_move(&vcpu->pt, &(struct pt_move){.kind = vcpu->soft_rip ? PT_FAR : PT_EVENT,
					     .from = vcpu->insn_rip,
					     .to = place_at(vcpu, to)});
}

static void step_branch(struct vcpu *vcpu)
{
	uint64_t next = vcpu->insn_rip + vcpu->insn.length;
	struct pt_move move = {
	    .next = next, .taken = vcpu->vmcb->rip != next, .to = place_at(vcpu, vcpu->vmcb->rip)};

	if (move.taken || !insn_is_conditional(vcpu->insn))
		store_branch(vcpu, entry_ring(vcpu), vcpu->insn_rip, vcpu->vmcb->rip);
	if (!vcpu->traces)
		return;
	move.kind =
	    vcpu->insn.kind < INSN_FAR ? (enum pt_kind)(vcpu->insn.kind - INSN_JCC) : PT_FAR;
	pt_move(&vcpu->pt, &move);
}

static void step_cr3(struct vcpu *vcpu)
{
	const struct pt_place place = place_at(vcpu, vcpu->vmcb->rip);

	vcpu->traced_cr3 = vcpu->vmcb->cr3;
	pt_load_cr3(&vcpu->pt, &place);
}

void trace_step(struct vcpu *vcpu, bool retired)
{
	if (!traces_branches(vcpu) || core_traces(vcpu))
		return;
	set_time(vcpu);
	if (vcpu->delivering)
		step_event(vcpu);
	else if (retired && insn_is_branch(vcpu->insn))
		step_branch(vcpu);
	if (vcpu->traces && vcpu->traced_cr3 != vcpu->vmcb->cr3)
		step_cr3(vcpu);
}

void trace_far(struct vcpu *vcpu, uint64_t from)
{
	store_branch(vcpu, vcpu->vmcb->cpl ? MODEL_KERNEL : MODEL_USER, from, vcpu->vmcb->rip);
	if (!vcpu->traces)
		return;
	set_time(vcpu);
	pt_move(&vcpu->pt,
		&(struct pt_move){.kind = PT_FAR, .to = place_at(vcpu, vcpu->vmcb->rip)});
}

void trace_value(struct vcpu *vcpu, uint64_t value, unsigned bytes)
{
	if (!vcpu->traces)
		return;
	set_time(vcpu);
	pt_write_value(&vcpu->pt, vcpu->vmcb->rip, value, bytes);
}
