/* SPDX-License-Identifier: BSD-2-Clause */
/* A core's caches and TLBs for CPUID. */
#include "emulator/sim/cpu/page/geometry.h"

#include <string.h>

static struct core_cache cache(const struct cache_config *c, unsigned level, unsigned type)
{
	return (struct core_cache){.bytes = c->size,
				   .ways = c->ways,
				   .level = level,
				   .type = type,
				   .inclusive = level > 1 && c->inclusion == INCLUSIVE};
}

static void put_tlb(struct core_geometry *out, enum core_tlb small, const struct tlbs_config *t)
{
	const struct tlb_config *large = t->unified ? &t->page_4k : &t->page_2m;

	out->tlbs[small].entries = t->page_4k.entries;
	out->tlbs[small].ways = t->page_4k.ways;
	out->tlbs[small + 1].entries = large->entries;
	out->tlbs[small + 1].ways = large->ways;
}

void core_geometry(const struct core_config *config, struct core_geometry *out)
{
	const struct memory_config *m = &config->memory;
	unsigned n = 0;

	memset(out, 0, sizeof(*out));
	out->caches[n++] = cache(&m->l1d, 1, CORE_CACHE_DATA);
	out->caches[n++] = cache(&m->l1i, 1, CORE_CACHE_CODE);
	if (m->l2.size)
		out->caches[n++] = cache(&m->l2, 2, CORE_CACHE_UNIFIED);
	if (m->l3.size)
		out->caches[n++] = cache(&m->l3, 3, CORE_CACHE_UNIFIED);
	out->caches[n - 1].shared = 1;
	put_tlb(out, CORE_ITLB_4K, &m->itlb);
	put_tlb(out, CORE_DTLB_4K, &m->dtlb);
	put_tlb(out, CORE_ITLB2_4K, m->code_stlb.page_4k.entries ? &m->code_stlb : &m->stlb);
	put_tlb(out, CORE_DTLB2_4K, &m->stlb);
}
