/* SPDX-License-Identifier: BSD-2-Clause */
/* Packages, cores and caches from CPUID. */
#include "arch/x86/cpu/topology.h"
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/percpu.h"

#define LEVEL_TYPE_SMT  1
#define LEVEL_TYPE_CORE 2
#define CACHES_INTEL    0x4
#define CACHES_AMD      0x8000001d
#define EXTENDED_LEAVES 0x80000000 /* EAX: the last */

/* Bits that number so many things. */
static uint32_t bits_for(uint32_t count)
{
	uint32_t bits = 0;

	while (count > 1u << bits)
		bits++;
	return bits;
}

/* Leaf 0BH: how far the APIC ID is shifted to number what lies above this level; -1: not told. */
static int told_shift(uint32_t type)
{
	for (uint32_t level = 0; cpuid_read(CPUID_MAX_LEAF) >= 0xb && level < 8; level++) {
		struct cpuid_regs r = cpuid(0xb, level);

		if (!(r.ecx >> 8 & 0xff))
			break;
		if ((r.ecx >> 8 & 0xff) == type)
			return (int)(r.eax & 0x1f);
	}
	return -1;
}

static uint32_t package_shift(void)
{
	int shift = told_shift(LEVEL_TYPE_CORE);

	if (shift >= 0)
		return (uint32_t)shift;
	return cpuid_has(CPUID_HTT) ? bits_for(cpuid_read(CPUID_LOGICAL_COUNT)) : 0;
}

static uint32_t core_shift(void)
{
	int shift = told_shift(LEVEL_TYPE_SMT);
	uint32_t cores = bits_for(cpuid_read(CPUID_CORES_LESS_1) + 1);

	if (shift >= 0)
		return (uint32_t)shift;
	/* Before leaf 0BH: what of the package's bits does not number cores numbers threads. */
	return package_shift() > cores ? package_shift() - cores : 0;
}

uint32_t topology_package(uint32_t apic_id)
{
	return apic_id >> package_shift();
}

uint32_t topology_core(uint32_t apic_id)
{
	return (apic_id & ((1u << package_shift()) - 1)) >> core_shift();
}

/* The processors whose APIC IDs agree above `shift` bits. */
static uint64_t sharing(unsigned cpu, uint32_t shift)
{
	uint64_t mask = 0;

	for (unsigned i = 0; i < nr_cpus; i++)
		if (cpus[i]->apic_id >> shift == cpus[cpu]->apic_id >> shift)
			mask |= 1ul << i;
	return mask;
}

uint64_t topology_mask(unsigned cpu, enum topology_level level)
{
	return sharing(cpu, level == TOPOLOGY_CORE ? core_shift() : package_shift());
}

unsigned topology_threads(unsigned cpu, enum topology_level level)
{
	unsigned count = 0;

	for (uint64_t mask = topology_mask(cpu, level); mask; mask &= mask - 1)
		count++;
	return count;
}

unsigned topology_cores(unsigned cpu)
{
	return topology_threads(cpu, TOPOLOGY_PACKAGE) / topology_threads(cpu, TOPOLOGY_CORE);
}

/* The leaf that tells of caches; 0: none does. AMD's may be there without the rest of TOPOEXT. */
static uint32_t caches_leaf(void)
{
	if (cpuid_has(CPUID_TOPOEXT))
		return CACHES_AMD;
	if (cpuid_read(CPUID_MAX_LEAF) >= CACHES_INTEL && cpuid(CACHES_INTEL, 0).eax & 0x1f)
		return CACHES_INTEL;
	return cpuid(EXTENDED_LEAVES, 0).eax >= CACHES_AMD ? CACHES_AMD : 0;
}

bool topology_cache(unsigned index, struct cache *cache)
{
	uint32_t leaf = caches_leaf();
	struct cpuid_regs r;

	if (!leaf)
		return false;
	r = cpuid(leaf, index);
	*cache = (struct cache){
	    .type = r.eax & 0x1f,
	    .level = r.eax >> 5 & 7,
	    .shift = bits_for((r.eax >> 14 & 0xfff) + 1),
	    .line = (r.ebx & 0xfff) + 1,
	    .partitions = (r.ebx >> 12 & 0x3ff) + 1,
	    .ways = (r.ebx >> 22) + 1,
	    .sets = r.ecx + 1,
	};
	return cache->type != CACHE_NONE && cache->type <= CACHE_UNIFIED;
}

uint64_t topology_cache_mask(unsigned cpu, const struct cache *cache)
{
	return sharing(cpu, cache->shift);
}
