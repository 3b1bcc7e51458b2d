/* SPDX-License-Identifier: BSD-2-Clause */
/* AMD's instruction-based sampling: the model latches what the guest's instruction was. */
#ifndef VISOR_IBS_H
#define VISOR_IBS_H

#include "emulator/visor/vcpu/vcpu.h"

/* Latches the instruction of the last run, if that was tagged. */
void ibs_finish_run(struct vcpu *vcpu);
/* The same of the instruction at rip, which the visor has emulated. */
void ibs_finish_emulated(struct vcpu *vcpu, uint64_t rip);
/* Before an entry: sends the interrupts of samples. */
void ibs_deliver(struct vcpu *vcpu);

#endif
