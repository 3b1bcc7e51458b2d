/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * AMD's extended APIC registers, which QEMU's APIC does not have: the entries of the extended local
 * vector table, by one of which instruction-based sampling interrupts. AMD APM vol. 2, "Extended
 * Interrupts". Where the personality has it nothing of the APIC's page is the guest's own.
 */
#ifndef VISOR_EILVT_H
#define VISOR_EILVT_H

#include "emulator/visor/vcpu/vcpu.h"

/* After reset: all are masked. */
void eilvt_reset(struct vcpu *vcpu);
/* The register at this offset of the APIC's page is answered here; *value: what it reads. */
bool eilvt_read(const struct vcpu *vcpu, unsigned offset, uint32_t *value);
/* The same of a write, which it takes. */
bool eilvt_write(struct vcpu *vcpu, unsigned offset, uint32_t value);
/* Whether an x2APIC takes the value there: it faults at reserved bits, and at what is only read. */
bool eilvt_takes(const struct vcpu *vcpu, unsigned offset, uint64_t value);
/* The interrupt of an entry. */
void eilvt_send(struct vcpu *vcpu, unsigned entry);

#endif
