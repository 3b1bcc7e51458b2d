/* SPDX-License-Identifier: BSD-2-Clause */
/* What both doors do: set the visor up, then start the guest. */
#ifndef VISOR_MAIN_H
#define VISOR_MAIN_H

#include "visor/vcpu.h"

/*
 * Sets everything up but the guest's registers: from here on the visor runs in its own world.
 * `base` and `bytes`, multiples of 2 MiB, are its memory. Call it once, at the image's final place.
 */
struct vcpu *visor_setup(const struct options *options, uint64_t base, uint64_t bytes);
/* The stack (its top) on which visor_loop() may run. */
uint64_t visor_stack(void);

#endif
