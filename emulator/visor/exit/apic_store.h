/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The guest's writes to its APIC, with several processors or while it is disabled: its page is
 * read-only in the nested page table. The writing instruction runs alone, on a shadow of the page;
 * then the written register is examined.
 */
#ifndef VISOR_APIC_STORE_H
#define VISOR_APIC_STORE_H

#include "emulator/visor/vcpu/vcpu.h"

/* At a nested page fault: returns whether it is such a write. The instruction then runs alone. */
bool apic_store_begins(struct vcpu *vcpu);
/* After a run: performs the write, if there was one. */
void apic_store_finish(struct vcpu *vcpu);

#endif
