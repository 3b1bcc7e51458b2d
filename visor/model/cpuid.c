/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CPUID as the personality's processor answers it: what concerns identity and PMU comes from the
 * personality, the rest from the machine. Source: Intel SDM vol. 2, CPUID.
 */
#include "visor/model/model_state.h"
#include "visor/model/personality.h"
#include "visor/model/registers.h"

enum { EAX, EBX, ECX, EDX };

/* A field of a leaf's answer. */
struct cpuid_field {
	uint8_t reg, low, high;
};

static const struct cpuid_field arch_version = {EAX, 0, 7};
static const struct cpuid_field arch_general = {EAX, 8, 15};
static const struct cpuid_field arch_general_width = {EAX, 16, 23};
static const struct cpuid_field arch_events = {EAX, 24, 31};
static const struct cpuid_field arch_missing = {EBX, 0, 31};
static const struct cpuid_field arch_fixed_bitmap = {ECX, 0, 31};
static const struct cpuid_field arch_fixed = {EDX, 0, 4};
static const struct cpuid_field arch_fixed_width = {EDX, 5, 12};
static const struct cpuid_field arch_anythread_deprecated = {EDX, 15, 15};

static const struct cpuid_field dtes64 = {ECX, 2, 2}; /* leaf 1 */
static const struct cpuid_field ds_cpl = {ECX, 4, 4};
static const struct cpuid_field vmx = {ECX, 5, 5};
static const struct cpuid_field pdcm = {ECX, 15, 15};
static const struct cpuid_field ds = {EDX, 21, 21};
static const struct cpuid_field hle = {EBX, 4, 4}; /* leaf 7 */
static const struct cpuid_field rtm = {EBX, 11, 11};
static const struct cpuid_field processor_trace = {EBX, 25, 25};
static const struct cpuid_field hybrid = {EDX, 15, 15};
static const struct cpuid_field arch_lbr = {EDX, 19, 19};

static void set(uint32_t regs[4], struct cpuid_field field, uint32_t value)
{
	uint32_t mask = (uint32_t)REG_BITS(field.low, field.high);

	regs[field.reg] = (regs[field.reg] & ~mask) | (value << field.low & mask);
}

static void keep(uint32_t regs[4], uint32_t eax, uint32_t ebx, uint32_t ecx, uint32_t edx)
{
	regs[EAX] &= eax;
	regs[EBX] &= ebx;
	regs[ECX] &= ecx;
	regs[EDX] &= edx;
}

#define LEAF_ARCH_PERFMON  0xa
#define LEAF_LAST_EXTENDED 0x80000008

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
	if (regs[EAX] < LEAF_ARCH_PERFMON)
		regs[EAX] = LEAF_ARCH_PERFMON;
	regs[EBX] = characters(p->vendor);
	regs[EDX] = characters(p->vendor + 4);
	regs[ECX] = characters(p->vendor + 8);
}

static void feature_leaf(const struct personality *p, uint32_t regs[4])
{
	regs[EAX] = p->signature;
	set(regs, dtes64, 0);
	set(regs, ds_cpl, 0);
	set(regs, vmx, 0);
	set(regs, pdcm, p->has_capabilities);
	set(regs, ds, 0);
}

static void structured_leaf(uint32_t regs[4])
{
	set(regs, hle, 0);
	set(regs, rtm, 0);
	set(regs, processor_trace, 0);
	set(regs, hybrid, 0);
	set(regs, arch_lbr, 0);
}

static void perfmon_leaf(const struct personality *p, uint32_t regs[4])
{
	keep(regs, 0, 0, 0, 0);
	set(regs, arch_version, p->version);
	set(regs, arch_general, p->general);
	set(regs, arch_general_width, p->general_width);
	set(regs, arch_events, p->arch_events);
	set(regs, arch_missing, p->missing_events);
	set(regs, arch_fixed, p->fixed);
	set(regs, arch_fixed_width, p->fixed_width);
	if (p->version >= 5) {
		set(regs, arch_fixed_bitmap, (1u << p->fixed) - 1);
		set(regs, arch_anythread_deprecated, 1);
	}
}

/* Intel's part of the leaves that AMD fills. */
static void extended_leaf(uint32_t leaf, uint32_t regs[4])
{
	switch (leaf) {
	case 0x80000000:
		keep(regs, 0, 0, 0, 0);
		regs[EAX] = LEAF_LAST_EXTENDED;
		break;
	case 0x80000001: /* LAHF, LZCNT, PREFETCHW; SYSCALL, NX, 1 GiB pages, RDTSCP, long mode */
		keep(regs, 0, 0, 0x121, 0x2c100800);
		break;
	case 0x80000002: /* the brand string is the machine's */
	case 0x80000003:
	case 0x80000004:
		break;
	case 0x80000006: /* the second-level cache */
		keep(regs, 0, 0, ~0u, 0);
		break;
	case 0x80000007: /* invariant TSC */
		keep(regs, 0, 0, 0, 0x100);
		break;
	case 0x80000008: /* address sizes; WBNOINVD */
		keep(regs, 0xffff, 0x200, 0, 0);
		break;
	default:
		keep(regs, 0, 0, 0, 0);
	}
}

void model_cpuid(const struct model *model, uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
	switch (leaf) {
	case 0:
		vendor_leaf(model->personality, regs);
		break;
	case 1:
		feature_leaf(model->personality, regs);
		break;
	case 7:
		if (subleaf == 0)
			structured_leaf(regs);
		break;
	case LEAF_ARCH_PERFMON:
		perfmon_leaf(model->personality, regs);
		break;
	case 8: /* between leaf 7 and 0AH, which a machine may not reach */
	case 9:
	case 0x14: /* processor trace */
	case 0x1c: /* architectural LBR */
	case 0x23: /* extended performance monitoring */
		keep(regs, 0, 0, 0, 0);
		break;
	default:
		if (leaf >= 0x80000000)
			extended_leaf(leaf, regs);
	}
}
