/* SPDX-License-Identifier: BSD-2-Clause */
/* CPUID's fields as data: Intel SDM volume 2 "CPUID", AMD APM volume 3 appendix E. */
#ifndef ARCH_X86_CPUID_H
#define ARCH_X86_CPUID_H

#include <stdbool.h>
#include <stdint.h>
#include "abi/visor_cpuid.h"
#include "arch/x86/cpu/cpu.h"

enum cpuid_register { CPUID_EAX, CPUID_EBX, CPUID_ECX, CPUID_EDX };

/* Bits low..high of one register of one leaf. */
struct cpuid_field {
	uint32_t leaf, subleaf;
	enum cpuid_register reg;
	uint8_t low, high;
};

#define CPUID_FIELD(leaf, subleaf, reg, low, high) \
	((struct cpuid_field){(leaf), (subleaf), CPUID_##reg, (low), (high)})

#define CPUID_MAX_LEAF                 CPUID_FIELD(0x0, 0, EAX, 0, 31)
#define CPUID_STEPPING                 CPUID_FIELD(0x1, 0, EAX, 0, 3)
#define CPUID_MODEL                    CPUID_FIELD(0x1, 0, EAX, 4, 7)
#define CPUID_FAMILY                   CPUID_FIELD(0x1, 0, EAX, 8, 11)
#define CPUID_EXT_MODEL                CPUID_FIELD(0x1, 0, EAX, 16, 19)
#define CPUID_EXT_FAMILY               CPUID_FIELD(0x1, 0, EAX, 20, 27)
#define CPUID_CLFLUSH                  CPUID_FIELD(0x1, 0, EBX, 8, 15)
#define CPUID_LOGICAL_COUNT            CPUID_FIELD(0x1, 0, EBX, 16, 23)
#define CPUID_MONITOR                  CPUID_FIELD(0x1, 0, ECX, 3, 3)
#define CPUID_PDCM                     CPUID_FIELD(0x1, 0, ECX, 15, 15)
#define CPUID_X2APIC                   CPUID_FIELD(0x1, 0, ECX, 21, 21)
#define CPUID_TSC_DEADLINE             CPUID_FIELD(0x1, 0, ECX, 24, 24)
#define CPUID_XSAVE                    CPUID_FIELD(0x1, 0, ECX, 26, 26)
#define CPUID_RDRAND                   CPUID_FIELD(0x1, 0, ECX, 30, 30)
#define CPUID_HYPERVISOR               CPUID_FIELD(0x1, 0, ECX, 31, 31)
#define CPUID_PAT                      CPUID_FIELD(0x1, 0, EDX, 16, 16)
#define CPUID_DTES64                   CPUID_FIELD(0x1, 0, ECX, 2, 2)
#define CPUID_DS                       CPUID_FIELD(0x1, 0, EDX, 21, 21)
#define CPUID_HTT                      CPUID_FIELD(0x1, 0, EDX, 28, 28)
#define CPUID_CORES_LESS_1             CPUID_FIELD(0x4, 0, EAX, 26, 31)
#define CPUID_DTHERM                   CPUID_FIELD(0x6, 0, EAX, 0, 0)
#define CPUID_APERFMPERF               CPUID_FIELD(0x6, 0, ECX, 0, 0)
#define CPUID_SMEP                     CPUID_FIELD(0x7, 0, EBX, 7, 7)
#define CPUID_RTM                      CPUID_FIELD(0x7, 0, EBX, 11, 11)
#define CPUID_SMAP                     CPUID_FIELD(0x7, 0, EBX, 20, 20)
#define CPUID_PROCESSOR_TRACE          CPUID_FIELD(0x7, 0, EBX, 25, 25)
#define CPUID_UMIP                     CPUID_FIELD(0x7, 0, ECX, 2, 2)
#define CPUID_HYBRID                   CPUID_FIELD(0x7, 0, EDX, 15, 15)
#define CPUID_ARCH_LBR                 CPUID_FIELD(0x7, 0, EDX, 19, 19)
#define CPUID_PMU_VERSION              CPUID_FIELD(0xa, 0, EAX, 0, 7)
#define CPUID_PMU_GP_COUNTERS          CPUID_FIELD(0xa, 0, EAX, 8, 15)
#define CPUID_PMU_GP_WIDTH             CPUID_FIELD(0xa, 0, EAX, 16, 23)
#define CPUID_PMU_EVENTS_LENGTH        CPUID_FIELD(0xa, 0, EAX, 24, 31)
#define CPUID_PMU_EVENTS_ABSENT        CPUID_FIELD(0xa, 0, EBX, 0, 31)
#define CPUID_PMU_FIXED_BITMAP         CPUID_FIELD(0xa, 0, ECX, 0, 31)
#define CPUID_PMU_FIXED_COUNT          CPUID_FIELD(0xa, 0, EDX, 0, 4)
#define CPUID_PMU_FIXED_WIDTH          CPUID_FIELD(0xa, 0, EDX, 5, 12)
#define CPUID_PMU_ANYTHREAD_DEPRECATED CPUID_FIELD(0xa, 0, EDX, 15, 15)
#define CPUID_XCR0_LOW                 CPUID_FIELD(0xd, 0, EAX, 0, 31)
#define CPUID_XSAVE_SIZE               CPUID_FIELD(0xd, 0, EBX, 0, 31)
#define CPUID_XSAVEOPT                 CPUID_FIELD(0xd, 1, EAX, 0, 0)
#define CPUID_XGETBV_IN_USE            CPUID_FIELD(0xd, 1, EAX, 2, 2)
#define CPUID_TSC_DENOMINATOR          CPUID_FIELD(0x15, 0, EAX, 0, 31)
#define CPUID_TSC_NUMERATOR            CPUID_FIELD(0x15, 0, EBX, 0, 31)
#define CPUID_CRYSTAL_HZ               CPUID_FIELD(0x15, 0, ECX, 0, 31)
#define CPUID_BASE_MHZ                 CPUID_FIELD(0x16, 0, EAX, 0, 15)
#define CPUID_PMU_EXTENDED             CPUID_FIELD(0x7, 1, EAX, 8, 8) /* leaf 23H */
#define CPUID_PMU_HAS_COUNTERS         CPUID_FIELD(0x23, 0, EAX, 1, 1)
#define CPUID_PMU_UMASK2               CPUID_FIELD(0x23, 0, EBX, 0, 0)
#define CPUID_PMU_EQUAL                CPUID_FIELD(0x23, 0, EBX, 1, 1)
#define CPUID_PMU_GP_BITMAP            CPUID_FIELD(0x23, 1, EAX, 0, 31)
#define CPUID_PMU_FIXED_ALL            CPUID_FIELD(0x23, 1, EBX, 0, 31)
#define CPUID_CORE_TYPE                CPUID_FIELD(0x1a, 0, EAX, 24, 31)
#define CPUID_CORE_NATIVE              CPUID_FIELD(0x1a, 0, EAX, 0, 23)
#define CORE_TYPE_ATOM                 0x20
#define CPUID_LBR_DEPTHS               CPUID_FIELD(0x1c, 0, EAX, 0, 7)
#define CPUID_LBR_FILTERS              CPUID_FIELD(0x1c, 0, EBX, 0, 2)
#define LBR_FILTERS_ALL                7 /* by ring, by kind, stacks of calls */
#define CPUID_HV_MAX_LEAF              CPUID_FIELD(VISOR_LEAF, 0, EAX, 0, 31)
#define CPUID_VISOR_EXACT              CPUID_FIELD(VISOR_LEAF_FLAGS, 0, EAX, 1, 1)
#define HYPERVISOR_CLOCK_LEAF          0x40000010
#define CPUID_HV_TSC_KHZ               CPUID_FIELD(0x40000010, 0, EAX, 0, 31)
#define CPUID_HV_APIC_KHZ              CPUID_FIELD(0x40000010, 0, EBX, 0, 31)
#define CPUID_SVM                      CPUID_FIELD(0x80000001, 0, ECX, 2, 2)
#define CPUID_IBS                      CPUID_FIELD(0x80000001, 0, ECX, 10, 10)
#define CPUID_TOPOEXT                  CPUID_FIELD(0x80000001, 0, ECX, 22, 22)
#define CPUID_PERFCTR_CORE             CPUID_FIELD(0x80000001, 0, ECX, 23, 23)
#define CPUID_NX                       CPUID_FIELD(0x80000001, 0, EDX, 20, 20)
#define CPUID_PAGE_1GB                 CPUID_FIELD(0x80000001, 0, EDX, 26, 26)
#define CPUID_AMD_PTSC                 CPUID_FIELD(0x80000001, 0, ECX, 27, 27)
#define CPUID_AMD_RAPL                 CPUID_FIELD(0x80000007, 0, EDX, 14, 14)
#define CPUID_AMD_IRPERF               CPUID_FIELD(0x80000008, 0, EBX, 1, 1)
#define CPUID_INVARIANT_TSC            CPUID_FIELD(0x80000007, 0, EDX, 8, 8)
#define CPUID_PHYS_BITS                CPUID_FIELD(0x80000008, 0, EAX, 0, 7)
#define CPUID_VIRTUAL_BITS             CPUID_FIELD(0x80000008, 0, EAX, 8, 15)
#define CPUID_IBS_CAPS                 CPUID_FIELD(0x8000001b, 0, EAX, 0, 31)
#define CPUID_PERFMON_V2               CPUID_FIELD(0x80000022, 0, EAX, 0, 0)
#define CPUID_AMD_LBR_V2               CPUID_FIELD(0x80000022, 0, EAX, 1, 1)
#define CPUID_AMD_LBR_DEPTH            CPUID_FIELD(0x80000022, 0, EBX, 4, 9)
#define CPUID_PERFMON_V2_CORE          CPUID_FIELD(0x80000022, 0, EBX, 0, 3)

/*
 * Returns the field's value; 0 if the processor has no such leaf (above the highest leaf CPUID
 * returns another leaf's data). Each call executes CPUID twice: store the result. Context: any, but
 * slow.
 */
static inline uint32_t cpuid_read(struct cpuid_field f)
{
	uint32_t range = f.leaf & 0xc0000000;
	uint32_t max = cpuid(range, 0).eax;
	struct cpuid_regs r;
	uint32_t value;

	if (f.leaf > max || max > range + 0xffff)
		return 0;
	r = cpuid(f.leaf, f.subleaf);
	value = f.reg == CPUID_EAX   ? r.eax
		: f.reg == CPUID_EBX ? r.ebx
		: f.reg == CPUID_ECX ? r.ecx
				     : r.edx;
	return (uint32_t)((value >> f.low) & ((2ul << (f.high - f.low)) - 1));
}

/* Predicate for one-bit fields. */
static inline bool cpuid_has(struct cpuid_field f)
{
	return cpuid_read(f) != 0;
}

/* True under a hypervisor whose leaf range includes `leaf`. */
static inline bool cpuid_hypervisor_leaf(uint32_t leaf)
{
	return cpuid_has(CPUID_HYPERVISOR) && cpuid_read(CPUID_HV_MAX_LEAF) >= leaf;
}

/* True under barepmu's own visor (docs/protocols.md: Who emulates). */
static inline bool cpuid_is_visor(void)
{
	struct cpuid_regs r = cpuid(VISOR_LEAF, 0);

	return cpuid_hypervisor_leaf(VISOR_LEAF_FLAGS) && r.ebx == VISOR_SIGNATURE_EBX &&
	       r.ecx == VISOR_SIGNATURE_ECX && r.edx == VISOR_SIGNATURE_EDX;
}

/* Family and model as vendors print them (with the extended fields). */
static inline uint32_t cpuid_family(void)
{
	uint32_t family = cpuid_read(CPUID_FAMILY);

	return family == 15 ? family + cpuid_read(CPUID_EXT_FAMILY) : family;
}

static inline uint32_t cpuid_model(void)
{
	uint32_t model = cpuid_read(CPUID_MODEL), family = cpuid_read(CPUID_FAMILY);

	return family == 6 || family == 15 ? model | cpuid_read(CPUID_EXT_MODEL) << 4 : model;
}

#endif
