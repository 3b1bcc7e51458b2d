/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts the event that a counter selects: shares of the instructions, or a core's quantities. */
#include "emulator/visor/model/base/events.h"

#include <stdbool.h>
#include <stddef.h>

#include "abi/visor_cpuid.h"
#include "emulator/visor/model/base/event_rows.h"
#include "emulator/visor/model/base/personality.h"
#include "emulator/visor/model/base/registers.h"
#include "emulator/visor/model/base/vendor.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Bits of OFFCORE_RSP_x (SDM vol. 3, "Off-core Response Performance Monitoring", Skylake and
 * before). */
#define OFFCORE_READ         REG_BIT(0)
#define OFFCORE_RFO          REG_BIT(1)
#define OFFCORE_PREFETCH     REG_BITS(4, 5)
#define OFFCORE_ANY_RESPONSE REG_BIT(16)
#define OFFCORE_L3_HIT       REG_BITS(18, 20)
/* Local memory: bit 22 up to Haswell, later 26; 27 to 29: remote. */
#define OFFCORE_L3_MISS (REG_BIT(22) | REG_BIT(26))
#define OFFCORE_SNOOP   REG_BITS(30, 37)
#define OFFCORE_HITM    REG_BIT(36)
/* Results of the snoop of a line that no other processor has changed. */
#define OFFCORE_CLEAN REG_BITS(32, 34)
#define OFFCORE_CODE  REG_BIT(2)
/* Prefetches into the last level: the cores have none. */
#define OFFCORE_PREFETCH_L3 REG_BITS(7, 9)
#define OFFCORE_REQUESTS    REG_BITS(0, 15)
#define OFFCORE_COUNTED \
	(OFFCORE_READ | OFFCORE_RFO | OFFCORE_CODE | OFFCORE_PREFETCH | OFFCORE_PREFETCH_L3)

/* Returns how many of `all` requests, `misses` of which miss the last-level cache, get one of the
 * selected responses. */
static uint64_t offcore_responses(uint64_t rsp, uint64_t all, uint64_t misses)
{
	uint64_t count = 0;

	if (rsp & OFFCORE_ANY_RESPONSE)
		return all;
	if (!(rsp & OFFCORE_SNOOP))
		return 0;
	if (rsp & OFFCORE_L3_HIT)
		count += all - misses;
	if (rsp & OFFCORE_L3_MISS)
		count += misses;
	return count;
}

static uint64_t offcore_rate(uint64_t rsp)
{
	uint64_t rate = 0;

	if (rsp & OFFCORE_READ)
		rate += offcore_responses(rsp, LLC_READ_RATE, LLC_READ_MISS);
	if (rsp & OFFCORE_RFO)
		rate += offcore_responses(rsp, LLC_RFO_RATE, LLC_RFO_MISS);
	if (rsp & OFFCORE_PREFETCH)
		rate += offcore_responses(rsp, LLC_PREFETCH_RATE, LLC_PREFETCH_MISS);
	return rate;
}

static void add_term(struct event_sum *sum, enum core_quantity term)
{
	for (unsigned i = 0; i < CORE_TERMS; i++)
		if (!sum->terms[i]) {
			sum->terms[i] = (uint8_t)term;
			return;
		}
}

static bool has_all(uint64_t value, uint64_t bits)
{
	return (value & bits) == bits;
}

/* The core distinguishes hits on lines that another processor had changed from the other hits, and
 * no other states of the snoop. A miss counts with any of them. */
static bool add_loads(struct event_sum *sum, uint64_t rsp)
{
	bool clean = has_all(rsp, OFFCORE_CLEAN), some = rsp & OFFCORE_SNOOP & ~OFFCORE_HITM;

	if (rsp & OFFCORE_ANY_RESPONSE) {
		add_term(sum, CORE_LAST_LOADS);
		return true;
	}
	if (rsp & OFFCORE_L3_HIT && some && !clean)
		return false;
	if (rsp & OFFCORE_L3_HIT && clean)
		add_term(sum, CORE_LOADS_L3);
	if (rsp & OFFCORE_L3_HIT && rsp & OFFCORE_HITM)
		add_term(sum, CORE_LOADS_HITM);
	if (rsp & OFFCORE_L3_MISS && some)
		add_term(sum, CORE_LAST_LOAD_MISSES);
	return true;
}

/* Hits are what is left of all, so they are counted together with the misses only. */
static bool add_stores(struct event_sum *sum, uint64_t rsp)
{
	bool hits = rsp & OFFCORE_L3_HIT, misses = rsp & OFFCORE_L3_MISS;

	if (rsp & OFFCORE_ANY_RESPONSE || (hits && misses && has_all(rsp, OFFCORE_CLEAN))) {
		add_term(sum, CORE_LAST_STORES);
		return true;
	}
	if (misses && rsp & OFFCORE_SNOOP & ~OFFCORE_HITM)
		add_term(sum, CORE_LAST_STORE_MISSES);
	return !hits;
}

/* Requests that the core counts as a whole: all of `bits`, with any response. */
static bool add_whole(struct event_sum *sum, uint64_t rsp, uint64_t bits, enum core_quantity term)
{
	if (!(rsp & OFFCORE_ANY_RESPONSE) || !has_all(rsp, bits))
		return false;
	add_term(sum, term);
	return true;
}

/* A part that the core does not count makes the whole event one that is not counted. */
struct event_sum event_offcore_sum(uint64_t rsp)
{
	struct event_sum sum = {.burst = 1};
	bool counted = !(rsp & OFFCORE_REQUESTS & ~OFFCORE_COUNTED);

	if (rsp & OFFCORE_READ)
		counted = counted && add_loads(&sum, rsp);
	if (rsp & OFFCORE_RFO)
		counted = counted && add_stores(&sum, rsp);
	if (rsp & OFFCORE_CODE)
		counted = counted && add_whole(&sum, rsp, OFFCORE_CODE, CORE_L2_CODE_MISSES);
	if (rsp & OFFCORE_PREFETCH)
		counted = counted && add_whole(&sum, rsp, OFFCORE_PREFETCH, CORE_PREFETCHES_L2);
	return counted ? sum : (struct event_sum){.burst = 1};
}

/* The selection has what the row's list has besides: its CMASK, and these flags; AnyThread changes
 * nothing where a core has one thread. */
static bool has_bits(uint64_t select, uint64_t other)
{
	uint64_t flags = EVTSEL_EDGE | EVTSEL_INV;

	if (other & EVTSEL_CMASK && (select & EVTSEL_CMASK) != (other & EVTSEL_CMASK))
		return false;
	return (select & other & flags) == (other & flags);
}

const struct event *event_find(const struct personality *p, uint64_t select)
{
	const struct event_table *table = p->vendor->events;
	uint64_t selected = select & ~table->ignored;
	unsigned code = evtsel_code(selected), umask = evtsel_umask(select);
	const struct event *found = NULL;

	for (unsigned i = 0; i < table->count; i++) {
		const struct event *e = &table->rows[i];

		if (e->select != code || e->umask != umask || !(e->sets & p->events) ||
		    !has_bits(select, e->other))
			continue;
		if (!found || e->other)
			found = e;
	}
	return found;
}

const char *event_name_at(const struct personality *p, unsigned *index, uint64_t *select)
{
	const struct event_table *table = p->vendor->events;

	while (*index < table->count) {
		const struct event *e = &table->rows[(*index)++];

		if (!(e->sets & p->events))
			continue;
		*select = (e->select & EVTSEL_EVENT) | (uint64_t)(e->select >> 8) << 32 |
			  (uint64_t)e->umask << 8 | e->other;
		return e->name;
	}
	return NULL;
}

int event_offcore(const struct personality *personality, uint64_t select)
{
	const struct event *e = event_find(personality, select);

	return e && e->offcore != NO_OFFCORE ? e->offcore : -1;
}

static struct event_rate plain_rate(const struct event *e, const uint64_t offcore[2])
{
	struct event_rate rate = {.per_scale = e->share, .basis = BASIS_RATE};

	if (e->offcore != NO_OFFCORE)
		rate.per_scale = offcore_rate(offcore[e->offcore]);
	else if (e->share && !e->terms[1] && e->terms[0] == CORE_BRANCHES)
		rate.basis = BASIS_BRANCHES;
	else if (e->share && !e->terms[1] && e->terms[0] == CORE_MISPREDICTED)
		rate.basis = BASIS_MISPREDICTS;
	return rate;
}

/*
 * CMASK counts cycles instead of events: cycles with at least CMASK events, with INV cycles with
 * fewer; E counts how often that starts. The model's events come in bursts: `burst` of them in one
 * cycle, and quiet cycles between bursts while there are any.
 */
static struct event_rate masked_rate(struct event_rate rate, const struct event *e, uint64_t select)
{
	unsigned cmask = evtsel_cmask(select), burst = e->burst == IN_CYCLES ? 1 : e->burst;
	bool edge = select & EVTSEL_EDGE, inverted = cmask && (select & EVTSEL_INV);
	uint64_t active = cmask > burst ? 0 : rate.per_scale / burst;

	if (!cmask && !edge)
		return rate;
	if (active > CYCLES_RATE)
		active = CYCLES_RATE;
	if (edge || inverted)
		rate.basis = BASIS_RATE;
	if (edge)
		rate.per_scale = active < CYCLES_RATE - active ? active : CYCLES_RATE - active;
	else
		rate.per_scale = inverted ? CYCLES_RATE - active : active;
	return rate;
}

/* A core executes instructions and branches as they are; the rest is its simulation's. */
static bool is_exact(const struct event_sum *sum)
{
	for (unsigned i = 0; i < CORE_TERMS; i++)
		if (sum->terms[i] && sum->terms[i] != CORE_INSTRUCTIONS &&
		    (sum->terms[i] < CORE_BRANCHES || sum->terms[i] > CORE_FAR_BRANCHES))
			return false;
	return sum->cycles == SUM_EVENTS;
}

static uint8_t source_of_sum(const struct event_sum *sum)
{
	if (sum->estimated)
		return VISOR_COUNTS_ESTIMATED;
	if (!sum->terms[0])
		return VISOR_COUNTS_NOTHING;
	return is_exact(sum) ? VISOR_COUNTS_EXACT : VISOR_COUNTS_SIMULATED;
}

static struct event_meaning meaning_of_core(const struct event *e, uint64_t select,
					    const uint64_t offcore[2])
{
	struct event_meaning meaning = {.sum = e->offcore != NO_OFFCORE
						   ? event_offcore_sum(offcore[e->offcore])
						   : event_row_sum(e, select)};

	meaning.source = source_of_sum(&meaning.sum);
	return meaning;
}

static struct event_meaning meaning_of_share(const struct event *e, uint64_t select,
					     const uint64_t offcore[2])
{
	struct event_rate plain = plain_rate(e, offcore);
	struct event_meaning meaning = {.rate = masked_rate(plain, e, select),
					.source = VISOR_COUNTS_NOTHING};

	if (plain.per_scale)
		meaning.source = VISOR_COUNTS_SHARE;
	if (e->terms[0] == CORE_INSTRUCTIONS && !(select & (EVTSEL_CMASK | EVTSEL_EDGE)))
		meaning.source = VISOR_COUNTS_EXACT;
	return meaning;
}

struct event_meaning event_meaning(const struct personality *personality, uint64_t select,
				   const uint64_t offcore[2], bool core)
{
	const struct event *e = event_find(personality, select);

	if (!e)
		return (struct event_meaning){.source = VISOR_COUNTS_NOTHING};
	if (e->burst != IN_CYCLES)
		select &= ~e->other; /* the event's own; what is left says how it is counted */
	return core ? meaning_of_core(e, select, offcore) : meaning_of_share(e, select, offcore);
}

int event_component(const struct personality *personality, uint64_t select)
{
	uint64_t selected = select & ~personality->vendor->events->ignored;

	return evtsel_code(selected) == VISOR_EVENT_SELECT ? (int)evtsel_umask(select) : -1;
}

struct event_meaning event_meaning_component(unsigned number, uint64_t select)
{
	static const uint64_t no_offcore[2];
	const struct event row = {
	    .burst = 1, .terms = {(uint8_t)(CORE_COMPONENT_0 + number)}, .offcore = NO_OFFCORE};

	return meaning_of_core(&row, select, no_offcore);
}

struct event_meaning event_meaning_fixed(unsigned index, bool core)
{
	static const struct {
		uint32_t rate;
		uint8_t term;
	} fixed[] = {{EVENT_SCALE, CORE_INSTRUCTIONS},
		     {CYCLES_RATE, CORE_CYCLES},
		     {REF_RATE, CORE_REF_CYCLES},
		     {SLOTS_RATE, CORE_SLOTS}};
	struct event_meaning meaning = {.source = VISOR_COUNTS_NOTHING};

	if (index >= COUNT(fixed))
		return meaning;
	if (core)
		meaning.sum.terms[0] = fixed[index].term;
	else
		meaning.rate.per_scale = fixed[index].rate;
	if (fixed[index].term == CORE_INSTRUCTIONS)
		meaning.source = VISOR_COUNTS_EXACT;
	else
		meaning.source = core ? VISOR_COUNTS_SIMULATED : VISOR_COUNTS_SHARE;
	return meaning;
}
