/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * MSRs. The PMU's are the model's, and raise #GP if it has none; EFER, the TSC and the APIC's are
 * the visor's; the rest is the machine's. AMD APM vol. 2, 15.11 (permission map).
 */
#include "emulator/visor/exit/msr.h"
#include "emulator/visor/model/model.h"

#include "emulator/visor/base/lib.h"
#include "emulator/visor/count/count.h"
#include "emulator/visor/count/events.h"
#include "emulator/visor/count/trace.h"
#include "emulator/visor/vcpu/apic.h"
#include "emulator/visor/vcpu/processors.h"

#define LENGTH 2 /* of RDMSR, WRMSR and RDPMC */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define MAP_RANGE 0x2000u
#define MAP_BYTES 0x2000u
#define MAP_BITS  2u /* an MSR: read, write */

static const uint32_t map_ranges[] = {0, 0xc0000000, 0xc0010000};

#define EFER_NXE      (1ull << 11)
#define EFER_WRITABLE (EFER_SCE | EFER_LME | EFER_NXE)

/* The visor's MSRs. As CPUID reports no SVM, the last two do not exist for the guest. */
static const uint32_t visors[] = {
    MSR_TSC, MSR_TSC_ADJUST, MSR_EFER, MSR_APIC_BASE, MSR_VM_CR, MSR_HSAVE,
};

/* Intercepts reads and writes of an MSR. */
static void intercept(uint32_t msr, void *map)
{
	for (uint32_t range = 0; range < COUNT(map_ranges); range++) {
		uint32_t number = msr - map_ranges[range],
			 bit = (range * MAP_RANGE + number) * MAP_BITS;

		if (number < MAP_RANGE)
			((uint8_t *)map)[bit / 8] |= (uint8_t)(3u << bit % 8);
	}
}

void msr_setup(struct vcpu *vcpu)
{
	memset(vcpu->msr_permissions, 0, MAP_BYTES);
	for (size_t i = 0; i < COUNT(visors); i++)
		intercept(visors[i], vcpu->msr_permissions);
	for (uint32_t msr = MSR_X2APIC_FIRST; msr <= MSR_X2APIC_LAST; msr++)
		intercept(msr, vcpu->msr_permissions);
	model_each_msr(intercept, vcpu->msr_permissions);
}

static uint64_t read_efer(const struct vcpu *vcpu)
{
	return (vcpu->vmcb->efer & ~(EFER_SVME | EFER_SCE)) |
	       (vcpu->syscall_enabled ? EFER_SCE : 0);
}

static enum model_result write_efer(struct vcpu *vcpu, uint64_t value)
{
	struct vmcb *vmcb = vcpu->vmcb;

	if (value & ~(EFER_WRITABLE | EFER_LMA))
		return MODEL_GP;
	if ((value & EFER_NXE) && !model_offers_nx(&vcpu->model))
		return MODEL_GP;
	if ((vmcb->cr0 & CR0_PG) && ((value ^ vmcb->efer) & EFER_LME))
		return MODEL_GP;
	vcpu->syscall_enabled = value & EFER_SCE;
	vmcb->efer = (value & EFER_WRITABLE) | (vmcb->efer & EFER_LMA) | EFER_SVME;
	return MODEL_OK;
}

static enum model_result own_rdmsr(struct vcpu *vcpu, uint32_t msr, uint64_t *value)
{
	switch (msr) {
	case MSR_EFER:
		*value = read_efer(vcpu);
		return MODEL_OK;
	case MSR_TSC:
		*value = vcpu->guest_tsc;
		return MODEL_OK;
	case MSR_TSC_ADJUST:
		*value = vcpu->tsc_adjust;
		return MODEL_OK;
	default:
		return apic_rdmsr(vcpu, msr, value);
	}
}

static enum model_result own_wrmsr(struct vcpu *vcpu, uint32_t msr, uint64_t value)
{
	switch (msr) {
	case MSR_EFER:
		return write_efer(vcpu, value);
	case MSR_TSC:
		count_set_clock(vcpu, value);
		return MODEL_OK;
	case MSR_TSC_ADJUST:
		count_adjust_clock(vcpu, value - vcpu->tsc_adjust);
		return MODEL_OK;
	default:
		return apic_wrmsr(vcpu, msr, value);
	}
}

/* Completes RDMSR and RDPMC with the value, or with #GP. */
static void read_end(struct vcpu *vcpu, enum model_result result, uint64_t value)
{
	if (result != MODEL_OK) {
		event_inject(vcpu, VECTOR_GP, 0);
		return;
	}
	count_emulated(vcpu, LENGTH);
	quirks_read(&vcpu->quirks);
	vcpu->vmcb->rax = (uint32_t)value;
	vcpu->gpr[RDX] = value >> 32;
}

/* A package's energy is that of all processors: from the read on that makes it count, all report
 * their work. */
static void notice_read(struct vcpu *vcpu, uint32_t msr)
{
	uint64_t others[MODEL_ENERGY_DOMAINS] = {0};
	struct vcpu *other;

	for (unsigned i = 0; (other = visor_processor(i)); i++)
		if (other != vcpu)
			model_add_energy(&other->model, others);
	if (!model_notice_read(&vcpu->model, msr, vcpu->guest_tsc, others))
		return;
	for (unsigned i = 0; (other = visor_processor(i)); i++) {
		model_count_energy(&other->model);
		other->counts = true; /* from its next entry on */
	}
	count_choose(vcpu);
}

static void read_msr(struct vcpu *vcpu, uint32_t msr)
{
	uint64_t value = 0;
	enum model_result result;

	notice_read(vcpu, msr);
	result = model_rdmsr(&vcpu->model, msr, &value);

	if (result == MODEL_NOT_PMU)
		result = own_rdmsr(vcpu, msr, &value);
	read_end(vcpu, result, value);
}

/* The instruction retires before the new value takes effect: counters that it starts count from the
 * next one on. */
static void write_msr(struct vcpu *vcpu, uint32_t msr, uint64_t value)
{
	enum model_result result = model_wrmsr_check(&vcpu->model, msr, value);

	if (result == MODEL_NOT_PMU) {
		result = own_wrmsr(vcpu, msr, value);
		if (result == MODEL_OK)
			count_emulated(vcpu, LENGTH);
	} else if (result == MODEL_OK) {
		count_emulated(vcpu, LENGTH);
		trace_before_write(vcpu, msr, value);
		quirks_wrmsr(&vcpu->quirks, &vcpu->model, msr, value);
		count_choose(vcpu);
		trace_choose(vcpu);
	}
	if (result != MODEL_OK)
		event_inject(vcpu, VECTOR_GP, 0);
}

void msr_exit(struct vcpu *vcpu)
{
	uint32_t msr = (uint32_t)vcpu->gpr[RCX];

	if (vcpu->vmcb->exit_info1)
		write_msr(vcpu, msr, (uint32_t)vcpu->vmcb->rax | vcpu->gpr[RDX] << 32);
	else
		read_msr(vcpu, msr);
}

/* QEMU checks CR4.PCE and CPL before it exits. */
void msr_rdpmc(struct vcpu *vcpu)
{
	uint64_t value = 0;
	enum model_result result = model_rdpmc(&vcpu->model, (uint32_t)vcpu->gpr[RCX], &value);

	read_end(vcpu, result, value);
}
