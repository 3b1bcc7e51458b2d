/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The guest's writes to its APIC, where there are several processors, or where it is disabled: its
 * page is read-only in the nested page table. What writes there runs alone, on a shadow of the
 * page; then the register that it wrote to is looked at.
 */
#ifndef VISOR_APIC_STORE_H
#define VISOR_APIC_STORE_H

#include "emulator/visor/vcpu/vcpu.h"

/* At a nested page fault: whether it is such a write. The instruction then runs alone. */
bool apic_store_begins(struct vcpu *vcpu);
/* After a run: does what it wrote, if it did. */
void apic_store_finish(struct vcpu *vcpu);

#endif
