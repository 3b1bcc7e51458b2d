/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CPUID as the personality's processor answers it: what concerns identity and PMU comes from the
 * personality, the rest from the machine. Source: Intel SDM vol. 2, CPUID.
 */
#include "visor/model/cpuid_field.h"
#include "visor/model/model_state.h"
#include "visor/model/personality.h"
#include "visor/model/vendor.h"

/* Four characters, the first in the lowest byte. */
static uint32_t characters(const char *text)
{
	uint32_t value = 0;

	for (unsigned i = 0; i < 4; i++)
		value |= (uint32_t)(unsigned char)text[i] << (8 * i);
	return value;
}

static void vendor_leaf(const struct personality *p, uint32_t regs[4])
{
	uint32_t last = p->features & FEATURE_LBR_ARCH ? CPUID_LEAF_LBR : CPUID_LEAF_PERFMON;

	if (regs[EAX] < last)
		regs[EAX] = last;
	regs[EBX] = characters(p->vendor->name);
	regs[EDX] = characters(p->vendor->name + 4);
	regs[ECX] = characters(p->vendor->name + 8);
}

void model_cpuid(const struct model *model, uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
	const struct personality *p = model->personality;

	if (leaf == 0)
		vendor_leaf(p, regs);
	else
		p->vendor->cpuid(p, leaf, subleaf, regs);
}
