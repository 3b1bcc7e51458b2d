/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SYSENTER and SYSEXIT in long mode. QEMU, which is an AMD processor unless told otherwise, finds
 * them undefined there; Intel's have them.
 */
#ifndef VISOR_SYSENTER_H
#define VISOR_SYSENTER_H

#include "emulator/visor/vcpu/vcpu.h"

/* The personality has them where QEMU has not: undefined instructions must exit. */
bool sysenter_offered(const struct vcpu *vcpu);
/* At the exit of an undefined instruction, which is one of them, at RIP: does what it does, or
 * raises what it raises. `wide`: its operand size is 64 bits. */
void sysenter_emulate(struct vcpu *vcpu, struct insn insn, bool wide);

#endif
