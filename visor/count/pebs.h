/* SPDX-License-Identifier: BSD-2-Clause */
/* PEBS records: the model writes them, from the guest's registers and into its memory. */
#ifndef VISOR_PEBS_H
#define VISOR_PEBS_H

#include "visor/vcpu/vcpu.h"

/* Writes the record that the last instruction completed, if it did; `rip` is that instruction's. */
void pebs_finish(struct vcpu *vcpu, uint64_t rip);

#endif
