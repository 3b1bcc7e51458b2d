/* SPDX-License-Identifier: BSD-2-Clause */
/* Fields of CPUID's results, and changes to them. */
#ifndef VISOR_MODEL_CPUID_FIELD_H
#define VISOR_MODEL_CPUID_FIELD_H

#include <stdint.h>

#include "emulator/visor/model/base/personality.h"
#include "emulator/visor/model/base/registers.h"

enum { EAX, EBX, ECX, EDX };

#define CPUID_LEAF_PERFMON          0xa
#define CPUID_LEAF_CORE             0x1a
#define CPUID_LEAF_PT               0x14
#define CPUID_LEAF_CRYSTAL          0x15
#define CPUID_LEAF_LBR              0x1c
#define CPUID_LEAF_PERFMON_EXTENDED 0x23

/* A field of a leaf's result. */
struct cpuid_field {
	uint8_t reg, low, high;
};

static inline void cpuid_set(uint32_t regs[4], struct cpuid_field field, uint32_t value)
{
	uint32_t mask = (uint32_t)REG_BITS(field.low, field.high);

	regs[field.reg] = (regs[field.reg] & ~mask) | (value << field.low & mask);
}

/* Clears all bits of the machine's values except these. */
static inline void cpuid_keep(uint32_t regs[4], uint32_t eax, uint32_t ebx, uint32_t ecx,
			      uint32_t edx)
{
	regs[EAX] &= eax;
	regs[EBX] &= ebx;
	regs[ECX] &= ecx;
	regs[EDX] &= edx;
}

/* Four characters, the first in the lowest byte. */
uint32_t cpuid_characters(const char *text);
/* Puts the vendor's name into EBX, EDX and ECX. */
void cpuid_put_vendor(const struct personality *p, uint32_t regs[4]);

#endif
