/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The local APIC. QEMU 7.2 has no x2APIC without KVM: with the option `x2apic` the visor emulates
 * its MSRs with the xAPIC's registers. Intel SDM vol. 3, 10.12 (extended xAPIC).
 */
#include "emulator/visor/model/model.h"
#include "emulator/visor/vcpu/apic.h"

#include "emulator/visor/base/cpu.h"
#include "emulator/visor/vcpu/eilvt.h"
#include "emulator/visor/vcpu/host.h"
#include "emulator/visor/vcpu/processors.h"
#include "emulator/visor/vcpu/startup.h"

#define BASE_BSP      (1ull << 8)
#define BASE_ENABLE   (1ull << 11)
#define BASE_ADDRESS  0xffffff000ull
#define BASE_WRITABLE (BASE_BSP | APIC_BASE_EXTD | BASE_ENABLE | BASE_ADDRESS)

#define ID_SHIFT       24
#define SVR_RESET      0xffu
#define ICR_WRITABLE   0xccfffu
#define CPUID_X2APIC   (1u << 21) /* leaf 1, ECX */
#define CPUID_TOPOLOGY 0xb

/* Contents of addresses without a device. */
static const uint8_t nobody[PAGE_SIZE]
    __attribute__((aligned(4096))) = {[0 ... PAGE_SIZE - 1] = 0xff};

enum access { READ = 1, WRITE = 2, BOTH = 3 };

/* The x2APIC's registers: MSR 800H + offset / 16, permitted access, and writable bits. */
static const struct {
	uint16_t first, last; /* xAPIC offsets */
	uint8_t access;
	uint32_t writable;
} registers[] = {
    {APIC_ID, APIC_ID, READ, 0},
    {APIC_VERSION, APIC_VERSION, READ, 0},
    {APIC_TPR, APIC_TPR, BOTH, 0xff},
    {APIC_PPR, APIC_PPR, READ, 0},
    {APIC_EOI, APIC_EOI, WRITE, 0},
    {APIC_LDR, APIC_LDR, READ, 0},
    {APIC_SVR, APIC_SVR, BOTH, 0x13ff},
    {APIC_ISR, APIC_ESR - 0x10, READ, 0}, /* ISR, TMR, IRR */
    {APIC_ESR, APIC_ESR, BOTH, 0},
    {APIC_ICR, APIC_ICR, BOTH, ICR_WRITABLE},
    {APIC_LVT_TIMER, APIC_LVT_TIMER, BOTH, 0x300ff | APIC_LVT_MASKED},
    {APIC_LVT_THERMAL, APIC_LVT_PMC, BOTH, LVT_VECTOR | LVT_MODE | APIC_LVT_MASKED},
    {APIC_LVT_LINT0, APIC_LVT_LINT1, BOTH, 0x1a7ff},
    {APIC_LVT_ERROR, APIC_LVT_ERROR, BOTH, LVT_VECTOR | APIC_LVT_MASKED},
    {APIC_TIMER_INITIAL, APIC_TIMER_INITIAL, BOTH, ~0u},
    {APIC_TIMER_CURRENT, APIC_TIMER_CURRENT, READ, 0},
    {APIC_TIMER_DIVIDE, APIC_TIMER_DIVIDE, BOTH, 0xb},
    {APIC_SELF_IPI, APIC_SELF_IPI, WRITE, 0xff},
};

uint32_t apic_read(enum apic_register reg)
{
	return cpu_read_device(APIC_BASE + reg);
}

void apic_write(enum apic_register reg, uint32_t value)
{
	cpu_write_device(APIC_BASE + reg, value);
}

uint32_t apic_id(void)
{
	return apic_read(APIC_ID) >> ID_SHIFT;
}

void apic_send(uint32_t id, uint32_t icr)
{
	uint32_t high = apic_read(APIC_ICR_HIGH);

	while (apic_read(APIC_ICR) & ICR_BUSY)
		cpu_relax();
	apic_write(APIC_ICR_HIGH, id << ID_SHIFT);
	apic_write(APIC_ICR, icr);
	apic_write(APIC_ICR_HIGH, high);
}

void apic_send_nmi(uint32_t id)
{
	apic_send(id, ICR_ASSERT | ICR_MODE_NMI << 8);
}

void apic_reset(void)
{
	static const enum apic_register masked[] = {APIC_LVT_TIMER, APIC_LVT_THERMAL,
						    APIC_LVT_PMC,   APIC_LVT_LINT0,
						    APIC_LVT_LINT1, APIC_LVT_ERROR};

	for (unsigned i = 0; i < sizeof(masked) / sizeof(masked[0]); i++)
		apic_write(masked[i], APIC_LVT_MASKED);
	apic_write(APIC_TIMER_INITIAL, 0);
	apic_write(APIC_TPR, 0);
	apic_write(APIC_LDR, 0);
	apic_write(APIC_DFR, ~0u);
	apic_write(APIC_SVR, SVR_RESET);
}

void apic_store(struct vcpu *vcpu, enum apic_register reg, uint32_t value)
{
	if (eilvt_write(vcpu, reg, value))
		return;
	if (reg == APIC_ICR && startup_sends(vcpu, value, apic_read(APIC_ICR_HIGH) >> ID_SHIFT))
		return;
	apic_write(reg, value);
	vcpu->ldr = apic_read(APIC_LDR);
	vcpu->dfr = apic_read(APIC_DFR);
}

/* In QEMU a write to the first register, which an APIC does not have, sends it a message. */
void apic_interrupt_self(unsigned vector)
{
	cpu_write_device(APIC_BASE | (uint64_t)(apic_read(APIC_ID) >> ID_SHIFT) << 12, vector);
}

bool apic_page_answers(const struct vcpu *vcpu)
{
	return (vcpu->apic_base & (BASE_ENABLE | APIC_BASE_EXTD)) == BASE_ENABLE;
}

void apic_map(struct vcpu *vcpu)
{
	if (apic_page_answers(vcpu) && model_has_ibs(&vcpu->model))
		host_hide_apic(vcpu->nested);
	else if (apic_page_answers(vcpu))
		host_map_apic(vcpu->nested, APIC_BASE, !visor_has_several());
	else
		host_map_apic(vcpu->nested, (uint64_t)nobody, false);
}

static bool x2apic_enabled(const struct vcpu *vcpu)
{
	return vcpu->apic_base & APIC_BASE_EXTD;
}

/* Returns the row of an MSR, or -1. */
static int find(uint32_t offset)
{
	for (unsigned i = 0; i < sizeof(registers) / sizeof(registers[0]); i++)
		if (offset >= registers[i].first && offset <= registers[i].last)
			return (int)i;
	return -1;
}

/* SDM vol. 3, 10.12.10.2: the logical id follows from the id. */
static uint32_t logical_id(void)
{
	uint32_t id = apic_id();

	return (id & 0xffff0) << 12 | 1u << (id & 0xf);
}

static enum model_result x2apic_read(const struct vcpu *vcpu, uint32_t offset, uint64_t *value)
{
	int row = find(offset);
	uint32_t extended;

	if (eilvt_read(vcpu, offset, &extended)) {
		*value = extended;
		return MODEL_OK;
	}
	if (row < 0 || !(registers[row].access & READ))
		return MODEL_GP;
	if (offset == APIC_ID)
		*value = apic_id();
	else if (offset == APIC_LDR)
		*value = logical_id();
	else if (offset == APIC_ICR)
		*value = (uint64_t)(apic_read(APIC_ICR_HIGH) >> ID_SHIFT) << 32 |
			 (apic_read(APIC_ICR) & ~ICR_BUSY);
	else
		*value = apic_read((enum apic_register)offset);
	return MODEL_OK;
}

/* The xAPIC below has no logical ids: interrupts to logical ones are sent one by one. False: it can
 * send this one itself. */
static bool x2apic_sends(struct vcpu *vcpu, uint32_t icr, uint32_t destination)
{
	const struct vcpu *to;

	if (startup_sends(vcpu, icr, destination))
		return true;
	if (!(icr & ICR_LOGICAL) || ICR_SHORTHAND(icr) != ICR_TO_ONE)
		return false;
	for (unsigned i = 0; (to = visor_processor(i)); i++) {
		if (!startup_addressed(to, true, destination))
			continue;
		apic_write(APIC_ICR_HIGH, to->apic_id << ID_SHIFT);
		apic_write(APIC_ICR, icr & ~ICR_LOGICAL);
	}
	return true;
}

static enum model_result x2apic_write(struct vcpu *vcpu, uint32_t offset, uint64_t value)
{
	int row = find(offset);
	uint64_t writable;

	if (eilvt_takes(vcpu, offset, value) && eilvt_write(vcpu, offset, (uint32_t)value))
		return MODEL_OK;
	if (row < 0 || !(registers[row].access & WRITE))
		return MODEL_GP;
	writable = registers[row].writable;
	if (offset == APIC_ICR)
		writable |= 0xffffffffull << 32; /* the destination */
	if (value & ~writable)
		return MODEL_GP;
	if (offset == APIC_ICR)
		apic_write(APIC_ICR_HIGH, (uint32_t)(value >> 32) << ID_SHIFT);
	if (offset == APIC_ICR && x2apic_sends(vcpu, (uint32_t)value, (uint32_t)(value >> 32)))
		return MODEL_OK;
	if (offset == APIC_SELF_IPI)
		apic_interrupt_self((unsigned)value);
	else
		apic_write((enum apic_register)offset, (uint32_t)value);
	return MODEL_OK;
}

/* Disabled, xAPIC and x2APIC are states: x2APIC can only change to "disabled", and "disabled" not
 * to x2APIC. */
static enum model_result write_base(struct vcpu *vcpu, uint64_t value)
{
	uint64_t old = vcpu->apic_base;
	bool enable = value & BASE_ENABLE, extended = value & APIC_BASE_EXTD;

	if ((value & ~BASE_WRITABLE) || (extended && !enable))
		return MODEL_GP;
	if (extended && (!vcpu->options.x2apic || !(old & BASE_ENABLE)))
		return MODEL_GP;
	if ((old & APIC_BASE_EXTD) && enable && !extended)
		return MODEL_GP;
	vcpu->apic_base = value;
	apic_map(vcpu);
	wrmsr(MSR_APIC_BASE, value & ~APIC_BASE_EXTD);
	return MODEL_OK;
}

enum model_result apic_rdmsr(struct vcpu *vcpu, uint32_t msr, uint64_t *value)
{
	if (msr == MSR_APIC_BASE) {
		*value = vcpu->apic_base;
		return MODEL_OK;
	}
	if (msr < MSR_X2APIC_FIRST || msr > MSR_X2APIC_LAST)
		return MODEL_NOT_PMU;
	return x2apic_enabled(vcpu) ? x2apic_read(vcpu, (msr - MSR_X2APIC_FIRST) << 4, value)
				    : MODEL_GP;
}

enum model_result apic_wrmsr(struct vcpu *vcpu, uint32_t msr, uint64_t value)
{
	if (msr == MSR_APIC_BASE)
		return write_base(vcpu, value);
	if (msr < MSR_X2APIC_FIRST || msr > MSR_X2APIC_LAST)
		return MODEL_NOT_PMU;
	return x2apic_enabled(vcpu) ? x2apic_write(vcpu, (msr - MSR_X2APIC_FIRST) << 4, value)
				    : MODEL_GP;
}

void apic_cpuid(const struct vcpu *vcpu, uint32_t leaf, uint32_t regs[4])
{
	if (leaf == 1)
		regs[2] = (regs[2] & ~CPUID_X2APIC) | (vcpu->options.x2apic ? CPUID_X2APIC : 0);
	if (leaf == CPUID_TOPOLOGY)
		regs[3] = apic_id();
}
