/* SPDX-License-Identifier: BSD-2-Clause */
/* Setting the visor up, step by step. */
#include "visor/main.h"

#include "visor/calibrate.h"
#include "visor/count.h"
#include "visor/cpu.h"
#include "visor/host.h"
#include "visor/hpet.h"
#include "visor/msr.h"

#define STACK_BYTES 16384
#define GUEST_ASID  1

/* All that belongs to one processor. */
static struct processor {
	struct vmcb vmcb;
	uint8_t host_save[PAGE_SIZE];
	uint8_t msr_permissions[2 * PAGE_SIZE];
	uint8_t stack[STACK_BYTES];
	struct vcpu vcpu;
} processor __attribute__((aligned(4096)));

static void set_control(struct processor *p)
{
	p->vmcb.asid = GUEST_ASID;
	p->vmcb.msr_permissions = (uint64_t)p->msr_permissions;
	p->vmcb.intercept2 = INTERCEPT2_VMRUN | INTERCEPT2_VMMCALL | INTERCEPT2_VMLOAD |
			     INTERCEPT2_VMSAVE | INTERCEPT2_STGI | INTERCEPT2_CLGI |
			     INTERCEPT2_SKINIT | INTERCEPT2_MONITOR | INTERCEPT2_MWAIT;
}

struct vcpu *visor_setup(const struct options *options, uint64_t base, uint64_t bytes)
{
	struct processor *p = &processor;
	struct vcpu *vcpu = &p->vcpu;

	vcpu->options = *options;
	vcpu->vmcb = &p->vmcb;
	vcpu->msr_permissions = p->msr_permissions;
	set_control(p);
	/* The visor's own tables; nothing interrupts it any more. */
	host_build(base, bytes);
	host_enter();
	cpu_wrmsr(MSR_HSAVE, (uint64_t)p->host_save);
	/* The stopwatch, and what an entry and exit cost. */
	hpet_setup(vcpu);
	calibrate(vcpu);
	/* The PMU, and which registers are its. */
	model_reset(&vcpu->model, options->personality);
	model_set_clock(&vcpu->model, vcpu->shift);
	count_choose(vcpu);
	msr_setup(vcpu);
	/* What the guest takes over from the machine. */
	vcpu->apic_base = cpu_rdmsr(MSR_APIC_BASE);
	vcpu->guest_tsc = cpu_rdtsc();
	vcpu->vmcb->nested_control = NESTED_PAGING;
	vcpu->vmcb->nested_cr3 = host_nested_root();
	return vcpu;
}

uint64_t visor_stack(void)
{
	return (uint64_t)(processor.stack + STACK_BYTES);
}
