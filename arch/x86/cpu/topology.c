/* SPDX-License-Identifier: BSD-2-Clause */
/* Packages, cores and caches from CPUID. */
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/msr.h"
#include "arch/x86/cpu/percpu.h"
#include "arch/x86/cpu/topology.h"

#define LEVEL_TYPE_SMT  1
#define LEVEL_TYPE_CORE 2
#define CACHES_INTEL    0x4
#define CACHES_AMD      0x8000001d
#define EXTENDED_LEAVES 0x80000000 /* EAX: the last */
#define OLD_CACHES_L1   0x80000005 /* AMD's before TOPOEXT */
#define OLD_CACHES_L2   0x80000006
#define NAME_AMD        0x68747541 /* leaf 0, EBX: "Auth", "Hygo" */
#define NAME_HYGON      0x6f677948

/* Returns the number of bits that number `count` things. */
static uint32_t bits_for(uint32_t count)
{
	uint32_t bits = 0;

	while (count > 1u << bits)
		bits++;
	return bits;
}

/* Returns the number of APIC ID bits below this level (leaf 0BH); -1: not reported. */
static int reported_shift(uint32_t type)
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
	int shift = reported_shift(LEVEL_TYPE_CORE);

	if (shift >= 0)
		return (uint32_t)shift;
	return cpuid_has(CPUID_HTT) ? bits_for(cpuid_read(CPUID_LOGICAL_COUNT)) : 0;
}

static uint32_t core_shift(void)
{
	int shift = reported_shift(LEVEL_TYPE_SMT);
	uint32_t cores = bits_for(cpuid_read(CPUID_CORES_LESS_1) + 1);

	if (shift >= 0)
		return (uint32_t)shift;
	/* Before leaf 0BH: the package's bits that do not number cores number threads. */
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

/* Returns the processors whose APIC IDs agree above `shift` bits. */
static struct cpu_mask sharing(unsigned cpu, uint32_t shift)
{
	struct cpu_mask mask = {0};

	for (unsigned i = 0; i < nr_cpus; i++)
		if (cpus[i]->apic_id >> shift == cpus[cpu]->apic_id >> shift)
			cpu_mask_add(&mask, i);
	return mask;
}

struct cpu_mask topology_mask(unsigned cpu, enum topology_level level)
{
	return sharing(cpu, level == TOPOLOGY_CORE ? core_shift() : package_shift());
}

unsigned topology_threads(unsigned cpu, enum topology_level level)
{
	struct cpu_mask threads = topology_mask(cpu, level);

	return cpu_mask_count(&threads);
}

unsigned topology_cores(unsigned cpu)
{
	return topology_threads(cpu, TOPOLOGY_PACKAGE) / topology_threads(cpu, TOPOLOGY_CORE);
}

/* Returns the leaf that describes caches; 0: none. AMD's may exist without the rest of TOPOEXT. */
static uint32_t caches_leaf(void)
{
	if (cpuid_has(CPUID_TOPOEXT))
		return CACHES_AMD;
	if (cpuid_read(CPUID_MAX_LEAF) >= CACHES_INTEL && cpuid(CACHES_INTEL, 0).eax & 0x1f)
		return CACHES_INTEL;
	if (cpuid(EXTENDED_LEAVES, 0).eax < CACHES_AMD || !(cpuid(CACHES_AMD, 0).eax & 0x1f))
		return 0;
	return CACHES_AMD;
}

/* Decodes AMD's associativity; 0: no such cache, or fully associative. */
static uint32_t ways_of(uint32_t code)
{
	static const uint8_t ways[] = {[1] = 1,   [2] = 2,   [4] = 4,   [6] = 8,   [8] = 16,
				       [10] = 32, [11] = 48, [12] = 64, [13] = 96, [14] = 128};

	return code < sizeof(ways) ? ways[code] : 0;
}

/* Decodes a level-one cache of leaf 80000005H. */
static struct cache old_first(uint32_t word, enum cache_type type)
{
	return (struct cache){.type = type,
			      .level = 1,
			      .line = word & 0xff,
			      .partitions = 1,
			      .ways = word >> 16 & 0xff,
			      .sets = word >> 24 << 10};
}

/* Decodes a larger cache of leaf 80000006H, of `kib` KiB. */
static struct cache old_larger(uint32_t word, uint32_t level, uint32_t kib)
{
	return (struct cache){.type = CACHE_UNIFIED,
			      .level = level,
			      .line = word & 0xff,
			      .partitions = 1,
			      .ways = ways_of(word >> 12 & 0xf),
			      .sets = kib << 10,
			      .shift = level == 3 ? package_shift() : core_shift()};
}

/* AMD's caches before leaf 8000001DH: APM volume 3, "Function 8000_0005h". Fully associative ones
 * are omitted. */
static bool old_cache(unsigned index, struct cache *cache)
{
	uint32_t name = cpuid(0, 0).ebx;

	if ((name != NAME_AMD && name != NAME_HYGON) ||
	    cpuid(EXTENDED_LEAVES, 0).eax < OLD_CACHES_L2)
		return false;
	if (index < 2) {
		struct cpuid_regs r = cpuid(OLD_CACHES_L1, 0);

		*cache = index ? old_first(r.edx, CACHE_INSTRUCTION) : old_first(r.ecx, CACHE_DATA);
	} else {
		struct cpuid_regs r = cpuid(OLD_CACHES_L2, 0);

		*cache = index == 2 ? old_larger(r.ecx, 2, r.ecx >> 16)
				    : old_larger(r.edx, 3, (r.edx >> 18) * 512);
	}
	if (index > 3 || !cache->line || !cache->ways)
		return false;
	cache->sets /= cache->line * cache->ways; /* it was all bytes */
	return cache->sets != 0;
}

bool topology_cache(unsigned index, struct cache *cache)
{
	uint32_t leaf = caches_leaf();
	struct cpuid_regs r;

	if (!leaf)
		return old_cache(index, cache);
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

struct cpu_mask topology_cache_mask(unsigned cpu, const struct cache *cache)
{
	return sharing(cpu, cache->shift);
}
