/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes to the APIC's page, and reads of registers that the machine's APIC lacks. AMD APM vol. 2,
 * 15.25.6 (nested page faults). */
#include "emulator/visor/exit/apic_store.h"
#include "emulator/visor/model/model.h"

#include "emulator/visor/base/lib.h"
#include "emulator/visor/count/exact.h"
#include "emulator/visor/vcpu/apic.h"
#include "emulator/visor/vcpu/eilvt.h"
#include "emulator/visor/vcpu/host.h"

#define FAULT_WRITE    (1ull << 1)
#define REGISTER_BYTES 4

static uint32_t *shadow_register(struct vcpu *vcpu)
{
	return (uint32_t *)(vcpu->apic_shadow + vcpu->store_offset);
}

static void load_begins(struct vcpu *vcpu)
{
	uint32_t value;

	vcpu->loading = true;
	if (eilvt_read(vcpu, vcpu->store_offset, &value)) {
		*shadow_register(vcpu) = value;
		host_map_apic(vcpu->nested, (uint64_t)vcpu->apic_shadow, false);
	} else {
		host_map_apic(vcpu->nested, APIC_BASE, false);
	}
}

static void store_begins(struct vcpu *vcpu)
{
	uint32_t value;

	vcpu->storing = true;
	if (eilvt_read(vcpu, vcpu->store_offset, &value))
		*shadow_register(vcpu) = value;
	else if (apic_page_answers(vcpu))
		*shadow_register(vcpu) = apic_read((enum apic_register)vcpu->store_offset);
	else
		memset(vcpu->apic_shadow, 0xff, PAGE_SIZE);
	host_map_apic(vcpu->nested, (uint64_t)vcpu->apic_shadow, true);
}

bool apic_store_begins(struct vcpu *vcpu)
{
	uint64_t address = vcpu->vmcb->exit_info2;
	bool writes = vcpu->vmcb->exit_info1 & FAULT_WRITE;

	if (address / PAGE_SIZE != APIC_BASE / PAGE_SIZE ||
	    (!writes && !model_has_ibs(&vcpu->model)))
		return false;
	vcpu->store_offset = address % PAGE_SIZE & ~(REGISTER_BYTES - 1u);
	if (writes)
		store_begins(vcpu);
	else
		load_begins(vcpu);
	return true;
}

/* True if the instruction was executed; the stopwatch lets no other run. */
static bool is_done(const struct vcpu *vcpu)
{
	if (vcpu->trapping || !vcpu->icount)
		return exact_stepped(vcpu);
	return vcpu->vmcb->exit_code == EXIT_NMI && vcpu->run_ticks;
}

void apic_store_finish(struct vcpu *vcpu)
{
	bool stored = vcpu->storing;

	if (!vcpu->storing && !vcpu->loading)
		return;
	vcpu->storing = vcpu->loading = false;
	apic_map(vcpu);
	if (stored && apic_page_answers(vcpu) && is_done(vcpu))
		apic_store(vcpu, (enum apic_register)vcpu->store_offset, *shadow_register(vcpu));
}
