/* SPDX-License-Identifier: BSD-2-Clause */
/* Start and end times of a segment's micro-operations. Private to the pipeline. */
#ifndef CORE_PIPE_SCHEDULE_H
#define CORE_PIPE_SCHEDULE_H

#include "emulator/sim/pipeline/memo/segment.h"
#include "emulator/sim/pipeline/pipeline.h"

#define FILL_BUFFERS_MAX 256
#define BLOCK_STORES_MAX 1024 /* stores of a block that loads can depend on */

/* The effect of a memory access on the schedule: a kind and a number of cycles. 0: an L1D hit. */
enum {
	ACCESS_FORWARDED = 0, /* cycles + 1 from the block's begin until a store's data are there */
	ACCESS_RENAMED = 0x2000,    /* as ACCESS_FORWARDED, from a store by memory renaming */
	ACCESS_LATENCY = 0x4000,    /* cycles from its begin to its data */
	ACCESS_IN_FLIGHT = 0x6000,  /* cycles from the block's begin until its line is there */
	ACCESS_FROM_STORE = 0x8000, /* which of this block's stores gives the data */
	ACCESS_RENAMED_BY = 0xa000, /* as ACCESS_FROM_STORE, by memory renaming */
	ACCESS_BLOCKED =
	    0xc000, /* cycles from the block's begin until a store has left the buffer */
	ACCESS_ALIASED = ACCESS_BLOCKED, /* without cycles: the load is issued twice */
	ACCESS_BLOCKED_BY = 0xe000,      /* which of this block's stores must have left it */
	ACCESS_KIND = 0xe000,
	ACCESS_CYCLES = 0x1fff,
	ACCESS_SPLIT = 0x1000, /* with ACCESS_FORWARDED and ACCESS_FROM_STORE: over two lines */
};

static inline bool is_renamed(uint16_t access)
{
	return (access & ACCESS_KIND) == ACCESS_RENAMED ||
	       (access & ACCESS_KIND) == ACCESS_RENAMED_BY;
}

#define FAR_MISS 24 /* loads that take longer hold a fill buffer that others may wait for */

/* Returns the fill buffer of a load that begins then: of the free ones the last one used, so that a
 * chain of loads, which begin far ahead, uses one and leaves the others to earlier loads; else the
 * first to become free. count: at least 1. */
static inline uint64_t *fill_buffer(uint64_t *fill, unsigned count, uint64_t begin)
{
	uint64_t *best = fill;

	for (unsigned i = 1; i < count; i++) {
		bool free = fill[i] <= begin, after = fill[i] > *best;

		if (*best <= begin ? free && after : !after)
			best = &fill[i];
	}
	return best;
}

#define DRAIN_PARTS 6 /* of a cycle: L1D takes one to three stores in it */

/* When a store's data can be forwarded, and when it leaves the buffer: cycles from the block's
 * begin. */
struct store_times {
	uint32_t ready, gone;
};

/* All times that the next segment depends on, in cycles since the pipeline's start. */
struct times {
	uint64_t word[TIME_WORDS]; /* by enum time_word */
	uint64_t port[ALL_PORTS];  /* when the port has done what it was given so far */
	uint64_t port_last;        /* the latest of them */
	uint64_t drained;          /* when the store buffer is empty, in DRAIN_PARTS */
	uint64_t missed, missing;  /* the segment's first load that misses L1D; the last has data */
	uint64_t fill[FILL_BUFFERS_MAX];            /* when each fill buffer is free */
	uint64_t block;                             /* the running block's begin */
	struct store_times store[BLOCK_STORES_MAX]; /* of its segments so far */
};

/* Returns the cycle in which the store buffer is empty. */
static inline uint64_t drained_cycle(const struct times *times)
{
	return (times->drained + DRAIN_PARTS - 1) / DRAIN_PARTS;
}

/*
 * Runs a segment that starts to issue in that cycle. access: by the segment's memory accesses;
 * plain: all are L1D hits.
 */
void schedule(struct times *times, const struct core_config *config, const struct segment *segment,
	      const uint16_t *access, bool plain, uint64_t begin);

#endif
