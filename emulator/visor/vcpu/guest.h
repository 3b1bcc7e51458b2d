/* SPDX-License-Identifier: BSD-2-Clause */
/* The guest's memory at the guest's addresses. */
#ifndef VISOR_GUEST_H
#define VISOR_GUEST_H

#include "emulator/visor/vcpu/vcpu.h"

/* Returns the present mode of the guest's code. */
enum decode_mode guest_mode(const struct vcpu *vcpu);
/* Returns the linear address of the top of the stack. */
uint64_t guest_stack(const struct vcpu *vcpu);
/* Copies up to `bytes` of code at the linear address of `rip`; returns how many are mapped. */
unsigned guest_fetch(const struct vcpu *vcpu, uint64_t rip, uint8_t *code, unsigned bytes);
/* Returns how many of the `bytes` of an instruction are prefixes. */
unsigned guest_prefixes(const uint8_t *code, unsigned bytes, enum decode_mode mode);

/* Returns the address of the interrupt or exception handler (in the 64-bit IDT) whose first
 * instruction ends at `rip`; 0: none. */
uint64_t guest_handler_before(const struct vcpu *vcpu, uint64_t rip);

/* Returns the guest's memory at a physical address, to the end of its page; NULL: none that it may
 * have. */
uint8_t *guest_physical(uint64_t physical);
/*
 * Copies from or to the guest's memory at a linear address as its kernel would. False: some page is
 * not mapped, not writable or not the guest's own memory; the data before it was copied. Accessed
 * and dirty bits do not change.
 */
bool guest_read(const struct vcpu *vcpu, uint64_t address, void *data, unsigned bytes);
bool guest_write(const struct vcpu *vcpu, uint64_t address, const void *data, unsigned bytes);
/* Copies as many of the bytes as the present ring may read; returns how many. */
unsigned guest_load(const struct vcpu *vcpu, uint64_t address, void *data, unsigned bytes);
/* True if the address has a page, in any ring and with any rights. */
bool guest_is_mapped(const struct vcpu *vcpu, uint64_t address);

/*
 * As guest_fetch(), for DECODE_MAX bytes at RIP, through a translation that is cached between
 * instructions of a page, like a TLB.
 */
unsigned guest_fetch_next(struct vcpu *vcpu, uint8_t code[DECODE_MAX]);

#endif
