/* SPDX-License-Identifier: BSD-2-Clause */
/* Text in registers of CPUID. */
#include "emulator/visor/model/base/cpuid_field.h"

#include "emulator/visor/model/base/personality.h"
#include "emulator/visor/model/base/vendor.h"

uint32_t cpuid_characters(const char *text)
{
	uint32_t value = 0;

	for (unsigned i = 0; i < 4; i++)
		value |= (uint32_t)(unsigned char)text[i] << (8 * i);
	return value;
}

void cpuid_put_vendor(const struct personality *p, uint32_t regs[4])
{
	regs[EBX] = cpuid_characters(p->vendor->name);
	regs[EDX] = cpuid_characters(p->vendor->name + 4);
	regs[ECX] = cpuid_characters(p->vendor->name + 8);
}
