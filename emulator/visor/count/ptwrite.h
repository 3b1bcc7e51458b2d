/* SPDX-License-Identifier: BSD-2-Clause */
/* PTWRITE, which is undefined in QEMU. */
#ifndef VISOR_COUNT_PTWRITE_H
#define VISOR_COUNT_PTWRITE_H

#include "emulator/visor/vcpu/vcpu.h"

/* Emulates the undefined instruction at RIP, or raises its exception. False: it is no PTWRITE, or
 * the personality has none. */
bool ptwrite_emulate(struct vcpu *vcpu, const uint8_t *code, unsigned bytes);

#endif
