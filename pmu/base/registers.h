/* SPDX-License-Identifier: BSD-2-Clause */
/* Register dumps of samples: the supported register numbers of Linux, and the writer. */
#ifndef PMU_REGISTERS_H
#define PMU_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>
#include "arch/x86/cpu/frame.h"
#include "ringbuf/ring.h"

/* Mask of the vector registers, which only some PMUs record. */
#define REGISTERS_EXTENDED 0xffffffff00000000ul

/* True when sample_regs_user or sample_regs_intr has at least one register, and only registers of a
 * 64-bit program. */
bool registers_valid(uint64_t mask);

/* Writes the registers in the mask. `xmm`: the vector registers for its upper half, a bit for each
 * word; NULL: zeros. Context: any. */
void registers_write(struct ring_writer *w, const struct frame *frame, uint64_t mask,
		     const uint64_t *xmm);

#endif
