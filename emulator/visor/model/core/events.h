/* SPDX-License-Identifier: BSD-2-Clause */
/* The count of an event selection per retired instruction: the model's event tables. */
#ifndef VISOR_MODEL_EVENTS_H
#define VISOR_MODEL_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/core_page.h"

struct event;
struct personality;

/* A vendor's events: emulator/visor/model/core/event_rows.h. */
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

/* The basis of a count, if exact events are known. */
enum event_basis {
	BASIS_RATE,        /* always the rate */
	BASIS_BRANCHES,    /* branches where they are known, otherwise the rate */
	BASIS_MISPREDICTS, /* mispredicted branches where they are known, otherwise the rate */
};

struct event_rate {
	uint64_t per_scale; /* events per EVENT_SCALE instructions; 0: counts nothing */
	enum event_basis basis;
};

/*
 * Returns the rate of an IA32_PERFEVTSELx value: event, unit mask, E, INV and CMASK; other bits are
 * ignored. `offcore` are the two OFFCORE_RSP registers.
 */
struct event_rate event_rate(const struct personality *personality, uint64_t select,
			     const uint64_t offcore[2]);
/* How CMASK, INV and E convert a core's events to cycles. */
enum sum_cycles {
	SUM_EVENTS, /* they do not */
	SUM_ACTIVE, /* cycles with events: so many of them in each, as the row says */
	SUM_QUIET,  /* the other ones */
	SUM_EDGES,  /* how often events begin */
};

/* The quantities of a simulated core that a selection counts. No term: nothing. */
struct event_sum {
	uint8_t terms[CORE_TERMS]; /* enum core_quantity */
	uint8_t cycles;            /* enum sum_cycles */
	uint8_t burst;             /* events in a cycle that has some */
};

/* The event counts cycles: CMASK belongs to the event then and does not change the count. */
#define SUM_BURST_CYCLES 0

/* A row of a vendor's table: the quantities that a selection counts. */
struct sum_row {
	uint16_t select;
	uint8_t umask;
	uint32_t sets; /* enum event_set: processors that have it */
	uint8_t burst; /* how many of them happen in a cycle that has some, or SUM_BURST_CYCLES */
	uint8_t terms[CORE_TERMS];
};

struct sum_table {
	const struct sum_row *rows;
	uint16_t count;
};
extern const struct sum_table intel_sums, amd_sums;

/* As event_rate(), for a simulated core. */
struct event_sum event_sum(const struct personality *personality, uint64_t select,
			   const uint64_t offcore[2]);
struct event_sum event_sum_fixed(unsigned index);
/* Returns the OFFCORE_RSP register that qualifies the selection, or -1; and the quantities that its
 * value counts. */
int event_offcore(const struct personality *personality, uint64_t select);
struct event_sum event_offcore_sum(uint64_t rsp);

/* Returns the rate of fixed counter `index`. */
struct event_rate event_rate_fixed(unsigned index);

#endif
