/* SPDX-License-Identifier: BSD-2-Clause */
/* PEBS records: the model writes them, from the guest's registers and into its memory. */
#ifndef VISOR_PEBS_H
#define VISOR_PEBS_H

#include "emulator/visor/vcpu/vcpu.h"

/* Writes the record that the last run completed, if any. */
void pebs_finish_run(struct vcpu *vcpu);
/* As pebs_finish_run(), for the instruction at rip, which the visor has emulated. */
void pebs_finish_emulated(struct vcpu *vcpu, uint64_t rip);

#endif
