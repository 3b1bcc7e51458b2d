/* SPDX-License-Identifier: BSD-2-Clause */
/* RDMSR, WRMSR and RDPMC of the guest. */
#ifndef VISOR_MSR_H
#define VISOR_MSR_H

#include "emulator/visor/vcpu/vcpu.h"

/* Marks the MSRs that exit in the permission map. */
void msr_setup(struct vcpu *vcpu);
/* Exits. */
void msr_exit(struct vcpu *vcpu);
void msr_rdpmc(struct vcpu *vcpu);

#endif
