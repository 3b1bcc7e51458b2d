/* SPDX-License-Identifier: BSD-2-Clause */
/* The intercepts of an entry, and the ring transitions that the visor handles to separate user from
 * kernel mode. */
#ifndef VISOR_SPLIT_H
#define VISOR_SPLIT_H

#include "emulator/visor/vcpu/vcpu.h"

/* Sets the VMCB's intercepts for the next entry. */
void split_intercept(struct vcpu *vcpu);
/* Exit. */
void split_exception(struct vcpu *vcpu, unsigned vector);

#define RPL_USER 3

/* Loads CS and SS with these selectors as SYSCALL and similar instructions do: flat, regardless of
 * the descriptors, for ring `cpl` (0 or RPL_USER). `wide`: 64-bit code. */
void split_load_rings(struct vcpu *vcpu, uint8_t cpl, unsigned code, unsigned stack, bool wide);

#endif
