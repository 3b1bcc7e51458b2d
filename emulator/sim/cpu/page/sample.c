/* SPDX-License-Identifier: BSD-2-Clause */
/* Records accesses until a watch runs out, or of one instruction. */
#include "emulator/sim/cpu/page/sample.h"

void sampler_begin(struct sampler *sampler, const struct core_processor *page)
{
	sampler->how = page->sampling;
	sampler->slow = page->slow_cycles;
	sampler->sample = (struct core_sample){0};
}

static uint8_t level_of(const struct access_result *result)
{
	static const uint8_t levels[MEM_LEVELS] = {
	    [MEM_L1] = CORE_LEVEL_L1, [MEM_LFB] = CORE_LEVEL_FILL,  [MEM_L2] = CORE_LEVEL_L2,
	    [MEM_L3] = CORE_LEVEL_L3, [MEM_HITM] = CORE_LEVEL_HITM, [MEM_DRAM] = CORE_LEVEL_MEMORY,
	};

	return levels[result->level];
}

static uint8_t flags_of(const struct access_result *result, bool locked)
{
	return (result->dtlb_miss ? CORE_ACCESS_TLB_MISS : 0) |
	       (result->stlb_miss ? CORE_ACCESS_WALK : 0) | (locked ? CORE_ACCESS_LOCKED : 0);
}

bool sampler_access(struct sampler *sampler, const struct access *access,
		    const struct access_result *result, uint32_t hit_cycles, bool locked)
{
	struct core_access *noted = access->store ? &sampler->sample.store : &sampler->sample.load;
	uint32_t cycles = result->latency ? result->latency : hit_cycles;

	if (!sampler->sample.ended &&
	    !(sampler->how == CORE_SAMPLE_STEP && noted->level && cycles <= noted->cycles))
		*noted = (struct core_access){.ip = access->ip,
					      .address = access->vaddr,
					      .physical = access->paddr,
					      .cycles = cycles,
					      .level = level_of(result),
					      .flags = flags_of(result, locked),
					      .bytes = (uint8_t)access->size};
	return !access->store && cycles >= sampler->slow;
}

void sampler_fetch(struct sampler *sampler, const struct access *access,
		   const struct access_result *result)
{
	struct core_access *noted = &sampler->sample.fetch;

	if (!sampler->sample.ended && (!noted->level || result->latency > noted->cycles))
		*noted = (struct core_access){.ip = access->ip,
					      .address = access->vaddr,
					      .physical = access->paddr,
					      .cycles = result->latency,
					      .level = level_of(result),
					      .flags = flags_of(result, false),
					      .bytes = (uint8_t)access->size};
}

void sampler_end(struct sampler *sampler, uint32_t watches, uint64_t ip)
{
	if (sampler->sample.ended)
		return;
	sampler->sample.ended = watches;
	sampler->sample.ip = ip;
}
