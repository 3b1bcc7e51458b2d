/* SPDX-License-Identifier: BSD-2-Clause */
/* Single steps: decodes each stepped instruction, for the option `exact` and for branch records;
 * and ends steps that the stopwatch cannot stop. */
#ifndef VISOR_EXACT_H
#define VISOR_EXACT_H

#include "emulator/visor/vcpu/vcpu.h"

/* Before an entry: decodes the instruction that will be stepped, if any, and chooses the method. */
void exact_prepare(struct vcpu *vcpu);
/* After it: removes the trap flag. */
void exact_finish(struct vcpu *vcpu);
/* At a #DB: returns whether it was caused by the visor's trap flag alone. */
bool exact_took_trap(struct vcpu *vcpu);
/* True if a precise step ended after its instruction. */
bool exact_stepped(const struct vcpu *vcpu);
/* Fills in branches and mispredictions of the step, and records them; if counting is exact,
 * subtracts instructions that did not retire. */
void exact_classify(struct vcpu *vcpu, struct model_work *work);

#endif
