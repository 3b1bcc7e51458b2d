/* SPDX-License-Identifier: BSD-2-Clause */
/* The extended local vector table. AMD APM vol. 2, "Extended APIC Feature Register", "Extended
 * Interrupt Local Vector Table Registers". */
#include "emulator/visor/model/model.h"
#include "emulator/visor/vcpu/eilvt.h"

#include "emulator/visor/vcpu/apic.h"

#define FEATURE   APIC_EXTENDED_FEATURE
#define CONTROL   (FEATURE + REGISTER)
#define ENTRIES   APIC_EXTENDED_LVT
#define REGISTER  0x10
#define HAS_SPACE (1u << 31) /* in the version: these registers are there */
#define NR_SHIFT  16
#define WRITABLE  (LVT_VECTOR | LVT_MODE | APIC_LVT_MASKED)

void eilvt_reset(struct vcpu *vcpu)
{
	for (unsigned i = 0; i < EILVT_ENTRIES; i++)
		vcpu->eilvt[i] = APIC_LVT_MASKED;
}

/* Returns NULL if there is no entry. */
static uint32_t *entry_at(struct vcpu *vcpu, unsigned offset)
{
	unsigned entry = (offset - ENTRIES) / REGISTER;

	return offset >= ENTRIES && entry < EILVT_ENTRIES ? &vcpu->eilvt[entry] : NULL;
}

static bool is_there(const struct vcpu *vcpu, unsigned offset)
{
	return model_has_ibs(&vcpu->model) &&
	       (offset == FEATURE || offset == CONTROL || entry_at((struct vcpu *)vcpu, offset));
}

bool eilvt_takes(const struct vcpu *vcpu, unsigned offset, uint64_t value)
{
	return model_has_ibs(&vcpu->model) && entry_at((struct vcpu *)vcpu, offset) &&
	       !(value & ~(uint64_t)WRITABLE);
}

bool eilvt_read(const struct vcpu *vcpu, unsigned offset, uint32_t *value)
{
	const uint32_t *entry = entry_at((struct vcpu *)vcpu, offset);
	bool is_version = offset == APIC_VERSION && model_has_ibs(&vcpu->model);

	if (!is_version && !is_there(vcpu, offset))
		return false;
	if (is_version)
		*value = apic_read(APIC_VERSION) | HAS_SPACE;
	else if (offset == FEATURE)
		*value = EILVT_ENTRIES << NR_SHIFT;
	else
		*value = entry ? *entry : 0;
	return true;
}

bool eilvt_write(struct vcpu *vcpu, unsigned offset, uint32_t value)
{
	uint32_t *entry = entry_at(vcpu, offset);

	if (!is_there(vcpu, offset))
		return false;
	if (entry)
		*entry = value & WRITABLE;
	return true;
}

void eilvt_send(struct vcpu *vcpu, unsigned entry)
{
	uint32_t value = vcpu->eilvt[entry];

	if (value & APIC_LVT_MASKED)
		return;
	if ((value & LVT_MODE) == LVT_MODE_NMI)
		vcpu->nmi_pending = true;
	else if ((value & LVT_MODE) == LVT_MODE_FIXED)
		apic_interrupt_self(value & LVT_VECTOR);
}
