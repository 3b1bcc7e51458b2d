/* SPDX-License-Identifier: BSD-2-Clause */
/* Setting the visor up, step by step. */
#include "emulator/visor/model/model.h"
#include "emulator/visor/start/main.h"

#include "emulator/visor/base/acpi.h"
#include "emulator/visor/base/cpu.h"
#include "emulator/visor/base/lib.h"
#include "emulator/visor/count/count.h"
#include "emulator/visor/count/trace.h"
#include "emulator/visor/exit/msr.h"
#include "emulator/visor/exit/timer_port.h"
#include "emulator/visor/start/calibrate.h"
#include "emulator/visor/vcpu/apic.h"
#include "emulator/visor/vcpu/core.h"
#include "emulator/visor/vcpu/eilvt.h"
#include "emulator/visor/vcpu/host.h"
#include "emulator/visor/vcpu/hpet.h"
#include "emulator/visor/vcpu/processors.h"
#include "emulator/visor/vcpu/startup.h"

#define GUEST_ASID 1

/* All data of one processor. */
struct processor {
	uint8_t stack[STACK_BYTES]; /* begins with struct host_events */
	struct vmcb vmcb;
	uint8_t host_save[PAGE_SIZE];
	uint8_t msr_permissions[2 * PAGE_SIZE];
	uint8_t apic_shadow[PAGE_SIZE];
	struct nested_tables nested;
	struct vcpu vcpu;
} __attribute__((aligned(STACK_BYTES)));

static struct processor *processors;
static unsigned nr_processors;

static uint64_t round_up(uint64_t value, uint64_t unit)
{
	return (value + unit - 1) & ~(unit - 1);
}

uint64_t visor_bytes(uint64_t image_bytes, unsigned nr)
{
	return round_up(round_up(image_bytes, STACK_BYTES) + nr * sizeof(struct processor),
			LARGE_PAGE_SIZE);
}

struct visor_memory visor_lay_out(uint64_t base, uint64_t image_bytes, unsigned nr)
{
	struct visor_memory memory = {
	    .base = base,
	    .bytes = visor_bytes(image_bytes, nr),
	    .processors = base + round_up(image_bytes, STACK_BYTES),
	    .nr = nr,
	};

	memset((void *)memory.processors, 0, nr * sizeof(struct processor));
	return memory;
}

uint64_t visor_stack(const struct visor_memory *memory, unsigned index)
{
	return memory->processors + index * sizeof(struct processor) + STACK_BYTES;
}

static void connect(struct processor *p, const struct options *options)
{
	struct vcpu *vcpu = &p->vcpu;

	vcpu->options = *options;
	vcpu->index = (unsigned)(p - processors);
	vcpu->vmcb = &p->vmcb;
	vcpu->msr_permissions = p->msr_permissions;
	vcpu->host_events = (struct host_events *)p->stack;
	vcpu->nested = &p->nested;
	vcpu->apic_shadow = p->apic_shadow;
	vcpu->tsc_slot = &p->vmcb.tsc_offset;
	p->vmcb.io_permissions = timer_port_map();
	p->vmcb.asid = GUEST_ASID;
	p->vmcb.msr_permissions = (uint64_t)p->msr_permissions;
	p->vmcb.intercept2 = INTERCEPT2_VMRUN | INTERCEPT2_VMMCALL | INTERCEPT2_VMLOAD |
			     INTERCEPT2_VMSAVE | INTERCEPT2_STGI | INTERCEPT2_CLGI |
			     INTERCEPT2_SKINIT | INTERCEPT2_MONITOR | INTERCEPT2_MWAIT;
	p->vmcb.nested_cr3 = host_build_nested(&p->nested);
}

/* Sets up the PMU, its registers, and the state that the guest takes over from the machine. */
static void offer_machine(struct vcpu *vcpu)
{
	model_reset(&vcpu->model, personality_of_processor(vcpu->options.personality, vcpu->index,
							   nr_processors));
	model_set_clock(&vcpu->model, vcpu->tsc_khz, vcpu->icount ? NANOSECOND_KHZ : 0);
	quirks_reset(&vcpu->quirks, &vcpu->model, &vcpu->options.quirks);
	core_setup(vcpu);
	if (vcpu->core)
		model_use_core(&vcpu->model, &vcpu->core->geometry, core_nr_events(),
			       core_stops(vcpu));
	trace_setup(vcpu);
	count_choose(vcpu);
	msr_setup(vcpu);
	vcpu->apic_base = rdmsr(MSR_APIC_BASE);
	eilvt_reset(vcpu);
	apic_map(vcpu);
	vcpu->guest_tsc = rdtsc();
	vcpu->vmcb->tsc_offset = 0;
	startup_come_online(vcpu);
}

struct vcpu *visor_setup(const struct options *options, const struct visor_memory *memory,
			 uint64_t rsdp)
{
	struct processor *p = (struct processor *)memory->processors;

	processors = p;
	nr_processors = memory->nr;
	for (unsigned i = 0; i < memory->nr; i++)
		processors_know(memory->nr, i, &processors[i].vcpu);
	/* The visor's own tables; it is not interrupted any more. */
	host_build(memory->base, memory->bytes);
	connect(p, options);
	host_enter();
	wrmsr(MSR_HSAVE, (uint64_t)p->host_save);
	/* The stopwatch, and the cost of an entry and exit. */
	core_hello(memory->base, memory->bytes);
	hpet_setup(&p->vcpu);
	calibrate(&p->vcpu);
	startup_idle = calibrate_wait;
	timer_port_setup(acpi_timer_port(rsdp));
	offer_machine(&p->vcpu);
	core_offer_clock(&p->vcpu);
	return &p->vcpu;
}

struct vcpu *visor_setup_other(unsigned index)
{
	struct processor *p = &processors[index];

	connect(p, &processors[0].vcpu.options);
	host_enter();
	wrmsr(MSR_HSAVE, (uint64_t)p->host_save);
	hpet_setup(&p->vcpu);
	calibrate_like(&p->vcpu, &processors[0].vcpu);
	offer_machine(&p->vcpu);
	return &p->vcpu;
}
