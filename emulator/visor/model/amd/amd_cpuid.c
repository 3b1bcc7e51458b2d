/* SPDX-License-Identifier: BSD-2-Clause */
/* CPUID of AMD's processors. Source: AMD APM vol. 3, appendix E. */
#include "emulator/visor/model/amd/amd.h"

#include "emulator/visor/model/amd/ibs_registers.h"
#include "emulator/visor/model/base/cpuid_field.h"
#include "emulator/visor/model/base/lbr/lbr.h"
#include "emulator/visor/model/base/personality.h"

#define LEAF_EXTENDED 0x80000000
#define LEAF_FEATURES 0x80000001
#define LEAF_POWER    0x80000007
#define LEAF_SIZES    0x80000008
#define LEAF_IBS      0x8000001b
#define LEAF_PERFMON  0x80000022

static const struct cpuid_field extended_apic = {ECX, 3, 3}; /* leaf 80000001H */
static const struct cpuid_field ibs = {ECX, 10, 10};
static const struct cpuid_field lwp = {ECX, 15, 15};
static const struct cpuid_field core_counters = {ECX, 23, 23};
static const struct cpuid_field bridge_counters = {ECX, 24, 24};
static const struct cpuid_field perf_tsc = {ECX, 27, 27};
static const struct cpuid_field cache_counters = {ECX, 28, 28};
static const struct cpuid_field monitorx = {ECX, 29, 29};
static const struct cpuid_field rapl = {EDX, 14, 14};     /* leaf 80000007H */
static const struct cpuid_field perfmon_v2 = {EAX, 0, 0}; /* leaf 80000022H */
static const struct cpuid_field lbr_v2 = {EAX, 1, 1};
static const struct cpuid_field lbr_depth = {EBX, 4, 9};
static const struct cpuid_field freeze = {EAX, 2, 2};
static const struct cpuid_field nr_core_counters = {EBX, 0, 3};

static void extended_leaf(const struct personality *p, uint32_t regs[4])
{
	regs[EAX] = p->version >= 2 ? LEAF_PERFMON : LEAF_IBS;
	cpuid_put_vendor(p, regs);
}

static void feature_leaf(const struct personality *p, uint32_t regs[4])
{
	regs[EAX] = p->signature;
	cpuid_set(regs, extended_apic, (p->features & FEATURE_IBS) != 0);
	cpuid_set(regs, ibs, (p->features & FEATURE_IBS) != 0);
	cpuid_set(regs, lwp, 0);
	cpuid_set(regs, core_counters, (p->features & FEATURE_CORE) != 0);
	cpuid_set(regs, bridge_counters, 0);
	cpuid_set(regs, perf_tsc, 0);
	cpuid_set(regs, cache_counters, 0);
	cpuid_set(regs, monitorx, 0);
}

static void perfmon_leaf(const struct personality *p, uint32_t regs[4])
{
	cpuid_keep(regs, 0, 0, 0, 0);
	if (p->version < 2)
		return;
	cpuid_set(regs, perfmon_v2, 1);
	cpuid_set(regs, freeze, 1);
	cpuid_set(regs, nr_core_counters, p->general);
	if (p->features & FEATURE_LBR_AMD) {
		cpuid_set(regs, lbr_v2, 1);
		cpuid_set(regs, lbr_depth, lbr_layout(p)->depth);
	}
}

void amd_cpuid(const struct personality *personality, uint32_t leaf, uint32_t regs[4])
{
	switch (leaf) {
	case LEAF_EXTENDED:
		extended_leaf(personality, regs);
		break;
	case LEAF_FEATURES:
		feature_leaf(personality, regs);
		break;
	case LEAF_POWER:
		cpuid_set(regs, rapl, (personality->features & FEATURE_RAPL) != 0);
		break;
	case LEAF_IBS:
		cpuid_keep(regs, 0, 0, 0, 0);
		regs[EAX] = ibs_capabilities(personality);
		break;
	case LEAF_PERFMON:
		perfmon_leaf(personality, regs);
		break;
	case 2: /* Intel's: caches, performance monitoring, clocks, trace, LBR */
	case 4:
	case 8:
	case 9:
	case CPUID_LEAF_PERFMON:
	case 0x14:
	case 0x15:
	case 0x16:
	case 0x1c:
	case 0x23:
		cpuid_keep(regs, 0, 0, 0, 0);
		break;
	default: /* caches, power and sizes are the machine's */
		if (leaf > LEAF_SIZES)
			cpuid_keep(regs, 0, 0, 0, 0);
	}
}
