/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls to the simulated core. A call takes a few instructions of the visor, which are not
 * counted. */
#include "emulator/visor/model/model.h"
#include "emulator/visor/vcpu/core.h"

#include "abi/core_page.h"
#include "emulator/visor/base/cpu.h"
#include "emulator/visor/model/base/lbr/branch.h"
#include "emulator/visor/vcpu/apic.h"
#include "emulator/visor/vcpu/hpet.h"

_Static_assert(CORE_MARKER == 0x5041456b, "layout.inc");

struct core_page core_page __attribute__((aligned(64)));

void core_call(void); /* run.asm */

static void call(void)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	core_call();
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

void core_hello(uint64_t base, uint64_t bytes)
{
	core_page.visor_base = base;
	core_page.visor_bytes = bytes;
	core_page.page_address = (uint64_t)&core_page;
	call();
}

void core_setup(struct vcpu *vcpu)
{
	unsigned id = apic_id();

	if (core_page.version != CORE_VERSION || id >= CORE_PROCESSORS)
		return;
	vcpu->core = &core_page.processors[id];
	vcpu->core->command = CORE_SYNC;
}

const char *core_name(void)
{
	return core_page.version == CORE_VERSION ? core_page.name : NULL;
}

const char *core_event_names(void)
{
	return core_page.version == CORE_VERSION ? core_page.events[0] : NULL;
}

unsigned core_nr_events(void)
{
	unsigned nr = 0;

	while (core_event_names() && nr < VISOR_EVENTS_MAX && *core_page.events[nr])
		nr++;
	return nr;
}

enum model_stops core_stops(const struct vcpu *vcpu)
{
	if (!core_page.can_stop)
		return MODEL_STOPS_NONE;
	return vcpu->icount ? MODEL_STOPS_EVENTS : MODEL_STOPS_ALL;
}

static uint8_t ring_of(const struct vcpu *vcpu)
{
	return vcpu->vmcb->cpl ? CORE_RING_USER : CORE_RING_KERNEL;
}

static uint8_t sampling_of(struct vcpu *vcpu)
{
	if (!vcpu->counts || !model_samples_accesses(&vcpu->model, &vcpu->core->slow_cycles))
		return CORE_SAMPLE_OFF;
	return vcpu->stepping ? CORE_SAMPLE_STEP : CORE_SAMPLE_RUN;
}

static void command(struct core_processor *core, enum core_command what)
{
	core->command = what;
	call();
	core->command = CORE_SYNC;
}

void core_offer_clock(struct vcpu *vcpu)
{
	bool repeats = vcpu->icount || vcpu->options.turns;

	if (!vcpu->core || !repeats || vcpu->options.exact)
		return;
	core_page.clock_fires = vcpu->icount ? hpet_arm_far(vcpu) : 0;
	core_page.clock_now = rdtsc();
	command(vcpu->core, CORE_CLOCK);
	if (vcpu->icount)
		hpet_disarm(vcpu);
}

bool core_has_clock(const struct vcpu *vcpu)
{
	return vcpu->core && core_page.has_clock;
}

/* The guest's TSC without what the guest has written to it. */
static uint64_t guest_clock(const struct vcpu *vcpu)
{
	return vcpu->guest_tsc - vcpu->tsc_adjust;
}

bool core_times(const struct vcpu *vcpu)
{
	return core_has_clock(vcpu) && (!vcpu->needs || (vcpu->needs & CORE_NEEDS_CYCLES));
}

void core_follow_clock(struct vcpu *vcpu)
{
	bool was_timed = vcpu->timed;

	if (!core_has_clock(vcpu))
		return;
	vcpu->timed = vcpu->core->timing && vcpu->icount;
	if (vcpu->timed && !was_timed)
		vcpu->clock_lead = rdtsc() - guest_clock(vcpu);
	if (!vcpu->timed || !was_timed)
		return;
	vcpu->core->move = (int64_t)(guest_clock(vcpu) + vcpu->clock_lead - rdtsc());
	if (vcpu->deadline != NEVER)
		vcpu->deadline += (uint64_t)vcpu->core->move;
	command(vcpu->core, CORE_MOVE);
}

static bool awake;

/* Starts the simulation, which costs time. */
static void wake(struct core_processor *core)
{
	if (awake)
		return;
	awake = true;
	command(core, CORE_WAKE);
}

void core_measure(struct vcpu *vcpu, uint32_t what)
{
	if (!vcpu->core)
		return;
	if (what == VISOR_MEASURE_BEGIN) {
		wake(vcpu->core);
	} else if (what == VISOR_MEASURE_END && awake && !vcpu->counts) {
		awake = false;
		command(vcpu->core, CORE_REST);
	}
}

/* The first event counts, or the first trace records. */
static bool needs_core(const struct core_processor *core)
{
	return core->counting || core->filter.enabled || (core->pt.ctl & PT_CTL_TRACE) ||
	       core->store.rings;
}

/* Adds the needs of the counters that count. None is ever removed, since events take turns in
 * counters. */
static void find_needs(struct vcpu *vcpu)
{
	bool all = vcpu->core->looked || vcpu->core->filter.enabled || vcpu->core->sampling ||
		   vcpu->options.turns;

	vcpu->needs |= CORE_NEEDS_COUNTS | (all ? CORE_NEEDS_ALL : model_needs(&vcpu->model));
}

/* XCR0 is the guest's: its kernel sets it once, after CR4. */
static void settle(const struct vcpu *vcpu)
{
	if (!core_page.settled && (vcpu->host_cr4 & CR4_OSXSAVE))
		core_page.settled = cpu_read_xcr0() != XCR0_RESET;
}

void core_unsettle(struct vcpu *vcpu)
{
	if (!vcpu->core || !core_page.settled)
		return;
	core_page.settled = 0;
	command(vcpu->core, CORE_WATCH);
}

/* Before an entry: an event is delivered to ring 0 first. */
void core_enter(struct vcpu *vcpu)
{
	struct core_processor *core = vcpu->core;
	bool counts = vcpu->counts && !core_page.held;

	core->ring = vcpu->delivering ? CORE_RING_KERNEL : ring_of(vcpu);
	model_branch_filter(&vcpu->model, &core->filter);
	if (core->filter.load && core->filter.enabled)
		core->nr_branches =
		    model_give_branches(&vcpu->model, core->branches, &core->position);
	core->counting = counts;
	core->details = counts && model_counts_details(&vcpu->model);
	core->prefetch_off = model_prefetch_off(&vcpu->model);
	core->nr_watches = model_watches(&vcpu->model, core->watches);
	core->sampling = sampling_of(vcpu);
	if (counts)
		find_needs(vcpu);
	core->needs = vcpu->needs;
	core->timing =
	    core_page.has_clock && ((counts && (vcpu->needs & CORE_NEEDS_CYCLES)) || core->looked);
	if (!core_page.held && needs_core(core))
		wake(core);
	settle(vcpu);
}

/* Returns how the run ended: after an instruction, by an interrupt or the trap of a step; or at
 * one. */
static enum core_end end_of_run(const struct vcpu *vcpu)
{
	switch (vcpu->vmcb->exit_code) {
	case EXIT_INTR:
	case EXIT_NMI:
	case EXIT_EXCEPTION + VECTOR_DB:
		return CORE_STOPPED_BETWEEN;
	case EXIT_CPUID:
	case EXIT_MSR:
	case EXIT_RDPMC:
		return CORE_STOPPED_FOR_VISOR;
	default:
		return CORE_STOPPED_AT;
	}
}

void core_sync(struct vcpu *vcpu)
{
	vcpu->core->rip = vcpu->vmcb->rip;
	vcpu->core->end = end_of_run(vcpu);
	vcpu->core->stopped_ring = ring_of(vcpu);
	call();
	if (vcpu->core->filter.enabled)
		model_take_branches(&vcpu->model, vcpu->core->branches, vcpu->core->nr_branches,
				    vcpu->core->position);
}

bool core_took_stop(struct vcpu *vcpu)
{
	if (!vcpu->core || vcpu->stops_taken == vcpu->core->stops)
		return false;
	vcpu->stops_taken++;
	return true;
}
