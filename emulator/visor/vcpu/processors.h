/* SPDX-License-Identifier: BSD-2-Clause */
/* All processors by number. */
#ifndef VISOR_PROCESSORS_H
#define VISOR_PROCESSORS_H

#include <stdbool.h>

#define MAX_PROCESSORS 16

struct vcpu;

/* Sets an entry of the array, before any of them runs. */
void processors_know(unsigned nr, unsigned index, struct vcpu *vcpu);
/* Returns processor `index` from 0, or NULL after the last. */
struct vcpu *visor_processor(unsigned index);
/* True if there are several. */
bool visor_has_several(void);

#endif
