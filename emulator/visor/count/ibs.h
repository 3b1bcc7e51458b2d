/* SPDX-License-Identifier: BSD-2-Clause */
/* AMD's instruction-based sampling: the model latches the properties of the guest's instruction. */
#ifndef VISOR_IBS_H
#define VISOR_IBS_H

#include "emulator/visor/vcpu/vcpu.h"

/* Latches the instruction of the last run, if it was tagged. */
void ibs_finish_run(struct vcpu *vcpu);
/* As ibs_finish_run(), for the instruction at rip, which the visor has emulated. */
void ibs_finish_emulated(struct vcpu *vcpu, uint64_t rip);
/* Before an entry: sends the interrupts of samples. */
void ibs_deliver(struct vcpu *vcpu);

#endif
