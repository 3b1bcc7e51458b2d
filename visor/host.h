/* SPDX-License-Identifier: BSD-2-Clause */
/* The visor's own world: page tables, descriptor tables, and the nested page table that it gives
 * the guest. */
#ifndef VISOR_HOST_H
#define VISOR_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "visor/vcpu.h"

#define PAGE_SIZE       4096ull
#define LARGE_PAGE_SIZE (2ull << 20)
#define GIANT_PAGE_SIZE (1ull << 30)

/* NMIs that the host's handler took. */
extern volatile uint32_t host_nmis;

/* Stops the machine with one line if the processor is not one that the visor can run on. */
void host_check(void);
/* Builds the tables. `base` and `bytes` (multiples of 2 MiB) are the visor's memory, which the
 * guest then cannot touch. */
void host_build(uint64_t base, uint64_t bytes);
/* Switches to them, with the global interrupt flag off. */
void host_enter(void);
/*
 * Sets CR0 and CR4 to the guest's where the visor can live with them: QEMU then flushes its TLB
 * less often between the two.
 */
void host_follow(struct vcpu *vcpu);
/* The guest's physical address is that of its own memory: not the visor's, and no device that the
 * visor keeps for itself. */
bool host_is_guests(uint64_t physical);
/* The root of the guest's nested page table. */
uint64_t host_nested_root(void);

#endif
