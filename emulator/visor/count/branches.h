/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Branches for the last branch records. They are seen only where the guest is stepped: near the
 * next overflow, so that a PMI finds the branches before it, and throughout with `exact`.
 */
#ifndef VISOR_BRANCHES_H
#define VISOR_BRANCHES_H

#include "emulator/visor/vcpu/vcpu.h"

/* After the model's registers have changed: whether it records branches. */
void branches_choose(struct vcpu *vcpu);
/* Before an entry: whether the guest is to be stepped for its branches. */
bool branches_near(struct vcpu *vcpu);
/* Whether it is not, but must come back when it leaves the kernel. */
bool branches_behind_kernel(const struct vcpu *vcpu);
/* Before an entry that is not stepped: how many of `limit` instructions may run before it is. */
uint64_t branches_limit(const struct vcpu *vcpu, uint64_t limit);

/* A stepped instruction is done, or an event delivered. */
void branches_step(struct vcpu *vcpu, bool retired, bool mispredicted);
/* A way between rings that the visor took in the guest's place. */
void branches_emulated(struct vcpu *vcpu, enum insn_kind kind, uint64_t from);
/* A PMI is due: learns how far before the next one stepping must begin. */
void branches_pmi(struct vcpu *vcpu);

#endif
