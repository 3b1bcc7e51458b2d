/* SPDX-License-Identifier: BSD-2-Clause */
/* Interruptions of the guest: reflected exceptions, NMIs, PMIs. */
#ifndef VISOR_EVENTS_H
#define VISOR_EVENTS_H

#include "emulator/visor/vcpu/vcpu.h"

#define HLT_LENGTH 1

/* Raises an exception in the guest at the next entry; `error` only matters for vectors that have an
 * error code. */
void event_inject(struct vcpu *vcpu, unsigned vector, uint32_t error);
/* After an emulated instruction: raises the guest's own single-step trap, if its TF is set. */
void event_trap(struct vcpu *vcpu);
/* Reflects an intercepted exception to the guest, or the double fault that it makes of one in
 * delivery. */
void event_reflect(struct vcpu *vcpu, unsigned vector);
/* Before an entry: sends the due PMIs through LVTPC, and delivers a pending NMI unless it is
 * blocked. */
void events_deliver(struct vcpu *vcpu);
/* Exits. */
void event_nmi(struct vcpu *vcpu);
void event_interrupt(struct vcpu *vcpu);
void event_iret(struct vcpu *vcpu);
/* Runs one instruction alone, without the visor's trap flag. */
void event_step_over(struct vcpu *vcpu);
void event_halt(struct vcpu *vcpu);

#endif
