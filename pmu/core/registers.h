/* SPDX-License-Identifier: BSD-2-Clause */
/* Register dumps of samples: which of Linux's numbers exist, and their values. */
#ifndef PMU_REGISTERS_H
#define PMU_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>
#include "arch/x86/cpu/frame.h"

/* Vector registers: only some PMUs record them. */
#define REGISTERS_EXTENDED 0xffffffff00000000ul

/* Whether sample_regs_user or sample_regs_intr names registers that a 64-bit program has, and at
 * least one. */
bool registers_valid(uint64_t mask);
/* Which word of a frame is each register; constant. */
extern const uint8_t register_places[];

/* Value of register `index` (PERF_REG_X86_*) in the frame. */
static inline uint64_t registers_value(const struct frame *frame, unsigned index)
{
	return ((const uint64_t *)frame)[register_places[index]];
}

#endif
