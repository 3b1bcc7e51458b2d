/* SPDX-License-Identifier: BSD-2-Clause */
/* Accounting of the guest's instructions to its counters and its clock. */
#ifndef VISOR_COUNT_H
#define VISOR_COUNT_H

#include "emulator/visor/vcpu/vcpu.h"

/* Returns the guest's present ring. */
enum model_ring ring_now(const struct vcpu *vcpu);
/* Accounts for the last run's instructions, from the TSC, in the guest's clock and its counters. */
void count_run(struct vcpu *vcpu);
/* As count_run(), and counts a SYSCALL or SYSRET. */
void count_far_branch(struct vcpu *vcpu);
/* As count_run(), and counts an instruction that QEMU found undefined, which its -icount counts
 * nevertheless. `branches`: 1 for SYSENTER and SYSEXIT, else 0. */
void count_undefined(struct vcpu *vcpu, unsigned branches);
/* As count_run(), and counts the emulated instruction at RIP, `length` bytes without prefixes, and
 * advances RIP. */
void count_emulated(struct vcpu *vcpu, unsigned length);
/* Moves the guest's TSC, as IA32_TSC_ADJUST does. */
void count_adjust_clock(struct vcpu *vcpu, uint64_t by);
/* Sets the guest's TSC. */
void count_set_clock(struct vcpu *vcpu, uint64_t tsc);
/* Returns how many instructions the guest may run now; NEVER: no limit. */
uint64_t count_limit(const struct vcpu *vcpu);
/* The model's registers changed: decides whether and how to count. */
void count_choose(struct vcpu *vcpu);
/* Before an entry: decides whether to step the guest, and whether to separate its rings. */
void count_prepare(struct vcpu *vcpu);

#endif
