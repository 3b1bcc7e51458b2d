/* SPDX-License-Identifier: BSD-2-Clause */
/* When the micro-operations of a segment begin and end. Private to the pipeline. */
#ifndef CORE_PIPE_SCHEDULE_H
#define CORE_PIPE_SCHEDULE_H

#include "core/pipe/pipeline.h"
#include "core/pipe/segment.h"

#define STATE_CYCLES    128 /* how far ahead a port's reservations are known */
#define EXECUTED_LEVELS 4

/*
 * What of the past still matters, in cycles from the present one; 0: past. Reservations: bit n of a
 * port: it begins a micro-operation n cycles from now; before the ports, cycles in which at least
 * 1, 2, 3, 4 begin anywhere.
 */
struct pipe_state {
	uint16_t ready[STATE_WORDS];
	uint64_t begins[EXECUTED_LEVELS + PIPE_PORTS_MAX][STATE_CYCLES / 64];
};

/* What an access to memory adds to the schedule: a kind and a number of cycles. 0: an L1D hit. */
enum {
	ACCESS_FORWARDED = 0,       /* cycles + 1 until a store's data are there */
	ACCESS_LATENCY = 0x4000,    /* cycles from its begin to its data */
	ACCESS_IN_FLIGHT = 0x6000,  /* cycles from now until its line is there */
	ACCESS_FROM_STORE = 0x8000, /* which of this segment's stores gives the data */
	ACCESS_BLOCKED = 0xc000,    /* cycles until a store has left the buffer */
	ACCESS_KIND = 0xe000,
	ACCESS_CYCLES = 0x1fff,
};

/* Cycles are counted from the segment's begin. */
struct outcome {
	uint32_t cycles;      /* until the next segment can issue */
	uint32_t retired;     /* when all has retired */
	uint32_t drained;     /* when its stores have left the buffer */
	uint32_t branch_done; /* when its branch has been executed */
	uint32_t missing;     /* when the last load that missed L1D has its data */
	uint16_t stall_scheduler, stall_serialise;
	uint16_t retire_cycles;
	uint16_t executed;
	uint8_t executed_levels[EXECUTED_LEVELS];
	uint8_t ports[PIPE_PORTS_MAX];
	uint16_t stored[SEGMENT_MEMORY_MAX]; /* by store: when its data can be forwarded */
};

struct scheduler {
	const struct core_config *config;
	uint32_t reciprocal;    /* of the width, times 65536 */
	unsigned tracks;        /* of begins[] that this core uses */
	uint64_t *fill_buffers; /* when each is free, in cycles since the pipeline's begin */
	uint64_t now;           /* the segment's begin in the same */
};

void scheduler_init(struct scheduler *scheduler, const struct core_config *config);

/* Lets cycles pass. */
void state_age(const struct scheduler *scheduler, struct pipe_state *state, uint32_t cycles);

bool state_equal(const struct scheduler *scheduler, const struct pipe_state *a,
		 const struct pipe_state *b);

/*
 * Runs a segment: state is what it finds, and afterwards what it leaves, as seen from out->cycles.
 * access: by the segment's accesses to memory.
 */
void schedule(const struct scheduler *scheduler, const struct segment *segment,
	      const uint16_t access[SEGMENT_MEMORY_MAX], struct pipe_state *state,
	      struct outcome *out);

#endif
