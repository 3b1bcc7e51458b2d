/* SPDX-License-Identifier: BSD-2-Clause */
/* CPUID as the personality answers it. */
#ifndef VISOR_MODEL_CPUID_H
#define VISOR_MODEL_CPUID_H

#include <stdint.h>

struct model;

/*
 * Converts the machine's CPUID result for (leaf, subleaf) to the personality's: regs are EAX, EBX,
 * ECX, EDX. Leaves 40000000H to 4FFFFFFFH and leaf 1's ECX[31] (hypervisor) do not change.
 */
void model_cpuid(const struct model *model, uint32_t leaf, uint32_t subleaf, uint32_t regs[4]);

#endif
