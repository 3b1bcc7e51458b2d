/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * AMD's extended APIC registers, which QEMU's APIC lacks: the entries of the extended local vector
 * table, one of which instruction-based sampling interrupts through. AMD APM vol. 2, "Extended
 * Interrupts". If the personality has them all accesses to the APIC's page are intercepted.
 */
#ifndef VISOR_EILVT_H
#define VISOR_EILVT_H

#include "emulator/visor/vcpu/vcpu.h"

/* Resets the entries: all are masked. */
void eilvt_reset(struct vcpu *vcpu);
/* True if the visor emulates the register at this offset of the APIC's page; *value: its
 * contents. */
bool eilvt_read(const struct vcpu *vcpu, unsigned offset, uint32_t *value);
/* As eilvt_read(), for a write, which it performs. */
bool eilvt_write(struct vcpu *vcpu, unsigned offset, uint32_t value);
/* True if an x2APIC accepts the value: it faults at reserved bits, and at read-only registers. */
bool eilvt_takes(const struct vcpu *vcpu, unsigned offset, uint64_t value);
/* Sends the interrupt of an entry. */
void eilvt_send(struct vcpu *vcpu, unsigned entry);

#endif
