/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Branches for the last branch records. They are observed only while the guest is stepped: near the
 * next overflow, so that a PMI finds the branches before it, and always with `exact`.
 */
#ifndef VISOR_BRANCHES_H
#define VISOR_BRANCHES_H

#include "emulator/visor/vcpu/vcpu.h"

/* The model's registers changed: decides whether it records branches. */
void branches_choose(struct vcpu *vcpu);
/* Before an entry: returns whether to step the guest for its branches. */
bool branches_near(struct vcpu *vcpu);
/* True if it need not be stepped now, but must exit when it leaves the kernel. */
bool branches_behind_kernel(const struct vcpu *vcpu);
/* Before an entry that is not stepped: returns how many of `limit` instructions may run before
 * stepping starts. */
uint64_t branches_limit(const struct vcpu *vcpu, uint64_t limit);

/* A stepped instruction completed, or an event was delivered. */
void branches_step(struct vcpu *vcpu, bool retired, bool mispredicted);
/* Records a ring transition that the visor emulated. */
void branches_emulated(struct vcpu *vcpu, enum insn_kind kind, uint64_t from);
/* A PMI is due: adjusts how far before the next one stepping starts. */
void branches_pmi(struct vcpu *vcpu);

#endif
