/* SPDX-License-Identifier: BSD-2-Clause */
/* The option `exact`: what each stepped instruction was. */
#ifndef VISOR_EXACT_H
#define VISOR_EXACT_H

#include "visor/vcpu.h"

/* Before a step: looks at the instruction that will run. */
void exact_decode(struct vcpu *vcpu);
/* After it: fills in branches and mispredictions, and takes back what did not retire. */
void exact_classify(struct vcpu *vcpu, struct model_work *work);

#endif
