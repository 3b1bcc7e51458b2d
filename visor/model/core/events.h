/* SPDX-License-Identifier: BSD-2-Clause */
/* What an event selection counts for each instruction retired: the event tables of the model. */
#ifndef VISOR_MODEL_EVENTS_H
#define VISOR_MODEL_EVENTS_H

#include <stdint.h>

struct event;
struct personality;

/* A vendor's events: visor/model/core/event_rows.h. */
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

/* What is counted where it is known. */
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
 * The rate of an IA32_PERFEVTSELx value: event, unit mask, E, INV and CMASK; other bits are
 * ignored. `offcore` are the two OFFCORE_RSP registers, `clock_shift` as in model_set_clock().
 */
struct event_rate event_rate(const struct personality *personality, uint64_t select,
			     const uint64_t offcore[2], unsigned clock_shift);
/* The rate of fixed counter `index`. */
struct event_rate event_rate_fixed(unsigned index, unsigned clock_shift);

#endif
