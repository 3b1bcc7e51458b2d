/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes to the APIC's page. AMD APM vol. 2, 15.25.6 (nested page faults). */
#include "visor/exit/apic_store.h"

#include "visor/vcpu/apic.h"
#include "visor/base/lib.h"
#include "visor/count/exact.h"
#include "visor/vcpu/host.h"

#define FAULT_WRITE    (1ull << 1)
#define REGISTER_BYTES 4

static uint32_t *shadow_register(struct vcpu *vcpu)
{
	return (uint32_t *)(vcpu->apic_shadow + vcpu->store_offset);
}

bool apic_store_begins(struct vcpu *vcpu)
{
	uint64_t address = vcpu->vmcb->exit_info2;

	if (address / PAGE_SIZE != APIC_BASE / PAGE_SIZE || !(vcpu->vmcb->exit_info1 & FAULT_WRITE))
		return false;
	vcpu->storing = true;
	vcpu->store_offset = address % PAGE_SIZE & ~(REGISTER_BYTES - 1u);
	if (apic_page_answers(vcpu))
		*shadow_register(vcpu) = apic_read((enum apic_register)vcpu->store_offset);
	else
		memset(vcpu->apic_shadow, 0xff, PAGE_SIZE);
	host_map_apic(vcpu->nested, (uint64_t)vcpu->apic_shadow, true);
	return true;
}

void apic_store_finish(struct vcpu *vcpu)
{
	if (!vcpu->storing)
		return;
	vcpu->storing = false;
	apic_map(vcpu);
	if (apic_page_answers(vcpu) && exact_stepped(vcpu))
		apic_store(vcpu, (enum apic_register)vcpu->store_offset, *shadow_register(vcpu));
}
