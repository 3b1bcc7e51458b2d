/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Single steps without -icount, where no timer can stop the guest on an instruction: by the trap
 * flag, which the guest must not see; and after the delivery of an event by an NMI that the visor
 * sends itself, which QEMU takes before the handler's first instruction.
 */
#ifndef VISOR_PRECISE_H
#define VISOR_PRECISE_H

#include "emulator/visor/vcpu/vcpu.h"

/* Before an entry that must end after one instruction, with the bytes `code`. */
void precise_prepare(struct vcpu *vcpu, const uint8_t *code, unsigned bytes);
/* After it: removes the trap flag, wherever the instruction has stored it, and the NMI. */
void precise_finish(struct vcpu *vcpu);
/* Takes the interrupt that made the guest exit, and delivers it at the next entry. */
void precise_interrupt(struct vcpu *vcpu);
/* Exits: INT n, INT3 and INTO, which would save the trap flag and clear it, are delivered as
 * events; PAUSE loses it as well. */
void precise_software_interrupt(struct vcpu *vcpu);
void precise_pause(struct vcpu *vcpu);

/* True if this step's instruction is IRET. */
bool precise_behind_iret(const struct vcpu *vcpu);

#endif
