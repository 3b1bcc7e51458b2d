/* SPDX-License-Identifier: BSD-2-Clause */
/* Common to both entry points: sets the visor up on each processor, then starts the guest. */
#ifndef VISOR_MAIN_H
#define VISOR_MAIN_H

#include "emulator/visor/vcpu/vcpu.h"

/* The visor's memory: its image, followed by a struct processor for each processor. */
struct visor_memory {
	uint64_t base, bytes; /* multiples of 2 MiB */
	uint64_t processors;  /* where they begin */
	unsigned nr;
};

/* Returns the size for an image of `image_bytes` and `nr` processors. */
uint64_t visor_bytes(uint64_t image_bytes, unsigned nr);
/* Lays out that memory from `base` on, and clears its processors' part. */
struct visor_memory visor_lay_out(uint64_t base, uint64_t image_bytes, unsigned nr);
/* Returns the stack (its top) for visor_loop() on processor `index`. */
uint64_t visor_stack(const struct visor_memory *memory, unsigned index);

/*
 * Sets everything up except the guest's registers: from here on the visor runs on its own tables on
 * this processor, the first one. Call it once, at the image's final address. `rsdp` is the physical
 * address of ACPI's root, or 0.
 */
struct vcpu *visor_setup(const struct options *options, const struct visor_memory *memory,
			 uint64_t rsdp);
/* As visor_setup(), on each further processor, on its own stack. */
struct vcpu *visor_setup_other(unsigned index);

#endif
