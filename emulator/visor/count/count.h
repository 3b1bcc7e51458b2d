/* SPDX-License-Identifier: BSD-2-Clause */
/* Accounting: the guest's instructions, to its counters and to its clock. */
#ifndef VISOR_COUNT_H
#define VISOR_COUNT_H

#include "emulator/visor/vcpu/vcpu.h"

/* The ring the guest is in. */
enum model_ring ring_now(const struct vcpu *vcpu);
/* Takes the last run's instructions from the TSC into the guest's clock and its counters. */
void count_run(struct vcpu *vcpu);
/* The same for SYSCALL or SYSRET. */
void count_far_branch(struct vcpu *vcpu);
/* The same for one that QEMU has found undefined, which its -icount counts all the same. */
void count_undefined(struct vcpu *vcpu);
/* The same for the one at RIP, `length` bytes without prefixes, and goes on after it. */
void count_emulated(struct vcpu *vcpu, unsigned length);
/* Moves the guest's TSC, as IA32_TSC_ADJUST does. */
void count_adjust_clock(struct vcpu *vcpu, uint64_t by);
/* What the guest's TSC reads from now on. */
void count_set_clock(struct vcpu *vcpu, uint64_t tsc);
/* How many instructions the guest may run now; NEVER: no limit. */
uint64_t count_limit(const struct vcpu *vcpu);
/* After the model's registers have changed: whether anything counts, and how. */
void count_choose(struct vcpu *vcpu);
/* Before an entry: whether the guest is stepped, and whether its rings are told apart. */
void count_prepare(struct vcpu *vcpu);

#endif
