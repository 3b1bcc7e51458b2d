/* SPDX-License-Identifier: BSD-2-Clause */
/* All processors, by their number: how one finds the others. */
#ifndef VISOR_PROCESSORS_H
#define VISOR_PROCESSORS_H

#include <stdbool.h>

#define MAX_PROCESSORS 16

struct vcpu;

/* Fills the array, before any of them runs. */
void processors_know(unsigned nr, unsigned index, struct vcpu *vcpu);
/* Processor `index` from 0, or NULL after the last. */
struct vcpu *visor_processor(unsigned index);
/* Whether there are others. */
bool visor_has_several(void);

#endif
