/* SPDX-License-Identifier: BSD-2-Clause */
/* CPUID of Intel's processors. Source: Intel SDM vol. 2, CPUID. */
#include "emulator/visor/model/base/cpuid_field.h"
#include "emulator/visor/model/base/lbr/lbr.h"
#include "emulator/visor/model/base/personality.h"
#include "emulator/visor/model/intel/intel.h"

static const struct cpuid_field arch_version = {EAX, 0, 7};
static const struct cpuid_field arch_general = {EAX, 8, 15};
static const struct cpuid_field arch_general_width = {EAX, 16, 23};
static const struct cpuid_field arch_events = {EAX, 24, 31};
static const struct cpuid_field arch_missing = {EBX, 0, 31};
static const struct cpuid_field arch_fixed_bitmap = {ECX, 0, 31};
static const struct cpuid_field arch_fixed = {EDX, 0, 4};
static const struct cpuid_field arch_fixed_width = {EDX, 5, 12};
static const struct cpuid_field arch_anythread_deprecated = {EDX, 15, 15};

#define LEAF_LAST_EXTENDED 0x80000008

/* On a hybrid machine each processor reports only the common counters; the others exist
 * nevertheless. */
static void perfmon_leaf(const struct personality *personality, uint32_t regs[4])
{
	const struct personality *p = personality->efficient ? personality->efficient : personality;

	cpuid_keep(regs, 0, 0, 0, 0);
	cpuid_set(regs, arch_version, p->version);
	cpuid_set(regs, arch_general, p->general);
	cpuid_set(regs, arch_general_width, p->general_width);
	cpuid_set(regs, arch_events, p->arch_events);
	cpuid_set(regs, arch_missing, p->missing_events);
	cpuid_set(regs, arch_fixed, p->fixed);
	cpuid_set(regs, arch_fixed_width, p->fixed_width);
	if (p->version >= 5) {
		cpuid_set(regs, arch_fixed_bitmap, (1u << p->fixed) - 1);
		cpuid_set(regs, arch_anythread_deprecated, 1);
	}
}

/* Clears Intel's values of leaves that only AMD uses. */
static void extended_leaf(uint32_t leaf, uint32_t regs[4])
{
	switch (leaf) {
	case 0x80000000:
		cpuid_keep(regs, 0, 0, 0, 0);
		regs[EAX] = LEAF_LAST_EXTENDED;
		break;
	case 0x80000001: /* LAHF, LZCNT, PREFETCHW; SYSCALL, NX, 1 GiB pages, RDTSCP, long mode */
		cpuid_keep(regs, 0, 0, 0x121, 0x2c100800);
		break;
	case 0x80000002: /* the brand string: clock.c */
	case 0x80000003:
	case 0x80000004:
		break;
	case 0x80000006: /* the second-level cache */
		cpuid_keep(regs, 0, 0, ~0u, 0);
		break;
	case 0x80000007: /* invariant TSC */
		cpuid_keep(regs, 0, 0, 0, 0x100);
		break;
	case 0x80000008: /* address sizes; WBNOINVD */
		cpuid_keep(regs, 0xffff, 0x200, 0, 0);
		break;
	default:
		cpuid_keep(regs, 0, 0, 0, 0);
	}
}

void intel_cpuid_perfmon_extended(const struct personality *p, uint32_t subleaf, uint32_t regs[4])
{
	if (p->version < 6)
		return;
	switch (subleaf) {
	case 0:
		regs[EAX] = 1 << 0 | 1 << 1 | 1 << 3; /* the subleaves that there are */
		break;
	case 1:
		regs[EAX] = (1u << p->general) - 1;
		regs[EBX] = (1u << p->fixed) - 1;
		break;
	case 3:
		regs[EAX] = ((1u << p->arch_events) - 1) & ~p->missing_events;
		break;
	default:
		break;
	}
}

void intel_cpuid(const struct personality *personality, uint32_t leaf, uint32_t regs[4])
{
	switch (leaf) {
	case CPUID_LEAF_PERFMON:
		perfmon_leaf(personality, regs);
		break;
	case 8: /* between leaf 7 and 0AH, which a machine may not reach */
	case 9:
	case CPUID_LEAF_PT:               /* pt.c fills it */
	case CPUID_LEAF_PERFMON_EXTENDED: /* likewise, below */
		cpuid_keep(regs, 0, 0, 0, 0);
		break;
	case CPUID_LEAF_LBR:
		lbr_cpuid(personality, regs);
		break;
	case CPUID_LEAF_CORE:
		if (personality->features & (FEATURE_HYBRID | FEATURE_LBR_ARCH))
			cpuid_keep(regs, 0, 0, 0, 0);
		regs[EAX] |= personality->core_type;
		break;
	case 0xe: /* between leaf 0DH and leaf 1CH likewise */
	case 0xf:
	case 0x10 ... 0x13:
	case 0x15 ... 0x19:
	case 0x1b:
		if (personality->features & (FEATURE_LBR_ARCH | FEATURE_CRYSTAL))
			cpuid_keep(regs, 0, 0, 0, 0);
		break;
	default:
		if (leaf >= 0x80000000)
			extended_leaf(leaf, regs);
	}
}
