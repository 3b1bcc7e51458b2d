/* SPDX-License-Identifier: BSD-2-Clause */
/* Which quantities of a simulated core an event selection counts. */
#include "emulator/visor/model/base/event_rows.h"
#include "emulator/visor/model/base/registers.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

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

/* The quantity of cycles that a row with this CMASK is about, or CORE_NONE. */
static enum core_quantity cycles_of(const struct event *row, unsigned cmask)
{
	if (row->burst == IN_CYCLES)
		return row->terms[0];
	for (unsigned i = 0; cmask == 1 && i < COUNT(active_cycles); i++)
		if (active_cycles[i].quantity == row->terms[0])
			return active_cycles[i].cycles;
	return CORE_NONE;
}

struct event_sum event_row_sum(const struct event *row, uint64_t select)
{
	struct event_sum sum = {.cycles = (uint8_t)cycles(select), .burst = row->burst};
	unsigned cmask = evtsel_cmask(select);

	if (cycles_of(row, cmask) != CORE_NONE)
		return (struct event_sum){
		    .terms = {cycles_of(row, cmask)},
		    .cycles = (uint8_t)(cycles(select) == SUM_ACTIVE ? SUM_EVENTS : cycles(select)),
		    .burst = 1,
		    .estimated = select & EVTSEL_EDGE};
	sum.estimated = sum.cycles != SUM_EVENTS && row->terms[0];
	for (unsigned i = 0; i < CORE_TERMS; i++)
		sum.terms[i] = row->terms[i];
	/* CMASK is never reached: with INV every cycle counts, else none. */
	if (cmask > row->burst && !(select & EVTSEL_EDGE))
		sum = (struct event_sum){.terms = {select & EVTSEL_INV ? CORE_CYCLES : CORE_NONE},
					 .estimated = true};
	return sum;
}
