/* SPDX-License-Identifier: BSD-2-Clause */
/* CPUID leaves with the processor's name and its clocks. */
#ifndef VISOR_MODEL_CLOCK_H
#define VISOR_MODEL_CLOCK_H

#include <stdint.h>

struct model;

/* As model_cpuid(), for the leaves 15H and 80000002H to 80000004H. */
void clock_cpuid(const struct model *model, uint32_t leaf, uint32_t regs[4]);

#endif
