/* SPDX-License-Identifier: BSD-2-Clause */
/* Register dumps of samples: which of Linux's numbers exist, and how they are written. */
#ifndef PMU_REGISTERS_H
#define PMU_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>
#include "arch/x86/cpu/frame.h"
#include "ringbuf/ring.h"

/* Vector registers: only some PMUs record them. */
#define REGISTERS_EXTENDED 0xffffffff00000000ul

/* Whether sample_regs_user or sample_regs_intr names registers that a 64-bit program has, and at
 * least one. */
bool registers_valid(uint64_t mask);

/* Writes the registers in the mask. `xmm`: the vector registers for its upper half, a bit for each
 * word; NULL: zeros. Context: any. */
void registers_write(struct ring_writer *w, const struct frame *frame, uint64_t mask,
		     const uint64_t *xmm);

#endif
