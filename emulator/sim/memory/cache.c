/* SPDX-License-Identifier: BSD-2-Clause */
/* A line's path through the levels of one processor. Write-back, write-allocate. */
#include "emulator/sim/memory/memory_state.h"

static const enum sim_type type_of[] = {[DEMAND_LOAD] = SIM_LOAD,
					[DEMAND_STORE] = SIM_STORE,
					[DEMAND_CODE] = SIM_CODE,
					[DEMAND_WALK] = SIM_WALK,
					[DEMAND_PREFETCH] = SIM_PREFETCH};

static enum sim_level level_of(unsigned which)
{
	return which == FRONT_DATA ? SIM_L1D : SIM_L1I;
}

void cache_observe(struct memory *m, uint64_t line, enum sim_type type, uint64_t now)
{
	m->seen = (struct sim_access){.pc = type == SIM_WRITE_BACK ? 0 : m->cause->ip,
				      .vaddr = m->cause->vaddr,
				      .address = line * CORE_LINE_SIZE,
				      .cycle = now,
				      .processor = m->number,
				      .type = (uint8_t)type};
}

bool memory_has_line(struct memory *m, uint64_t line)
{
	return assoc_find(&m->l1[FRONT_DATA], line) != ASSOC_NONE ||
	       assoc_find(&m->l1[FRONT_CODE], line) != ASSOC_NONE ||
	       assoc_find(&m->l2, line) != ASSOC_NONE;
}

static uint32_t later(uint32_t latency, uint64_t now, uint64_t ready)
{
	return ready > now + latency ? ready - now : latency;
}

/* Evicts a line from L1: the level below keeps it if that is filled by L1's evictions, or if the
 * line is modified. */
static void leave_l1(struct memory *m, unsigned which, uint64_t line, uint8_t state)
{
	uint32_t below;

	prefetch_wasted(m, level_of(which), state);
	state &= ~LINE_PREFETCHED;
	if (which == FRONT_DATA)
		m->counts.l1d_written_back += state & LINE_CHANGED;
	if (!m->l2.ways) {
		shared_write_back(m, line, state);
		return;
	}
	below = assoc_find(&m->l2, line);
	if (below != ASSOC_NONE)
		m->l2.state[below] |= state & (LINE_CHANGED | LINE_SHARED);
	else if (m->config->l2.inclusion == EXCLUSIVE)
		cache_fill_l2(m, line, state & (LINE_CHANGED | LINE_SHARED));
	else if (state & LINE_CHANGED)
		shared_write_back(m, line, state);
}

/* Evicts a line from L2; if that is inclusive also from L1. */
static void leave_l2(struct memory *m, uint64_t line, uint8_t state)
{
	prefetch_wasted(m, SIM_L2, state);
	if (m->config->l2.inclusion == INCLUSIVE)
		state |= memory_drop_line(m, line);
	state &= ~LINE_PREFETCHED;
	m->counts.l2_written_back += state & LINE_CHANGED;
	shared_write_back(m, line, state);
}

uint32_t cache_fill_l1(struct memory *m, unsigned which, uint64_t line, uint8_t state)
{
	struct assoc *l1 = &m->l1[which];
	uint64_t victim;
	uint8_t victim_state;
	uint32_t index = assoc_insert(l1, line, &victim, &victim_state);

	l1->state[index] = state;
	m->counts.l1d_replaced += which == FRONT_DATA;
	front_set_line(&m->fronts[which], line, UINT64_MAX);
	if (which == FRONT_CODE &&
	    m->fronts[FRONT_DATA].lines[line & m->fronts[FRONT_DATA].line_mask] >> 1 == line)
		front_set_line(&m->fronts[FRONT_DATA], line,
			       UINT64_MAX); /* stores to it look here */
	prefetch_filled(m, level_of(which), line, state);
	if (victim != ASSOC_EMPTY)
		leave_l1(m, which, victim, victim_state);
	return index;
}

void cache_fill_l2(struct memory *m, uint64_t line, uint8_t state)
{
	uint64_t victim;
	uint8_t victim_state;
	uint32_t index = assoc_insert(&m->l2, line, &victim, &victim_state);

	if (index == ASSOC_NONE) {
		leave_l2(m, line, state & ~LINE_PREFETCHED);
		return;
	}
	m->l2.state[index] = state;
	m->counts.l2_filled++;
	prefetch_filled(m, SIM_L2, line, state);
	if (victim != ASSOC_EMPTY)
		leave_l2(m, victim, victim_state);
}

/* Returns in how many cycles from now the channel, of a line in `gap` cycles, is free. take: a line
 * takes it then. */
static uint32_t wait_for_channel(struct channel *channel, uint32_t gap, uint64_t now, bool take)
{
	uint64_t first, piece;

	if (!gap)
		return 0;
	if (now > channel->last + CHANNEL * (uint64_t)gap)
		channel->origin += (now - channel->origin) % gap;
	channel->last = now > channel->last ? now : channel->last;
	first = now > channel->origin ? (now - channel->origin) / gap + 1 : 1; /* 0 is none */
	for (piece = first; piece < first + CHANNEL; piece++)
		if (channel->taken[piece % CHANNEL] != piece)
			break;
	if (take && piece < first + CHANNEL)
		channel->taken[piece % CHANNEL] = piece;
	return piece == first ? 0 : channel->origin + (piece - 1) * gap - now;
}

uint32_t cache_channel(struct memory *m, uint64_t now, bool take)
{
	return wait_for_channel(&m->from_memory, m->config->memory_gap, now, take);
}

uint32_t cache_read_memory(struct memory *m, uint64_t line, uint64_t now)
{
	uint32_t wait = cache_channel(m, now, true);

	if (m->shared->dram)
		wait += (uint32_t)dram_transfer(m->shared->dram, &m->dram, line,
						m->clock_start + (int64_t)(now + wait), false);
	return m->config->memory_latency + wait;
}

uint32_t cache_write_memory(struct memory *m, uint64_t line, uint64_t now)
{
	uint32_t wait = cache_channel(m, now, true);

	if (m->shared->dram)
		dram_transfer(m->shared->dram, &m->dram, line,
			      m->clock_start + (int64_t)(now + wait), true);
	return wait;
}

static void count_last(struct memory *m, enum demand demand, bool missed)
{
	m->counts.last_requests++;
	m->counts.last_misses += missed;
	if (demand == DEMAND_LOAD) {
		m->counts.last_load_requests++;
		m->counts.last_load_misses += missed;
	} else if (demand == DEMAND_STORE) {
		m->counts.last_store_requests++;
		m->counts.last_store_misses += missed;
	}
}

/* The line hits in the last level; an exclusive one gives it away. A prefetch by a level above uses
 * a prefetched line as an access does. */
static uint8_t take_from_last(struct memory *m, uint32_t index)
{
	struct shared_cache *shared = m->shared;
	uint8_t state = 0;

	if (shared->lines.state[index] & LINE_PREFETCHED) {
		shared->lines.state[index] &= ~LINE_PREFETCHED;
		if (shared->level == MEM_L3)
			prefetch_used(m, SIM_L3, false);
	}
	if (shared->config->inclusion == EXCLUSIVE) {
		state = shared->lines.state[index] & LINE_CHANGED;
		assoc_remove(&shared->lines, index);
	}
	return state;
}

/* Returns the cycles until a line of another processor arrives, with the wait for earlier moves. */
static uint32_t wait_for_line(struct memory *m, uint64_t line, uint64_t now, uint32_t latency,
			      bool store)
{
	const struct move move = {.line = line,
				  .now = m->clock_start + (int64_t)now,
				  .latency = latency * (1 + shared_pollers(m, line, store)),
				  .takes = true,
				  .taker = m};

	return moves_wait(&m->shared->moves, &move);
}

/* A line that was prefetched into the last level may be on its way. */
static uint32_t last_latency(struct memory *m, uint64_t line, uint64_t now)
{
	const struct flight *flight = &m->flights[line % FLIGHTS];
	uint32_t latency = m->shared->config->latency;

	if (m->shared->level == MEM_L3)
		latency += wait_for_channel(&m->from_l3, m->config->l3_gap, now + latency, true);
	return m->prefetch.counts[SIM_L3].issued && flight->line == line
		   ? later(latency, now, flight->ready)
		   : latency;
}

struct found cache_beyond(struct memory *m, uint64_t line, enum demand demand, uint64_t now)
{
	struct shared_cache *shared = m->shared;
	bool store = demand == DEMAND_STORE;
	uint8_t others = shared->count > 1 ? shared_snoop(m, line, store) : 0;
	uint32_t index;
	struct found found = {
	    .level = shared->level, .latency = shared->config->latency, .snooped = others != 0};

	shared->lines.access = &m->seen;
	index = assoc_use(&shared->lines, line);
	if (index != ASSOC_NONE) {
		found.latency = last_latency(m, line, now);
		found.state = take_from_last(m, index);
	} else if (shared->config->inclusion != EXCLUSIVE)
		shared_fill(m, line, others & LINE_CHANGED);
	if (others & LINE_CHANGED) {
		m->counts.hitm++;
		found.level = MEM_HITM;
		found.latency = wait_for_line(m, line, now, m->config->hitm_latency, store);
	} else if (index == ASSOC_NONE && !others) {
		found.level = MEM_DRAM;
		found.latency = cache_read_memory(m, line, now);
	} else if (others) {
		m->counts.snooped++;
		found.latency = wait_for_line(m, line, now, m->config->hitm_latency, store);
	}
	if (others && !store)
		found.state |= LINE_SHARED;
	count_last(m, demand, found.level == MEM_DRAM);
	if (m->l2.ways && (demand <= DEMAND_STORE || demand == DEMAND_PREFETCH))
		prefetch_on(m, SIM_L3, line, type_of[demand], now, index != ASSOC_NONE, false);
	return found;
}

/* A store to a line with other copies: invalidates them. Returns the cycles. */
static uint32_t upgrade(struct memory *m, uint64_t line, uint64_t now)
{
	uint32_t below = assoc_find(&m->l2, line);

	if (below != ASSOC_NONE)
		m->l2.state[below] &= ~LINE_SHARED;
	if (!shared_snoop(m, line, true))
		return m->shared->config->latency;
	return wait_for_line(m, line, now, m->shared->config->latency, true);
}

static void count_l2(struct memory *m, enum demand demand, bool missed)
{
	if (demand == DEMAND_PREFETCH)
		return;
	m->counts.l2_requests++;
	m->counts.l2_misses += missed;
	if (demand == DEMAND_CODE) {
		m->counts.l2_code_requests++;
		m->counts.l2_code_misses += missed;
	} else if (demand == DEMAND_STORE) {
		m->counts.l2_rfo_requests++;
		m->counts.l2_rfo_misses += missed;
	}
}

static struct found l2_hit(struct memory *m, uint32_t index, uint64_t line, enum demand demand,
			   uint64_t now)
{
	uint8_t *state = &m->l2.state[index];
	const struct flight *flight = &m->flights[line % FLIGHTS];
	struct found found = {.level = MEM_L2, .latency = m->config->l2.latency};

	if (flight->line == line)
		found.latency = later(found.latency, now, flight->ready);
	if (*state & LINE_PREFETCHED) {
		prefetch_used(m, SIM_L2, found.latency > m->config->l2.latency);
		*state &= ~LINE_PREFETCHED;
	}
	found.latency +=
	    wait_for_channel(&m->from_l2, m->config->l2_gap, now + found.latency, true);
	if (demand == DEMAND_STORE && *state & LINE_SHARED) {
		found.latency += upgrade(m, line, now);
		*state &= ~LINE_SHARED;
	}
	found.state = *state & LINE_SHARED;
	if (m->config->l2.inclusion == EXCLUSIVE) {
		found.state |= *state & LINE_CHANGED;
		assoc_remove(&m->l2, index);
	}
	return found;
}

struct found cache_below(struct memory *m, uint64_t line, enum demand demand, uint64_t now)
{
	uint32_t index = assoc_use(&m->l2, line);
	bool hit = index != ASSOC_NONE, first = false;
	struct found found;

	if (hit) {
		first = m->l2.state[index] & LINE_PREFETCHED;
		found = l2_hit(m, index, line, demand, now);
	} else {
		found = cache_beyond(m, line, demand, now);
		hit = found.level == MEM_L2; /* the last level is */
		if (m->l2.ways && m->config->l2.inclusion != EXCLUSIVE) {
			cache_fill_l2(m, line, found.state);
			found.state &= LINE_SHARED;
		}
	}
	count_l2(m, demand, !hit);
	if (demand == DEMAND_CODE || demand == DEMAND_WALK)
		return found;
	prefetch_on(m, SIM_L2, line, type_of[demand], now, hit, first);
	return found;
}

struct flight *cache_fill_buffer(struct memory *m, uint64_t now)
{
	const uint64_t free = 1ULL << 63;
	uint64_t best = 0;
	unsigned found = 0;

	if (!m->config->fill_buffers)
		return NULL;
	if (now >= m->fills_until)
		return m->fills;
	for (unsigned i = 0; i < m->config->fill_buffers; i++) {
		uint64_t ready = m->fills[i].ready,
			 rank = ready <= now ? free + ready : free - 1 - ready;

		found = rank > best ? i : found;
		best = rank > best ? rank : best;
	}
	return &m->fills[found];
}

void cache_in_flight(struct memory *m, struct flight *buffer, uint32_t index, uint64_t ready)
{
	*buffer = (struct flight){m->l1[FRONT_DATA].keys[index], ready};
	m->filled_by[index] = (uint8_t)(buffer - m->fills);
	if (ready > m->fills_until)
		m->fills_until = ready;
}

/* Returns the cycle in which the line of L1D's entry arrives, if it is in flight, else 0. */
static inline uint64_t arrival(struct memory *m, uint32_t index, uint64_t now)
{
	struct assoc *l1 = &m->l1[FRONT_DATA];
	const struct flight *buffer;

	if (!(l1->state[index] & LINE_FILLING) || now >= m->fills_until)
		return 0;
	buffer = &m->fills[m->filled_by[index]];
	if (buffer->line != l1->keys[index])
		l1->state[index] &= ~LINE_FILLING;
	else if (buffer->ready > now)
		return buffer->ready;
	return 0;
}

/* As in front->lines. */
static uint64_t known_line(uint64_t line, uint8_t state)
{
	return line << 1 | ((state & (LINE_CHANGED | LINE_SHARED)) == LINE_CHANGED);
}

/* A store to a line that L1I has: drops the line, and causes a machine clear. */
static void store_to_code(struct memory *m, uint64_t line, struct access_result *result)
{
	struct assoc *code = &m->l1[FRONT_CODE];
	uint32_t index = assoc_find(code, line);

	if (index == ASSOC_NONE)
		return;
	assoc_remove(code, index);
	front_set_line(&m->fronts[FRONT_CODE], line, UINT64_MAX);
	front_changed(&m->fronts[FRONT_CODE]);
	result->modifies_code = true;
}

enum memory_hit cache_hit(struct memory *m, uint64_t line, bool store, uint64_t now, bool exact)
{
	struct assoc *l1 = &m->l1[FRONT_DATA];
	uint32_t index = assoc_find(l1, line);
	uint8_t *state;
	bool flies;

	if (index == ASSOC_NONE || m->every[FRONT_DATA] ||
	    (store && assoc_find(&m->l1[FRONT_CODE], line) != ASSOC_NONE))
		return HIT_NONE;
	state = &l1->state[index];
	flies = arrival(m, index, now);
	if (*state & (LINE_PREFETCHED | (store ? LINE_SHARED : 0)) ||
	    (flies && (!exact || m->observed)))
		return HIT_NONE;
	if (store)
		*state |= LINE_CHANGED;
	assoc_used(l1, index);
	/* A line in flight is also the most recently used one of its set. */
	front_set_line(&m->fronts[FRONT_DATA], line, flies ? UINT64_MAX : known_line(line, *state));
	return flies ? HIT_IN_FLIGHT : HIT_L1D;
}

static uint32_t l1_hit(struct memory *m, unsigned which, uint32_t index, uint64_t line,
		       enum demand demand, uint64_t now, struct access_result *result)
{
	uint8_t *state = &m->l1[which].state[index];
	uint32_t latency = which == FRONT_DATA ? m->config->l1d.latency : m->config->l1i.latency;
	uint64_t ready = which == FRONT_DATA ? arrival(m, index, now) : 0;
	bool first = *state & LINE_PREFETCHED;

	if (ready && result->level < MEM_LFB)
		result->level = MEM_LFB;
	if (first) {
		prefetch_used(m, level_of(which), ready);
		result->late = ready != 0;
	}
	*state &= ~LINE_PREFETCHED;
	if (demand == DEMAND_STORE) {
		if (*state & LINE_SHARED) {
			latency += upgrade(m, line, now);
			*state &= ~LINE_SHARED;
		}
		*state |= LINE_CHANGED;
	}
	front_set_line(&m->fronts[which], line,
		       ready || m->every[which] ? UINT64_MAX : known_line(line, *state));
	if (ready)
		latency = later(latency, now, ready);
	if ((first || m->every[which]) && demand <= DEMAND_CODE)
		prefetch_on(m, level_of(which), line, type_of[demand], now, true, first);
	return latency;
}

static uint32_t l1_miss(struct memory *m, unsigned which, uint64_t line, enum demand demand,
			const struct access *access, uint64_t now, struct access_result *result)
{
	struct found found;
	struct flight *buffer;
	uint32_t index;

	assoc_prefetch(&m->shared->lines, line);
	if (now < access->room)
		now = access->room;
	found = cache_below(m, line, demand, now);
	if (demand == DEMAND_STORE)
		found.state |= LINE_CHANGED;
	if (found.level > result->level)
		result->level = found.level;
	result->snooped |= found.snooped;
	/* Waiting for a free buffer is up to the pipeline, which knows when the access really
	 * begins. */
	buffer = which == FRONT_DATA ? cache_fill_buffer(m, now) : NULL;
	index = cache_fill_l1(m, which, line, found.state | (buffer ? LINE_FILLING : 0));
	if (buffer)
		cache_in_flight(m, buffer, index, now + found.latency);
	if (demand <= DEMAND_CODE)
		prefetch_on(m, level_of(which), line, type_of[demand], now, false, false);
	return found.latency;
}

uint32_t cache_line(struct memory *m, unsigned which, uint64_t line, enum demand demand,
		    const struct access *access, uint64_t now, struct access_result *result)
{
	uint32_t index;

	m->cause = access;
	if (m->observed)
		cache_observe(m, line, type_of[demand], now);
	if (demand == DEMAND_STORE)
		store_to_code(m, line, result);
	index = assoc_use(&m->l1[which], line);
	return index != ASSOC_NONE ? l1_hit(m, which, index, line, demand, now, result)
				   : l1_miss(m, which, line, demand, access, now, result);
}
