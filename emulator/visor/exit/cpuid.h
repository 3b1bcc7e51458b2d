/* SPDX-License-Identifier: BSD-2-Clause */
/* CPUID of the guest. */
#ifndef VISOR_CPUID_H
#define VISOR_CPUID_H

#include "emulator/visor/vcpu/vcpu.h"

/* Exit. */
void cpuid_exit(struct vcpu *vcpu);

#endif
