/* SPDX-License-Identifier: BSD-2-Clause */
/* The guest's memory as the guest addresses it. */
#ifndef VISOR_GUEST_H
#define VISOR_GUEST_H

#include "visor/vcpu.h"

/* Copies up to `bytes` of code at the linear address of `rip`; gives how many were mapped. */
unsigned guest_fetch(const struct vcpu *vcpu, uint64_t rip, uint8_t *code, unsigned bytes);

#endif
