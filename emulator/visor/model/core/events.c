/* SPDX-License-Identifier: BSD-2-Clause */
/* The rate of the event that a counter selects. */
#include "emulator/visor/model/core/events.h"

#include <stdbool.h>
#include <stddef.h>

#include "emulator/visor/model/core/event_rows.h"
#include "emulator/visor/model/core/personality.h"
#include "emulator/visor/model/core/registers.h"
#include "emulator/visor/model/core/vendor.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Bits of OFFCORE_RSP_x (SDM vol. 3, "Off-core Response Performance Monitoring", Skylake). */
#define OFFCORE_READ         REG_BIT(0)
#define OFFCORE_RFO          REG_BIT(1)
#define OFFCORE_ANY_RESPONSE REG_BIT(16)
#define OFFCORE_L3_HIT       REG_BITS(18, 20)
#define OFFCORE_L3_MISS      REG_BIT(26) /* local memory; 27 to 29: remote */
#define OFFCORE_SNOOP        REG_BITS(30, 37)

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
	return rate;
}

static const struct event *event_find(const struct personality *p, uint64_t select)
{
	const struct event_table *table = p->vendor->events;

	uint64_t selected = select & ~table->ignored;
	unsigned code = evtsel_code(selected), umask = evtsel_umask(select);

	for (unsigned i = 0; i < table->count; i++) {
		const struct event *e = &table->rows[i];

		if ((e->sets & p->events) && e->select == code && e->umask == umask)
			return e;
	}
	return NULL;
}

int event_offcore(const struct personality *personality, uint64_t select)
{
	const struct event *e = event_find(personality, select);

	return e && e->unit == PER_OFFCORE ? (int)e->rate : -1;
}

static void add_term(struct event_sum *sum, enum core_quantity term)
{
	for (unsigned i = 0; i < CORE_TERMS; i++)
		if (!sum->terms[i]) {
			sum->terms[i] = (uint8_t)term;
			return;
		}
}

/* Hits are distinguished by the source of the line, for loads only. */
struct event_sum event_offcore_sum(uint64_t rsp)
{
	struct event_sum sum = {.burst = 1};
	bool any = rsp & OFFCORE_ANY_RESPONSE, some = any || (rsp & OFFCORE_SNOOP);

	if ((rsp & OFFCORE_READ) && any) {
		add_term(&sum, CORE_LAST_LOADS);
	} else if ((rsp & OFFCORE_READ) && some) {
		if (rsp & OFFCORE_L3_HIT) {
			add_term(&sum, CORE_LOADS_L3);
			add_term(&sum, CORE_LOADS_HITM);
		}
		if (rsp & OFFCORE_L3_MISS)
			add_term(&sum, CORE_LAST_LOAD_MISSES);
	}
	if ((rsp & OFFCORE_RFO) && any)
		add_term(&sum, CORE_LAST_STORES);
	else if ((rsp & OFFCORE_RFO) && some && (rsp & OFFCORE_L3_MISS))
		add_term(&sum, CORE_LAST_STORE_MISSES);
	return sum;
}

static struct event_rate plain_rate(const struct event *e, const uint64_t offcore[2])
{
	struct event_rate rate = {.per_scale = e->rate, .basis = BASIS_RATE};

	switch (e->unit) {
	case PER_BRANCH:
		rate.basis = BASIS_BRANCHES;
		break;
	case PER_MISPREDICT:
		rate.basis = BASIS_MISPREDICTS;
		break;
	case PER_OFFCORE:
		rate.per_scale = offcore_rate(offcore[e->rate]);
		break;
	}
	return rate;
}

/*
 * CMASK counts cycles instead of events: cycles with at least CMASK events, with INV cycles with
 * fewer; E counts how often that starts. The model's events come in bursts: `burst` of them in one
 * cycle, and quiet cycles between bursts while there are any.
 */
static struct event_rate masked_rate(struct event_rate rate, const struct event *e, uint64_t select)
{
	unsigned cmask = evtsel_cmask(select);
	bool edge = select & EVTSEL_EDGE, inverted = cmask && (select & EVTSEL_INV);
	uint64_t active = cmask > e->burst ? 0 : rate.per_scale / e->burst;

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

struct event_rate event_rate(const struct personality *personality, uint64_t select,
			     const uint64_t offcore[2])
{
	const struct event *e = event_find(personality, select);

	if (!e)
		return (struct event_rate){0};
	return masked_rate(plain_rate(e, offcore), e, select);
}

struct event_rate event_rate_fixed(unsigned index)
{
	static const uint32_t rates[] = {EVENT_SCALE, CYCLES_RATE, REF_RATE, SLOTS_RATE};
	struct event_rate rate = {.basis = BASIS_RATE};

	if (index < COUNT(rates))
		rate.per_scale = rates[index];
	return rate;
}
