/* SPDX-License-Identifier: BSD-2-Clause */
/* Processor Trace's registers and CPUID leaf. Source: Intel SDM vol. 3, "Intel Processor
 * Trace", "Configuration and Programming Guide"; vol. 2, CPUID leaf 14H. They exist with
 * FEATURE_PT. */
#ifndef VISOR_MODEL_PT_REGISTERS_H
#define VISOR_MODEL_PT_REGISTERS_H

#include "emulator/visor/model/base/registers.h"
#include "emulator/visor/model/base/types.h"

/* The registers REG_RTIT_*. */
uint64_t pt_read(const struct model *model, enum reg reg, unsigned index);
void pt_write(struct model *model, enum reg reg, unsigned index, uint64_t value);
/* Whether `value`, of whose bits none is reserved, may be written now; true for any other register.
 */
bool pt_accepts(const struct model *model, enum reg reg, uint64_t value);
/* Leaf 14H. */
void pt_cpuid(const struct model *model, uint32_t subleaf, uint32_t regs[4]);

#endif
