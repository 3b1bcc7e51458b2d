/* SPDX-License-Identifier: BSD-2-Clause */
/* The quantities of a simulated core that an event selection counts. */
#include <stddef.h>

#include "emulator/visor/model/core/events.h"
#include "emulator/visor/model/core/personality.h"
#include "emulator/visor/model/core/registers.h"
#include "emulator/visor/model/core/vendor.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct sum_row *find(const struct personality *p, uint64_t select)
{
	const struct sum_table *table = p->vendor->sums;
	uint64_t selected = select & ~p->vendor->events->ignored;
	unsigned code = evtsel_code(selected), umask = evtsel_umask(select);

	for (unsigned i = 0; i < table->count; i++) {
		const struct sum_row *row = &table->rows[i];

		if ((row->sets & p->events) && row->select == code && row->umask == umask)
			return row;
	}
	return NULL;
}

static enum sum_cycles cycles(uint64_t select)
{
	unsigned cmask = evtsel_cmask(select);

	if (select & EVTSEL_EDGE)
		return SUM_EDGES;
	if (!cmask)
		return SUM_EVENTS;
	return select & EVTSEL_INV ? SUM_QUIET : SUM_ACTIVE;
}

/* Cycles with at least one event of a quantity, if the core counts them. */
static const struct {
	uint8_t quantity, cycles;
} active_cycles[] = {
    {CORE_UOPS_ISSUED, CORE_ISSUE_CYCLES},
    {CORE_UOPS_RETIRED, CORE_RETIRE_CYCLES},
};

/* Returns the cycle quantity for a row with this CMASK, or CORE_NONE. */
static enum core_quantity cycles_of(const struct sum_row *row, unsigned cmask)
{
	if (row->burst == SUM_BURST_CYCLES)
		return row->terms[0];
	for (unsigned i = 0; cmask == 1 && i < COUNT(active_cycles); i++)
		if (active_cycles[i].quantity == row->terms[0])
			return active_cycles[i].cycles;
	return CORE_NONE;
}

struct event_sum event_sum(const struct personality *personality, uint64_t select,
			   const uint64_t offcore[2])
{
	const struct sum_row *row = find(personality, select);
	struct event_sum sum = {.burst = 1};
	unsigned cmask = evtsel_cmask(select);

	if (event_offcore(personality, select) >= 0)
		return event_offcore_sum(offcore[event_offcore(personality, select)]);
	if (!row)
		return sum;
	if (cycles_of(row, cmask) != CORE_NONE)
		return (struct event_sum){
		    .terms = {cycles_of(row, cmask)},
		    .cycles = (uint8_t)(cycles(select) == SUM_ACTIVE ? SUM_EVENTS : cycles(select)),
		    .burst = 1};
	sum.cycles = (uint8_t)cycles(select);
	sum.burst = row->burst;
	for (unsigned i = 0; i < CORE_TERMS; i++)
		sum.terms[i] = row->terms[i];
	/* CMASK is never reached: with INV every cycle counts, else none. */
	if (cmask > row->burst && !(select & EVTSEL_EDGE))
		sum = (struct event_sum){.terms = {select & EVTSEL_INV ? CORE_CYCLES : CORE_NONE}};
	return sum;
}

struct event_sum event_sum_fixed(unsigned index)
{
	static const uint8_t terms[] = {CORE_INSTRUCTIONS, CORE_CYCLES, CORE_REF_CYCLES,
					CORE_SLOTS};

	return (struct event_sum){.terms = {index < COUNT(terms) ? terms[index] : CORE_NONE}};
}
