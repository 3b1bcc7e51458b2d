/* SPDX-License-Identifier: BSD-2-Clause */
/* The guest's memory as the guest addresses it. */
#ifndef VISOR_GUEST_H
#define VISOR_GUEST_H

#include "emulator/visor/vcpu/vcpu.h"

/* How the guest's code is to be decoded now. */
enum decode_mode guest_mode(const struct vcpu *vcpu);
/* The linear address of what was pushed last. */
uint64_t guest_stack(const struct vcpu *vcpu);
/* Copies up to `bytes` of code at the linear address of `rip`; gives how many were mapped. */
unsigned guest_fetch(const struct vcpu *vcpu, uint64_t rip, uint8_t *code, unsigned bytes);
/* How many of the `bytes` of an instruction are prefixes. */
unsigned guest_prefixes(const uint8_t *code, unsigned bytes, enum decode_mode mode);

/* The address of the interrupt or exception handler (of the 64-bit IDT) whose first instruction
 * ends at `rip`; 0: none. */
uint64_t guest_handler_before(const struct vcpu *vcpu, uint64_t rip);

/*
 * Copies from or to the guest's memory at a linear address as its kernel would. False: some page is
 * not mapped, not writable or not the guest's own memory; what lies before it was copied. Marks in
 * page tables stay as they are.
 */
bool guest_read(const struct vcpu *vcpu, uint64_t address, void *data, unsigned bytes);
bool guest_write(const struct vcpu *vcpu, uint64_t address, const void *data, unsigned bytes);

/*
 * The same for DECODE_MAX bytes at RIP, through a translation that is kept from one instruction of
 * a page to the next, as a TLB would.
 */
unsigned guest_fetch_next(struct vcpu *vcpu, uint8_t code[DECODE_MAX]);

#endif
