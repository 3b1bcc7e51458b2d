/* SPDX-License-Identifier: BSD-2-Clause */
/* State shared by processors: the last level, and copies of a line in each other's caches. */
#include <stdlib.h>

#include "emulator/sim/memory/memory_state.h"

struct shared_cache *shared_cache_new(const struct core_config *config)
{
	const struct memory_config *c = &config->memory;
	const struct cache_config *last = c->l3.size ? &c->l3 : &c->l2;
	struct shared_cache *shared = calloc(1, sizeof(*shared));

	if (!shared)
		return NULL;
	const struct assoc_policy policy = {
	    .replacement = last->replacement,
	    .use = &config->components[last == &c->l3 ? SLOT_L3_POLICY : SLOT_L2_POLICY],
	    .level = last == &c->l3 ? SIM_L3 : SIM_L2,
	};

	shared->config = last;
	shared->level = last == &c->l3 ? MEM_L3 : MEM_L2;
	shared->dram = c->dram.channels ? dram_new(&c->dram) : NULL;
	if ((c->dram.channels && !shared->dram) ||
	    !assoc_init_by(&shared->lines, last->size / CORE_LINE_SIZE / last->ways, last->ways,
			   &policy)) {
		dram_free(shared->dram);
		free(shared);
		return NULL;
	}
	shared->lines.may_bypass = last->inclusion != INCLUSIVE;
	return shared;
}

void shared_cache_free(struct shared_cache *shared)
{
	if (!shared)
		return;
	assoc_free(&shared->lines);
	dram_free(shared->dram);
	free(shared);
}

struct moves *shared_cache_moves(struct shared_cache *shared)
{
	return &shared->moves;
}

bool memory_is_alone(const struct memory *m)
{
	return m->shared->count == 1;
}

void memory_start_clock(struct memory *m, int64_t at)
{
	m->clock_start = at;
}

static uint8_t drop(struct assoc *cache, uint64_t line)
{
	uint32_t index = assoc_find(cache, line);

	if (index == ASSOC_NONE)
		return 0;
	assoc_remove(cache, index);
	return cache->state[index] | LINE_SHARED;
}

uint8_t memory_drop_line(struct memory *m, uint64_t line)
{
	front_forget_line(m, line);
	return drop(&m->l1[FRONT_DATA], line) | drop(&m->l1[FRONT_CODE], line) | drop(&m->l2, line);
}

bool shared_has_elsewhere(struct memory *m, uint64_t line)
{
	for (unsigned i = 0; i < m->shared->count; i++)
		if (m->shared->processors[i] != m &&
		    memory_has_line(m->shared->processors[i], line))
			return true;
	return false;
}

/* The copy stays, but another processor has one as well. */
static uint8_t share(struct assoc *cache, uint64_t line)
{
	uint32_t index = assoc_find(cache, line);
	uint8_t was;

	if (index == ASSOC_NONE)
		return 0;
	was = cache->state[index];
	cache->state[index] = (was & ~LINE_CHANGED) | LINE_SHARED;
	return was | LINE_SHARED;
}

static uint8_t share_line(struct memory *m, uint64_t line)
{
	front_forget_line(m, line);
	return share(&m->l1[FRONT_DATA], line) | share(&m->l1[FRONT_CODE], line) |
	       share(&m->l2, line);
}

uint8_t shared_snoop(struct memory *m, uint64_t line, bool store)
{
	struct shared_cache *shared = m->shared;
	uint8_t were = 0;

	for (unsigned i = 0; i < shared->count; i++) {
		struct memory *other = shared->processors[i];
		uint8_t was;

		if (other == m)
			continue;
		was = store ? memory_drop_line(other, line) : share_line(other, line);
		other->counts.invalidated += store && was;
		were |= was;
	}
	if (store ? were : were & LINE_CHANGED)
		moves_note(&shared->moves, line);
	if (were & LINE_CHANGED)
		shared_write_back(m, line, LINE_CHANGED);
	return were & (LINE_CHANGED | LINE_SHARED);
}

static void clean(struct assoc *cache, uint64_t line)
{
	uint32_t index = assoc_find(cache, line);

	if (index != ASSOC_NONE)
		cache->state[index] &= ~LINE_CHANGED;
}

void memory_clean_line(struct memory *m, uint64_t vaddr, uint64_t paddr)
{
	struct shared_cache *shared = m->shared;
	const struct access access = {.vaddr = vaddr, .paddr = paddr};
	uint64_t line = front_line(m->fronts, &access);

	for (unsigned i = 0; i < shared->count; i++) {
		front_forget_line(shared->processors[i], line);
		clean(&shared->processors[i]->l1[FRONT_DATA], line);
		clean(&shared->processors[i]->l2, line);
	}
	clean(&shared->lines, line);
}

/* A changed line goes to memory, after the line that takes its place has come from there. */
static void write_to_memory(struct memory *m, uint64_t line)
{
	if (m->cause)
		cache_write_memory(m, line, m->cause->now + m->config->memory_latency);
}

/* An eviction from an inclusive last level evicts the line from every processor. */
static void leave_last(struct memory *m, uint64_t line, uint8_t state)
{
	struct shared_cache *shared = m->shared;

	if (shared->config->inclusion == INCLUSIVE)
		for (unsigned i = 0; i < shared->count; i++)
			state |= memory_drop_line(shared->processors[i], line);
	if (state & LINE_CHANGED)
		write_to_memory(m, line);
}

void shared_fill(struct memory *m, uint64_t line, uint8_t state)
{
	struct assoc *lines = &m->shared->lines;
	uint64_t victim;
	uint8_t victim_state;
	uint32_t index = assoc_insert(lines, line, &victim, &victim_state);

	if (index == ASSOC_NONE)
		return;
	lines->state[index] = state & (LINE_CHANGED | LINE_PREFETCHED);
	if (m->shared->level == MEM_L3) {
		prefetch_filled(m, SIM_L3, line, state);
		if (victim != ASSOC_EMPTY)
			prefetch_wasted(m, SIM_L3, victim_state);
	}
	if (victim != ASSOC_EMPTY)
		leave_last(m, victim, victim_state);
}

/* The policy hears of a write-back, not of the access that caused the eviction. */
static void fill_by_eviction(struct memory *m, uint64_t line, uint8_t state)
{
	struct sim_access before;

	if (!m->observed) {
		shared_fill(m, line, state);
		return;
	}
	before = m->seen;
	cache_observe(m, line, SIM_WRITE_BACK, before.cycle);
	shared_fill(m, line, state);
	m->seen = before;
}

void shared_write_back(struct memory *m, uint64_t line, uint8_t state)
{
	struct shared_cache *shared = m->shared;
	uint32_t index;

	/* An unchanged line leaves nothing behind; to look for it takes the host a miss. */
	if (!(state & LINE_CHANGED) && shared->config->inclusion != EXCLUSIVE)
		return;
	index = assoc_find(&shared->lines, line);
	if (index != ASSOC_NONE)
		shared->lines.state[index] |= state & LINE_CHANGED;
	else if (shared->config->inclusion == EXCLUSIVE)
		fill_by_eviction(m, line, state);
	else
		write_to_memory(m, line);
}

void memory_polls(struct memory *m, bool polls)
{
	m->polling = polls;
}

void memory_polls_at(struct memory *m, uint64_t vaddr, bool store)
{
	struct access access = {.vaddr = vaddr};

	if (!memory_knows_page(m, &access) && !memory_use_reply(m, &access))
		return;
	m->polled = front_line(&m->fronts[FRONT_DATA], &access);
	m->polls_store = store;
}

uint32_t shared_pollers(const struct memory *m, uint64_t line, bool store)
{
	const struct shared_cache *shared = m->shared;
	uint32_t count = 0;

	for (unsigned i = 0; i < shared->count; i++) {
		const struct memory *other = shared->processors[i];

		count += other != m && other->polling && other->polled == line &&
			 (!store || other->polls_store);
	}
	return count;
}

uint32_t memory_contends(struct memory *m, uint64_t vaddr)
{
	struct access access = {.vaddr = vaddr};

	if (!memory_knows_page(m, &access) && !memory_use_reply(m, &access))
		return 0;
	return m->config->hitm_latency *
	       shared_pollers(m, front_line(&m->fronts[FRONT_DATA], &access), true);
}
