/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SYSENTER and SYSEXIT in long mode. QEMU, which is an AMD processor by default, treats them as
 * undefined there; Intel's processors have them.
 */
#ifndef VISOR_SYSENTER_H
#define VISOR_SYSENTER_H

#include "emulator/visor/vcpu/vcpu.h"

/* True if the personality has them and QEMU does not: undefined instructions must exit. */
bool sysenter_offered(const struct vcpu *vcpu);
/* Emulates the undefined instruction at RIP, one of the two, or raises its exception. `wide`: its
 * operand size is 64 bits. */
void sysenter_emulate(struct vcpu *vcpu, struct insn insn, bool wide);

#endif
