/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CPUID's leaves of caches and TLBs. Sources: Intel SDM vol. 2, CPUID, leaves 02H (table 3-12), 04H
 * and 80000006H; AMD APM vol. 3, E.4.4, E.4.5, E.4.15 (leaves 80000005H, 80000006H, 8000001DH).
 */
#include "emulator/visor/model/geometry.h"

#include "emulator/visor/model/base/cpuid_field.h"

enum { LINE = 64, FULLY = 0xff };

#define LEAF_DESCRIPTORS 0x2
#define LEAF_CACHES      0x4
#define LEAF_AMD_L1      0x80000005
#define LEAF_AMD_L2      0x80000006
#define LEAF_AMD_CACHES  0x8000001d

static const struct cpuid_field type = {EAX, 0, 4}, level = {EAX, 5, 7};
static const struct cpuid_field initialises = {EAX, 8, 8}, sharing = {EAX, 14, 25};
static const struct cpuid_field line = {EBX, 0, 11}, ways = {EBX, 22, 31};
static const struct cpuid_field sets = {ECX, 0, 31};
static const struct cpuid_field inclusive = {EDX, 1, 1};

/* Returns the number of processor IDs in the package, less one: a power of two less one. */
static uint32_t package_ids(uint32_t processors)
{
	uint32_t ids = 1;

	while (ids < processors)
		ids *= 2;
	return ids - 1;
}

/* Leaf 4, and AMD's, which has no number of the package's cores. */
static void caches_leaf(const struct core_geometry *g, bool amd, uint32_t subleaf, uint32_t regs[4])
{
	uint32_t cores = g->processors ? g->processors - 1 : 0;
	const struct core_cache *c;

	cpuid_keep(regs, 0, 0, 0, 0);
	if (subleaf >= CORE_CACHES || !g->caches[subleaf].type)
		return;
	c = &g->caches[subleaf];
	cpuid_set(regs, type, c->type);
	cpuid_set(regs, level, c->level);
	cpuid_set(regs, initialises, 1);
	cpuid_set(regs, sharing, c->shared ? package_ids(g->processors) : 0);
	regs[EAX] |= amd ? 0 : (cores & 0x3f) << 26; /* bits 26 to 31: of the package, less one */
	cpuid_set(regs, line, LINE - 1);
	cpuid_set(regs, ways, c->ways - 1);
	cpuid_set(regs, sets, c->bytes / LINE / c->ways - 1);
	cpuid_set(regs, inclusive, c->inclusive);
}

/* The descriptor bytes of leaf 2 for TLBs. */
static const struct {
	uint8_t byte, tlb;      /* enum core_tlb */
	uint16_t entries, ways; /* ways 0: any */
} descriptors[] = {
    {0x03, CORE_DTLB_4K, 64, 0},    {0xb3, CORE_DTLB_4K, 128, 0},  {0x57, CORE_DTLB_4K, 16, 0},
    {0x63, CORE_DTLB_2M, 32, 0},    {0x56, CORE_DTLB_2M, 16, 0},   {0x04, CORE_DTLB_2M, 8, 0},
    {0xb6, CORE_ITLB_4K, 128, 0},   {0xb2, CORE_ITLB_4K, 64, 0},   {0x76, CORE_ITLB_2M, 8, 8},
    {0xb1, CORE_ITLB_2M, 8, 4},     {0x55, CORE_ITLB_2M, 7, 7},    {0x02, CORE_ITLB_2M, 2, 0},
    {0xc3, CORE_DTLB2_4K, 1536, 0}, {0xca, CORE_DTLB2_4K, 512, 0}, {0xb4, CORE_DTLB2_4K, 256, 0},
    {0xc1, CORE_DTLB2_4K, 1024, 0},
};

static bool is_described(const struct core_geometry *g, unsigned i)
{
	uint32_t entries = g->tlbs[descriptors[i].tlb].entries;
	uint32_t ways = g->tlbs[descriptors[i].tlb].ways;

	return entries == descriptors[i].entries &&
	       (!descriptors[i].ways || ways == descriptors[i].ways);
}

/* Leaf 2: the TLBs with a descriptor byte, and FFH: leaf 4 has the caches. */
static void descriptors_leaf(const struct core_geometry *g, uint32_t regs[4])
{
	static const uint8_t order[] = {EAX, EBX, EDX, ECX};
	unsigned at = 2;

	cpuid_keep(regs, 0, 0, 0, 0);
	regs[EAX] = 0xff01; /* once is enough */
	for (unsigned i = 0; i < sizeof(descriptors) / sizeof(descriptors[0]); i++) {
		uint8_t byte = descriptors[i].byte;

		if (!is_described(g, i))
			continue;
		at += at % 4 == 3 && byte & 0x80; /* bit 31 would say that the register has none */
		if (at < 16)
			regs[order[at / 4]] |= (uint32_t)byte << at % 4 * 8;
		at++;
	}
}

/* Returns AMD's four bits of associativity. */
static uint32_t ways_code(uint32_t entries, uint32_t n)
{
	static const uint8_t codes[][2] = {{1, 1},   {2, 2},   {3, 3},   {4, 4},
					   {6, 5},   {8, 6},   {16, 8},  {32, 10},
					   {48, 11}, {64, 12}, {96, 13}, {128, 14}};

	if (!entries)
		return 0;
	if (n == entries)
		return 0xf;
	for (unsigned i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if (codes[i][0] == n)
			return codes[i][1];
	return 9; /* described elsewhere */
}

/* TLB fields of 80000005H: ways and entries, in eight bits each. AMD APM vol. 3, as for the three
 * below. */
static uint32_t l1_tlb(const struct core_geometry *g, enum core_tlb tlb)
{
	uint32_t entries = g->tlbs[tlb].entries, n = g->tlbs[tlb].ways;

	if (entries > 255)
		entries = 255;
	return (n == g->tlbs[tlb].entries ? FULLY : n) << 8 | entries;
}

/* TLB fields of 80000006H: a code for the ways, and entries in twelve bits. */
static uint32_t l2_tlb(const struct core_geometry *g, enum core_tlb tlb)
{
	uint32_t entries = g->tlbs[tlb].entries, n = g->tlbs[tlb].ways;

	return ways_code(entries, n) << 12 | (entries > 4095 ? 4095 : entries);
}

/* Cache fields of 80000005H: KiB, ways, lines of a tag, bytes of a line. */
static uint32_t l1_cache(const struct core_cache *c)
{
	return c->bytes / 1024 << 24 | (uint32_t)c->ways << 16 | 1 << 8 | LINE;
}

/* Cache fields of 80000006H: size in 1 KiB from bit 16 on for L2, in 512 KiB from bit 18 on for L3;
 * a code for the ways, lines of a tag, bytes of a line. */
static uint32_t outer_cache(const struct core_geometry *g, unsigned at_level)
{
	for (unsigned i = 0; i < CORE_CACHES; i++) {
		const struct core_cache *c = &g->caches[i];
		uint32_t size = at_level == 2 ? c->bytes / 1024 << 16 : c->bytes / 524288 << 18;

		if (c->type && c->level == at_level)
			return size | ways_code(c->bytes / LINE, c->ways) << 12 | 1 << 8 | LINE;
	}
	return 0;
}

static void amd_l1_leaf(const struct core_geometry *g, uint32_t regs[4])
{
	regs[EAX] = l1_tlb(g, CORE_DTLB_2M) << 16 | l1_tlb(g, CORE_ITLB_2M);
	regs[EBX] = l1_tlb(g, CORE_DTLB_4K) << 16 | l1_tlb(g, CORE_ITLB_4K);
	regs[ECX] = l1_cache(&g->caches[0]);
	regs[EDX] = l1_cache(&g->caches[1]);
}

static void amd_l2_leaf(const struct core_geometry *g, uint32_t regs[4])
{
	regs[EAX] = l2_tlb(g, CORE_DTLB2_2M) << 16 | l2_tlb(g, CORE_ITLB2_2M);
	regs[EBX] = l2_tlb(g, CORE_DTLB2_4K) << 16 | l2_tlb(g, CORE_ITLB2_4K);
	regs[ECX] = outer_cache(g, 2);
	regs[EDX] = outer_cache(g, 3);
}

void geometry_cpuid(const struct core_geometry *g, bool amd, uint32_t leaf, uint32_t subleaf,
		    uint32_t regs[4])
{
	if (leaf == LEAF_DESCRIPTORS && !amd)
		descriptors_leaf(g, regs);
	else if (leaf == LEAF_CACHES && !amd)
		caches_leaf(g, false, subleaf, regs);
	else if (leaf == LEAF_AMD_L1 && amd)
		amd_l1_leaf(g, regs);
	else if (leaf == LEAF_AMD_L2 && amd)
		amd_l2_leaf(g, regs);
	else if (leaf == LEAF_AMD_L2)
		regs[ECX] = outer_cache(g, 2);
	else if (leaf == LEAF_AMD_CACHES && amd)
		caches_leaf(g, true, subleaf, regs);
}
