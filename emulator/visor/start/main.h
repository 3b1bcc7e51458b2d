/* SPDX-License-Identifier: BSD-2-Clause */
/* What both doors do: set the visor up on each processor, then start the guest. */
#ifndef VISOR_MAIN_H
#define VISOR_MAIN_H

#include "emulator/visor/vcpu/vcpu.h"

/* The visor's memory: its image, and after that a struct processor for each one. */
struct visor_memory {
	uint64_t base, bytes; /* multiples of 2 MiB */
	uint64_t processors;  /* where they begin */
	unsigned nr;
};

/* How much an image of `image_bytes` and `nr` processors need. */
uint64_t visor_bytes(uint64_t image_bytes, unsigned nr);
/* The same memory, laid out from `base` on; its processors' part is cleared. */
struct visor_memory visor_lay_out(uint64_t base, uint64_t image_bytes, unsigned nr);
/* The stack (its top) on which visor_loop() may run on processor `index`. */
uint64_t visor_stack(const struct visor_memory *memory, unsigned index);

/*
 * Sets everything up but the guest's registers: from here on the visor runs in its own world on
 * this processor, the first one. Call it once, at the image's final place. `rsdp` is the physical
 * address of ACPI's root, or 0.
 */
struct vcpu *visor_setup(const struct options *options, const struct visor_memory *memory,
			 uint64_t rsdp);
/* The same on each further processor, on its own stack. */
struct vcpu *visor_setup_other(unsigned index);

#endif
