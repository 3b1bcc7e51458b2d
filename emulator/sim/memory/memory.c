/* SPDX-License-Identifier: BSD-2-Clause */
/* A processor's memory: allocation, and the split of an access into lines. */
#include <stdlib.h>
#include <string.h>

#include "emulator/sim/memory/memory_state.h"

_Static_assert(offsetof(struct memory, fronts) == 0, "memory_front() relies on it");

static bool cache_init(struct memory *m, struct assoc *a, const struct cache_config *c,
		       const struct component_use *use, enum sim_level level)
{
	const struct assoc_policy policy = {
	    .replacement = c->replacement, .use = use, .level = level, .processor = m->number};

	a->access = NULL;
	if (!assoc_init_by(a, c->ways ? c->size / CORE_LINE_SIZE / c->ways : 0, c->ways, &policy))
		return false;
	a->access = &m->seen;
	return true;
}

/* The caches of this processor alone. */
static bool caches_init(struct memory *m, const struct core_config *config)
{
	const struct memory_config *c = &config->memory;
	const struct component_use *use = config->components;

	if (!cache_init(m, &m->l1[FRONT_DATA], &c->l1d, &use[SLOT_L1D_POLICY], SIM_L1D) ||
	    !cache_init(m, &m->l1[FRONT_CODE], &c->l1i, &use[SLOT_L1I_POLICY], SIM_L1I) ||
	    (c->l3.size && !cache_init(m, &m->l2, &c->l2, &use[SLOT_L2_POLICY], SIM_L2)))
		return false;
	m->filled_by = calloc((size_t)m->l1[FRONT_DATA].sets * m->l1[FRONT_DATA].ways, 1);
	if (!m->filled_by)
		return false;
	m->l2.may_bypass = c->l2.inclusion != INCLUSIVE;
	for (unsigned i = SLOT_L1I_POLICY; i <= SLOT_L3_POLICY; i++)
		m->observed |= use[i].component != NULL;
	for (unsigned i = 0; i < FRONTS; i++)
		m->every[i] = m->l1[i].instance->component->flags & SIM_EVERY_HIT;
	return true;
}

/* Forgets all known hits. */
static void front_clear(struct front *front)
{
	memset(front->lines, 0xff, sizeof(front->lines));
	memset(front->pages, 0xff, sizeof(front->pages));
	front_changed(front);
}

static void front_init(struct memory *m, unsigned which, uint16_t latency)
{
	struct front *front = &m->fronts[which];
	const struct assoc *pages = &m->tlb[which].pages[PAGE_4K];

	front->line_mask = m->l1[which].sets - 1;
	front->page_mask = pages->ways ? pages->sets - 1 : FRONT_PAGES - 1;
	front->virtual_index = m->config->virtual_index;
	front->stamp = m->shared->count % FRONT_STAMPS; /* unlike other processors' */
	front->hit = (struct access_result){.level = MEM_L1, .latency = latency};
	front_clear(front);
}

struct memory *memory_new(const struct core_config *config, struct shared_cache *shared)
{
	const struct memory_config *c = &config->memory;
	struct memory *m;

	if (shared->count == PROCESSORS_MAX)
		return NULL;
	m = calloc(1, sizeof(*m));
	if (!m)
		return NULL;
	m->config = c;
	m->shared = shared;
	m->prefetchers = c->prefetchers;
	m->generation = 1;
	m->number = shared->made++;
	shared->processors[shared->count++] = m;
	if (!caches_init(m, config) || !tlbs_init(m) || !prefetch_init(m, config)) {
		memory_free(m);
		return NULL;
	}
	front_init(m, FRONT_DATA, c->l1d.latency);
	front_init(m, FRONT_CODE, c->l1i.latency);
	return m;
}

unsigned memory_number(const struct memory *m)
{
	return m->number;
}

void memory_free(struct memory *m)
{
	struct shared_cache *shared;

	if (!m)
		return;
	shared = m->shared;
	for (unsigned i = 0; i < shared->count; i++)
		if (shared->processors[i] == m) {
			shared->processors[i] = shared->processors[--shared->count];
			break;
		}
	prefetch_free(m);
	for (unsigned i = 0; i < FRONTS; i++)
		assoc_free(&m->l1[i]);
	assoc_free(&m->l2);
	free(m->filled_by);
	tlbs_free(m);
	free(m);
}

/* Accesses one line. Returns the cycles. */
static uint32_t access_part(struct memory *m, unsigned which, const struct access *access,
			    struct access_result *result)
{
	enum demand demand = which == FRONT_CODE ? DEMAND_CODE
			     : access->store     ? DEMAND_STORE
						 : DEMAND_LOAD;
	uint32_t before =
	    front_has_page(&m->fronts[which], access) ? 0 : tlb_translate(m, which, access, result);

	return before + cache_line(m, which, front_line(&m->fronts[which], access), demand, access,
				   access->now + before, result);
}

/* Moves to the next line; beyond the page's end the TLB provides the address. */
static void next_line(struct memory *m, struct access *part)
{
	uint64_t step = CORE_LINE_SIZE - part->vaddr % CORE_LINE_SIZE;

	part->vaddr += step;
	part->paddr += step;
	part->size -= step;
	if (part->vaddr % CORE_PAGE_SIZE == 0)
		tlb_guess(m, FRONT_DATA, part->vaddr, &part->paddr);
}

static void count_access(struct memory *m, const struct access *access,
			 const struct access_result *result)
{
	struct memory_counts *c = &m->counts;
	bool missed = result->level > MEM_LFB;

	c->lfb_hits += result->level == MEM_LFB;
	if (access->store) {
		c->l1d_stores++;
		c->l1d_store_misses += missed;
		c->splits_store += result->split;
	} else {
		c->l1d_loads++;
		c->loads_from[result->level]++;
		c->l1d_load_misses += missed;
		c->splits_load += result->split;
	}
}

/* Cycles of the parts of an access. Missed parts count from when a fill buffer is free, the others
 * from the access's begin. */
struct parts {
	uint32_t missed, others;
};

static void access_line_part(struct memory *m, const struct access *part,
			     struct access_result *result, struct parts *parts)
{
	enum mem_level before = result->level;
	uint32_t *of, cycles;

	result->level = MEM_L1;
	cycles = access_part(m, FRONT_DATA, part, result);
	of = result->level > MEM_LFB ? &parts->missed : &parts->others;
	*of = cycles > *of ? cycles : *of;
	if (before > result->level)
		result->level = before;
}

/* An access to several lines completes with its last part. */
static void access_split(struct memory *m, const struct access *access,
			 struct access_result *result)
{
	uint64_t wait = access->room > access->now ? access->room - access->now : 0;
	struct parts parts = {0};
	struct access part = *access;

	result->split = true;
	access_line_part(m, &part, result, &parts);
	do {
		next_line(m, &part);
		access_line_part(m, &part, result, &parts);
		result->split_page |= part.vaddr % CORE_PAGE_SIZE == 0;
	} while (crosses_line(&part));
	result->latency = parts.missed ? parts.missed : parts.others;
	if (parts.missed && parts.others > wait + parts.missed)
		result->latency = parts.others - wait;
	result->latency += m->config->split_penalty;
}

static struct known_page *known_place(struct memory *m, uint64_t vaddr)
{
	return &m->known[(vaddr >> CORE_PAGE_SHIFT) % KNOWN_PAGES];
}

bool memory_use_reply(struct memory *m, struct access *access)
{
	const struct known_page *known = known_place(m, access->vaddr);

	if (known->page != access->vaddr >> CORE_PAGE_SHIFT || known->generation != m->generation)
		return false;
	access->paddr = known->frame << CORE_PAGE_SHIFT | (access->vaddr & (CORE_PAGE_SIZE - 1));
	return true;
}

enum memory_hit memory_other_hit(struct memory *m, uint64_t vaddr, unsigned size, bool store,
				 uint64_t now, bool exact)
{
	struct access access = {.vaddr = vaddr, .size = size, .store = store};
	const struct access_result flies = {.level = MEM_LFB};
	bool recent = memory_knows_page(m, &access);
	enum memory_hit hit;
	uint32_t entry = 0;

	if (crosses_line(&access) || (!recent && !memory_use_reply(m, &access)) ||
	    (!recent && !tlb_has(m, vaddr, access.paddr >> CORE_PAGE_SHIFT, &entry)))
		return HIT_NONE;
	hit = cache_hit(m, front_line(&m->fronts[FRONT_DATA], &access), store, now, exact);
	if (hit && !recent)
		tlb_used(m, &access, entry);
	if (hit == HIT_L1D)
		m->fronts[FRONT_DATA].counts[store]++;
	else if (hit)
		count_access(m, &access, &flies);
	return hit;
}

/* True if the access is the kernel's, and this core's caches are without it. */
static bool passes_by(const struct memory *m, const struct access *access)
{
	return m->config->no_kernel && access->vaddr >> 63;
}

void memory_access_slow(struct memory *m, const struct access *access, struct access_result *result)
{
	*known_place(m, access->vaddr) = (struct known_page){
	    access->vaddr >> CORE_PAGE_SHIFT, access->paddr >> CORE_PAGE_SHIFT, m->generation};
	*result = m->fronts[FRONT_DATA].hit;
	if (!passes_by(m, access)) {
		if (crosses_line(access))
			access_split(m, access, result);
		else
			result->latency = access_part(m, FRONT_DATA, access, result);
		result->latency = latency_cut(result->latency);
	}
	count_access(m, access, result);
}

void memory_fetch_slow(struct memory *m, const struct access *access, struct access_result *result)
{
	*result = m->fronts[FRONT_CODE].hit;
	if (!passes_by(m, access))
		result->latency = latency_cut(access_part(m, FRONT_CODE, access, result));
	m->counts.l1i_fetches++;
	m->counts.l1i_misses += result->level != MEM_L1;
}

void memory_flush_caches(struct memory *m)
{
	for (unsigned i = 0; i < FRONTS; i++) {
		assoc_clear(&m->l1[i]);
		front_clear(&m->fronts[i]);
	}
	assoc_clear(&m->l2);
	assoc_clear(&m->shared->lines);
}

void memory_flush_line(struct memory *m, uint64_t vaddr, uint64_t paddr)
{
	struct shared_cache *shared = m->shared;
	const struct access access = {.vaddr = vaddr, .paddr = paddr};
	uint64_t line = front_line(m->fronts, &access);
	uint32_t index = assoc_find(&shared->lines, line);

	for (unsigned i = 0; i < shared->count; i++)
		memory_drop_line(shared->processors[i], line);
	if (index != ASSOC_NONE)
		assoc_remove(&shared->lines, index);
}

void memory_stream(struct memory *m, const struct access *access, struct access_result *result)
{
	uint64_t line = front_line(m->fronts, access);

	*result = (struct access_result){.level = MEM_L1, .latency = m->config->l1d.latency};
	if (!front_has_page(m->fronts, access))
		tlb_translate(m, FRONT_DATA, access, result);
	count_access(m, access, result);
	if (line == m->streamed)
		return;
	memory_flush_line(m, access->vaddr, access->paddr);
	m->streamed = line;
	result->level = MEM_LFB; /* it has a fill buffer until memory takes it */
	result->latency += cache_write_memory(m, line, access->now);
}

void memory_prefetchers(struct memory *m, uint64_t disabled)
{
	m->prefetchers = m->config->prefetchers & ~(disabled & PREFETCH_MSR);
}

const struct memory_counts *memory_counts(struct memory *m)
{
	struct front *data = &m->fronts[FRONT_DATA], *code = &m->fronts[FRONT_CODE];

	m->counts.l1d_loads += data->counts[0];
	m->counts.loads_from[MEM_L1] += data->counts[0];
	m->counts.l1d_stores += data->counts[1];
	m->counts.l1i_fetches += code->counts[0];
	data->counts[0] = data->counts[1] = code->counts[0] = 0;
	return &m->counts;
}
