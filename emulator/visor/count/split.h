/* SPDX-License-Identifier: BSD-2-Clause */
/* What the visor intercepts at an entry, and the ways between rings that it takes part in to tell
 * user from kernel mode. */
#ifndef VISOR_SPLIT_H
#define VISOR_SPLIT_H

#include "emulator/visor/vcpu/vcpu.h"

/* Sets the VMCB's intercepts for the next entry. */
void split_intercept(struct vcpu *vcpu);
/* Exit. */
void split_exception(struct vcpu *vcpu, unsigned vector);

#define RPL_USER 3

/* Loads CS and SS with these selectors as SYSCALL and its kin do: flat, whatever the descriptors
 * say, for ring `cpl` (0 or RPL_USER). `wide`: 64-bit code. */
void split_load_rings(struct vcpu *vcpu, uint8_t cpl, unsigned code, unsigned stack, bool wide);

#endif
