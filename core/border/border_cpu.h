/* SPDX-License-Identifier: BSD-2-Clause */
/* What plugins of version 1 are not told of a processor: its registers, and where pages lie. */
#ifndef CORE_BORDER_CPU_H
#define CORE_BORDER_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include "core/decode/touch.h"

/* Looks up what the following need; without it they return false. QEMU's version was tried. */
void border_cpu_setup(void);

/* The general registers, in a callback at the begin of the block at `start`, which QEMU keeps in
 * host registers later. Returns false when they are not found. */
bool border_registers(unsigned vcpu, uint64_t start, uint64_t out[TOUCH_REGISTERS]);

/* The physical address of a linear one by the guest's page tables, in a callback. Returns false
 * when there is none. */
bool border_physical(unsigned vcpu, uint64_t vaddr, uint64_t *physical);

#endif
