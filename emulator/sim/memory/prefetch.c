/* SPDX-License-Identifier: BSD-2-Clause */
/* Attaches prefetchers to a processor's memory, calls them, and fetches what they ask for. */
#include "emulator/sim/memory/prefetch.h"

#include <stddef.h>
#include <stdlib.h>

#include "emulator/sim/memory/memory_state.h"

enum { LINES = CORE_PAGE_SIZE / CORE_LINE_SIZE, QUEUE = 16 };

#define ADDRESS_MAX (1ULL << 52) /* of physical addresses: SDM vol. 3, 4.1.4 */

static const enum component_slot slot_of[SIM_NO_LEVEL] = {
    [SIM_L1I] = SLOT_L1I_PREFETCH, [SIM_L1D] = SLOT_L1D_PREFETCH, [SIM_L2] = SLOT_L2_PREFETCH,
    [SIM_L3] = SLOT_L3_PREFETCH,   [SIM_TLB] = SLOT_TLB_PREFETCH,
};

static struct attached *of_host(const struct sim_host *host)
{
	return (struct attached *)((char *)host - offsetof(struct attached, instance.host));
}

/* True if memory has so many transfers queued that prefetchers pause. */
static bool busy(struct memory *m, uint64_t now)
{
	return cache_channel(m, now, false) > (uint32_t)QUEUE * m->config->memory_gap;
}

static bool into_l1d(struct memory *m, uint64_t line, uint64_t now)
{
	struct flight *buffer;
	struct found found;
	uint32_t index;

	if (assoc_find(&m->l1[FRONT_DATA], line) != ASSOC_NONE || busy(m, now))
		return false;
	buffer = cache_fill_buffer(m, now);
	if (buffer && buffer->ready > now)
		return false;
	found = cache_below(m, line, DEMAND_PREFETCH, now);
	index = cache_fill_l1(m, FRONT_DATA, line,
			      found.state | LINE_PREFETCHED | (buffer ? LINE_FILLING : 0));
	if (buffer)
		cache_in_flight(m, buffer, index, now + found.latency);
	return true;
}

/* Prefetches into the processor's own L2, or into the shared one if that is the last level. */
static bool into_l2(struct memory *m, uint64_t line, uint64_t now)
{
	struct assoc *l2 = m->l2.ways ? &m->l2 : &m->shared->lines;
	struct found found;

	if (assoc_find(l2, line) != ASSOC_NONE || busy(m, now))
		return false;
	if (m->l2.ways && m->config->l2.inclusion == EXCLUSIVE &&
	    assoc_find(&m->l1[FRONT_DATA], line) != ASSOC_NONE)
		return false;
	found = cache_beyond(m, line, DEMAND_PREFETCH, now);
	if (m->l2.ways)
		cache_fill_l2(m, line, found.state | LINE_PREFETCHED);
	if (m->config->fill_buffers)
		m->flights[line % FLIGHTS] = (struct flight){line, now + found.latency};
	return true;
}

/* Prefetches into the shared last level alone. An exclusive one gets it as if it were evicted. */
static bool into_last(struct memory *m, uint64_t line, uint64_t now)
{
	if (assoc_find(&m->shared->lines, line) != ASSOC_NONE || busy(m, now) ||
	    (m->shared->config->inclusion == EXCLUSIVE && memory_has_line(m, line)))
		return false;
	if (m->shared->count > 1 && shared_has_elsewhere(m, line))
		return false;
	shared_fill(m, line, LINE_PREFETCHED);
	if (m->config->fill_buffers)
		m->flights[line % FLIGHTS] =
		    (struct flight){line, now + cache_read_memory(m, line, now)};
	m->counts.last_requests++;
	m->counts.last_misses++;
	return true;
}

static bool into_l1i(struct memory *m, uint64_t line, uint64_t now)
{
	struct found found;

	if (assoc_find(&m->l1[FRONT_CODE], line) != ASSOC_NONE)
		return false;
	found = cache_below(m, line, DEMAND_CODE, now);
	cache_fill_l1(m, FRONT_CODE, line, found.state | LINE_PREFETCHED);
	return true;
}

static bool fetch_into(struct memory *m, enum sim_level level, uint64_t address, uint64_t now)
{
	uint64_t line = address / CORE_LINE_SIZE;

	switch (level) {
	case SIM_L1D:
		return into_l1d(m, line, now);
	case SIM_L2:
		return into_l2(m, line, now);
	case SIM_L3:
		return into_last(m, line, now);
	case SIM_L1I:
		return into_l1i(m, line, now);
	default:
		return tlb_prefetch(m, address);
	}
}

/* The policies hear of the prefetch, and afterwards again of the access that caused it. */
static bool fetch_observed(struct memory *m, enum sim_level level, uint64_t address, uint64_t now)
{
	struct sim_access before = m->seen;
	bool done;

	cache_observe(m, address / CORE_LINE_SIZE, SIM_PREFETCH, now);
	done = fetch_into(m, level, address, now);
	m->seen = before;
	return done;
}

static bool fetch(struct attached *p, enum sim_level level, uint64_t address)
{
	struct memory *m = p->memory;
	uint64_t now = p->access->cycle;
	bool done = m->observed ? fetch_observed(m, level, address, now)
				: fetch_into(m, level, address, now);

	m->prefetch.counts[level].issued += done;
	if (done && p->bit & PREFETCH_MSR)
		m->counts.prefetched[__builtin_ctz(p->bit)]++;
	return done;
}

/* Checks what a component asks for. */
static void check_address(const struct attached *p, uint64_t address)
{
	if (!p->access)
		component_fail(&p->instance, "calls prefetch() outside of access()");
	if (!p->crosses && address / CORE_PAGE_SIZE != p->access->address / CORE_PAGE_SIZE)
		component_fail(&p->instance,
			       "prefetches 0x%llx, outside of the page of its access to 0x%llx",
			       (unsigned long long)address, (unsigned long long)p->access->address);
	if (p->crosses && address >= ADDRESS_MAX && p->access->address < ADDRESS_MAX)
		component_fail(&p->instance, "prefetches 0x%llx, which is no physical address",
			       (unsigned long long)address);
}

static bool host_prefetch(const struct sim_host *host, uint64_t address)
{
	struct attached *p = of_host(host);

	check_address(p, address);
	return fetch(p, host->level, address);
}

static bool host_prefetch_below(const struct sim_host *host, uint64_t address)
{
	struct attached *p = of_host(host);
	bool l3 = p->memory->l2.ways;

	check_address(p, address);
	if (host->level == SIM_L1D || host->level == SIM_L1I)
		return fetch(p, SIM_L2, address);
	return host->level == SIM_L2 && l3 && fetch(p, SIM_L3, address);
}

static bool host_holds(const struct sim_host *host, uint64_t address)
{
	struct memory *m = of_host(host)->memory;
	struct assoc *l2 = m->l2.ways ? &m->l2 : &m->shared->lines;
	struct assoc *const arrays[] = {
	    [SIM_L1I] = &m->l1[FRONT_CODE],
	    [SIM_L1D] = &m->l1[FRONT_DATA],
	    [SIM_L2] = l2,
	    [SIM_L3] = &m->shared->lines,
	    [SIM_TLB] = NULL,
	};

	if (host->level == SIM_TLB)
		return tlb_holds(m, address);
	return assoc_find(arrays[host->level], address / CORE_LINE_SIZE) != ASSOC_NONE;
}

static bool host_busy(const struct sim_host *host)
{
	const struct attached *p = of_host(host);

	return busy(p->memory, p->access ? p->access->cycle : 0);
}

/* Takes the next free place at a level. */
static bool attach(struct memory *m, enum sim_level level, const struct sim_component *component,
		   const uint64_t *parameters, const struct component_use *use, unsigned bit)
{
	struct attached *p = m->prefetch.at[level];
	const struct assoc *cache = level == SIM_L1D                ? &m->l1[FRONT_DATA]
				    : level == SIM_L1I              ? &m->l1[FRONT_CODE]
				    : level == SIM_L2 && m->l2.ways ? &m->l2
								    : &m->shared->lines;

	while (p->call)
		p++;
	p->memory = m;
	p->bit = bit;
	p->instance.host = (struct sim_host){.processor = m->number,
					     .level = level,
					     .sets = cache->sets,
					     .ways = cache->ways,
					     .prefetch = host_prefetch,
					     .prefetch_below = host_prefetch_below,
					     .holds = host_holds,
					     .busy = host_busy};
	if (!component_make(&p->instance, component, parameters, use))
		return false;
	p->call = component->prefetcher->access;
	p->self = p->instance.self;
	p->crosses = component->flags & SIM_CROSSES_PAGES;
	m->prefetch.listen |= 1u << level;
	if (component->prefetcher->fill)
		m->prefetch.fills |= 1u << level;
	if (component->flags & SIM_EVERY_HIT && level <= SIM_L1D)
		m->every[level == SIM_L1D ? FRONT_DATA : FRONT_CODE] = true;
	return true;
}

bool prefetch_init(struct memory *m, const struct core_config *config)
{
	const uint64_t parameters[SIM_PARAMETERS_MAX] = {config->memory.streamer_ahead};

	for (enum sim_level level = 0; level < SIM_NO_LEVEL; level++) {
		const struct component_use *use = &config->components[slot_of[level]];

		if (use->component && !attach(m, level, use->component, use->parameters, use, 0))
			return false;
	}
	for (unsigned i = 0; i < prefetch_builtin_count; i++) {
		const struct builtin_prefetcher *b = &prefetch_builtin[i];

		if (config->memory.prefetchers & b->bit &&
		    !config->components[slot_of[b->level]].component &&
		    !attach(m, b->level, b->component, parameters, NULL, b->bit))
			return false;
	}
	return true;
}

void prefetch_free(struct memory *m)
{
	for (enum sim_level level = 0; level < SIM_NO_LEVEL; level++)
		for (unsigned i = 0; i < PREFETCHERS_A_LEVEL; i++)
			component_end(&m->prefetch.at[level][i].instance);
}

void prefetch_call(struct memory *m, const struct sim_access *access, enum sim_level level)
{
	for (unsigned i = 0; i < PREFETCHERS_A_LEVEL; i++) {
		struct attached *p = &m->prefetch.at[level][i];
		const struct sim_access *outer = p->access;

		if (!p->call || (p->bit && !(m->prefetchers & p->bit)))
			continue;
		p->access = access;
		p->call(p->self, access);
		p->access = outer;
	}
}

void prefetch_notify_fill(struct memory *m, enum sim_level level, uint64_t line, bool prefetched)
{
	for (unsigned i = 0; i < PREFETCHERS_A_LEVEL; i++) {
		const struct component_instance *c = &m->prefetch.at[level][i].instance;

		if (c->self && c->component->prefetcher->fill)
			c->component->prefetcher->fill(c->self, line * CORE_LINE_SIZE, prefetched);
	}
}

void memory_prefetch(struct memory *m, const struct access *access)
{
	struct access_result ignored = {0};
	struct access line = *access;

	line.store = false;
	tlb_translate(m, FRONT_DATA, &line, &ignored);
	if (assoc_find(&m->l1[FRONT_DATA], front_line(m->fronts, access)) == ASSOC_NONE)
		cache_line(m, FRONT_DATA, front_line(m->fronts, access), DEMAND_WALK, &line,
			   access->now, &ignored);
}
