/* SPDX-License-Identifier: BSD-2-Clause */
/* The meaning of an event selection: the event tables of the model. */
#ifndef VISOR_MODEL_EVENTS_H
#define VISOR_MODEL_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/core_page.h"

struct event;
struct personality;

/* A vendor's events: emulator/visor/model/base/event_rows.h. */
struct event_table {
	const struct event *rows;
	uint16_t count;
	uint64_t ignored; /* bits of the selection that the vendor uses for something else */
};
extern const struct event_table intel_events, amd_events;

/* Rates are in events per EVENT_SCALE instructions. A power of two, small enough that 2^48 events
 * fit in 64 bits. */
#define EVENT_SCALE_SHIFT 14
#define EVENT_SCALE       (1u << EVENT_SCALE_SHIFT)

/* The events that are counted in place of the rate, where they are known. */
enum event_basis {
	BASIS_RATE,        /* always the rate */
	BASIS_BRANCHES,    /* branches where they are known, otherwise the rate */
	BASIS_MISPREDICTS, /* mispredicted branches where they are known, otherwise the rate */
};

struct event_rate {
	uint64_t per_scale; /* events per EVENT_SCALE instructions; 0: counts nothing */
	enum event_basis basis;
};

/* How CMASK, INV and E turn the events of a core into cycles. */
enum sum_cycles {
	SUM_EVENTS, /* they do not */
	SUM_ACTIVE, /* cycles with events: so many of them in each, as the row says */
	SUM_QUIET,  /* the other ones */
	SUM_EDGES,  /* how often events begin */
};

/* The quantities of a simulated core that a selection sums up. No term: it counts nothing. */
struct event_sum {
	uint8_t terms[CORE_TERMS]; /* enum core_quantity */
	uint8_t cycles;            /* enum sum_cycles */
	uint8_t burst;             /* events in a cycle that has some */
	bool estimated;            /* cycles, derived from events by `burst` */
};

/* The meaning of a counter, and where its counts come from. */
struct event_meaning {
	struct event_rate rate; /* without a core */
	struct event_sum sum;   /* of a core */
	uint8_t source;         /* VISOR_COUNTS_*, of abi/visor_cpuid.h */
};

/*
 * The meaning of an IA32_PERFEVTSELx value: event, unit mask, E, INV and CMASK; other bits are
 * ignored. `offcore` are the two OFFCORE_RSP registers; `core`: a core is simulated.
 */
struct event_meaning event_meaning(const struct personality *personality, uint64_t select,
				   const uint64_t offcore[2], bool core);
/* Returns the number of the component's event that the selection counts (VISOR_EVENT_SELECT); -1:
 * it is another event. */
int event_component(const struct personality *personality, uint64_t select);
/* As event_meaning(), for a component's event of a core that has it. */
struct event_meaning event_meaning_component(unsigned number, uint64_t select);
/* As event_meaning(), for fixed counter `index`. */
struct event_meaning event_meaning_fixed(unsigned index, bool core);

/* Returns the name of the processor's next event from row *index on, and its selection: event,
 * unit mask and the event's other bits. Sets *index to the row after it. NULL: none is left. */
const char *event_name_at(const struct personality *personality, unsigned *index, uint64_t *select);

/* Which OFFCORE_RSP register says what the selection counts, or -1. */
int event_offcore(const struct personality *personality, uint64_t select);

#endif
