/* SPDX-License-Identifier: BSD-2-Clause */
/* What interrupts the guest: exceptions given back to it, NMIs, PMIs. */
#ifndef VISOR_EVENTS_H
#define VISOR_EVENTS_H

#include "emulator/visor/vcpu/vcpu.h"

#define HLT_LENGTH 1

/* Raises an exception in the guest at the next entry; `error` only matters for vectors that have an
 * error code. */
void event_inject(struct vcpu *vcpu, unsigned vector, uint32_t error);
/* After an emulated instruction: raises the guest's own single-step trap, if its TF is set. */
void event_trap(struct vcpu *vcpu);
/* Gives an intercepted exception to the guest, or what becomes of it while another one was being
 * delivered. */
void event_reflect(struct vcpu *vcpu, unsigned vector);
/* Before an entry: sends the PMIs that are due where LVTPC says, and delivers a pending NMI if
 * nothing blocks it. */
void events_deliver(struct vcpu *vcpu);
/* Exits. */
void event_nmi(struct vcpu *vcpu);
void event_interrupt(struct vcpu *vcpu);
void event_iret(struct vcpu *vcpu);
/* An instruction that runs alone, and without the visor's trap flag. */
void event_step_over(struct vcpu *vcpu);
void event_halt(struct vcpu *vcpu);

#endif
