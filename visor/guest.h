/* SPDX-License-Identifier: BSD-2-Clause */
/* The guest's memory as the guest addresses it. */
#ifndef VISOR_GUEST_H
#define VISOR_GUEST_H

#include "visor/vcpu.h"

/* How the guest's code is to be decoded now. */
enum decode_mode guest_mode(const struct vcpu *vcpu);
/* Copies up to `bytes` of code at the linear address of `rip`; gives how many were mapped. */
unsigned guest_fetch(const struct vcpu *vcpu, uint64_t rip, uint8_t *code, unsigned bytes);

/*
 * The same for DECODE_MAX bytes at RIP, through a translation that is kept from one instruction of
 * a page to the next, as a TLB would.
 */
unsigned guest_fetch_next(struct vcpu *vcpu, uint8_t code[DECODE_MAX]);

#endif
