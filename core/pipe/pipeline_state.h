/* SPDX-License-Identifier: BSD-2-Clause */
/* What a pipeline keeps. Private to it. */
#ifndef CORE_PIPE_PIPELINE_STATE_H
#define CORE_PIPE_PIPELINE_STATE_H

#include "core/pipe/schedule.h"

#define WINDOW       2048 /* segments in flight, a power of two above any ROB's slots */
#define STORE_WINDOW 512  /* of them, those that store */
#define STORED       128  /* words of 8 bytes that stores wrote lately, a power of two */
#define STORED_KNOWN 0xff
#define WRITTEN_MAX  64
#define TIME_SHIFT   16 /* fractions of cycles in slots' times */

/* A segment in flight: when its slots and its entries of the load buffer are free again. */
struct in_flight {
	uint64_t retired;
	uint16_t slots, loads;
};

/* The same of its entries of the store buffer. */
struct draining {
	uint64_t drained;
	uint16_t stores;
};

/* What a store left in the store buffer for one aligned word of 8 bytes. */
struct stored {
	uint64_t word;  /* address / 8 */
	uint64_t ready; /* when its data can be forwarded */
	uint64_t gone;  /* when it has left the buffer */
	uint8_t mask;   /* bytes */
	uint8_t number; /* of its segment's stores; STORED_KNOWN once ready and gone are known */
};

struct pipeline {
	const struct core_config *config;
	uint32_t slot_time; /* of one slot, in cycles << TIME_SHIFT */
	uint64_t now;       /* when the next slot issues, in cycles << TIME_SHIFT */
	uint64_t resume;    /* nothing issues before this cycle */
	uint16_t bubble;    /* slots that the front end leaves empty before the next block */
	uint64_t repeating; /* address of the last instruction, if it repeats; 0: it does not */
	uint32_t repeated_bytes;
	uint64_t instructions;
	struct times times;
	uint64_t missing[3]; /* until when loads miss L1D, L2, L3 */
	unsigned level;      /* enum mem_level: of the present segment's loads, the farthest */

	struct in_flight window[WINDOW];
	unsigned first, behind; /* of window: the oldest, the next to fill */
	unsigned slots, loads;  /* in flight */
	struct draining storing[STORE_WINDOW];
	unsigned first_store, behind_store, stores;

	struct stored stored[STORED];
	struct stored *written[WRITTEN_MAX]; /* by the present segment */
	unsigned written_count;

	union block_adds added;              /* fixed counts, not yet in counts */
	uint64_t port_parts[PIPE_PORTS_MAX]; /* done by each port, in parts */
	uint32_t added_blocks;               /* how many blocks' */
	uint64_t counts[PIPE_COUNTS];
};

/*
 * What the segment's accesses add to its schedule: takes them from the block's, from *next on, and
 * moves *next behind them. begin: of the segment, in cycles. Returns whether it is anything.
 */
bool take_accesses(struct pipeline *pipeline, const struct segment *segment,
		   const struct block_events *events, unsigned *next, uint64_t begin,
		   uint16_t access[SEGMENT_MEMORY_MAX]);

/* The segment's stores now have their times. */
void finish_stores(struct pipeline *pipeline);

/* Moves the fixed counts to the others. */
void add_up(struct pipeline *pipeline);

#endif
