/* SPDX-License-Identifier: BSD-2-Clause */
/* Single steps: what each stepped instruction was, for the option `exact` and for branch records;
 * and how they end where the stopwatch cannot stop them. */
#ifndef VISOR_EXACT_H
#define VISOR_EXACT_H

#include "emulator/visor/vcpu/vcpu.h"

/* Before an entry: looks at the instruction that will be stepped, if it is, and chooses how. */
void exact_prepare(struct vcpu *vcpu);
/* After it: takes the trap flag back. */
void exact_finish(struct vcpu *vcpu);
/* At a #DB: whether the visor's trap flag made it, and nothing of the guest's. */
bool exact_took_trap(struct vcpu *vcpu);
/* Whether a precise step ended after its instruction. */
bool exact_stepped(const struct vcpu *vcpu);
/* Fills in branches and mispredictions of the step, and records them; where counting is exact,
 * takes back what did not retire. */
void exact_classify(struct vcpu *vcpu, struct model_work *work);

#endif
