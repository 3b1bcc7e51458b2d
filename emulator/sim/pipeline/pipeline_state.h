/* SPDX-License-Identifier: BSD-2-Clause */
/* A pipeline's state. Private to it. */
#ifndef CORE_PIPE_PIPELINE_STATE_H
#define CORE_PIPE_PIPELINE_STATE_H

#include "emulator/sim/config/mix.h"
#include "emulator/sim/pipeline/schedule.h"
#include "emulator/sim/pipeline/stored.h"

#define WINDOW       2048 /* segments in flight, a power of two above any ROB's slots */
#define STORE_WINDOW 512  /* of them, the ones that store */
#define NOTED_MAX    2048 /* no less than a block has accesses */
#define CYCLE_TICKS  840  /* parts of a cycle in slots' times: 1 to 8 slots share it evenly */

/* A segment in flight: when its slots and its load buffer entries become free. */
struct in_flight {
	uint64_t retired;
	uint16_t slots, loads;
};

/* The segment's entries of the store buffer. */
struct draining {
	uint64_t drained;
	uint16_t stores;
};

/* The effect of an access of the running block on its schedule
 * (emulator/sim/pipeline/schedule.h). */
struct noted {
	uint16_t place, adds;
	uint8_t level; /* enum mem_level: of a load */
	bool store;
	uint64_t done; /* the cycle in which its data are there, as far as is known */
};

struct memo;
struct memo_state;

struct pipeline {
	uint64_t cycles; /* first, as pipeline_cycles() says: now and resume in whole cycles */
	const struct core_config *config;

	/* The work in flight; stale while `at` is not NULL: then the state is *at, relative to
	 * `cycles`. */
	const struct memo_state *at;
	uint64_t now;       /* when the next slot issues, in ticks */
	uint64_t resume;    /* nothing issues before this cycle */
	uint32_t slot_time; /* of one slot, in ticks */
	uint16_t bubble;    /* slots that the front end leaves empty before the next block */
	struct times times;
	uint64_t missing[3]; /* until when loads miss L1D, L2, L3 */
	struct in_flight window[WINDOW];
	unsigned first, end;   /* of window: the oldest, the next to fill */
	unsigned slots, loads; /* in flight */
	struct draining storing[STORE_WINDOW];
	unsigned first_store, end_store, stores;

	/* The running block's. */
	struct noted noted[NOTED_MAX];
	unsigned noted_count;
	/* when each fill buffer becomes free, including recorded accesses, */
	uint64_t fill[FILL_BUFFERS_MAX];
	bool filled;              /* if it was asked for */
	uint64_t key;             /* of all that was noted */
	unsigned level;           /* enum mem_level: of the present segment's loads, the farthest */
	uint16_t written[STORED]; /* slots of `stored` with a store of the running block */
	unsigned written_count;
	uint64_t stored_round; /* BLOCK_STORES_MAX more with each block that stores */

	uint64_t stored_until[STORED]; /* when the slot's stores have left the buffer, or PENDING */
	struct stored_pair stored[STORED];
	bool upper;       /* upper halves of the vector registers may not be zero */
	bool backwards;   /* string instructions go down */
	bool other_upper; /* as `upper`, of the other ring: a kernel restores what it changes */
	bool other_backwards;
	uint64_t repeating; /* address of the last instruction, if it repeats; 0: it does not */
	uint32_t repeated_bytes;
	struct memo *memo;
	char *arena;       /* the memo's */
	uint64_t followed; /* ways, since the last one that was missing */

	uint64_t instructions;
	union block_adds added;              /* fixed counts, not yet in counts */
	uint64_t port_parts[PIPE_PORTS_MAX]; /* done by each port, in parts */
	uint32_t added_blocks;               /* how many blocks' */
	uint64_t counts[PIPE_COUNTS];
};

/* Returns the cycle of the next slot, from now and resume. */
static inline uint64_t present_cycle(const struct pipeline *pipeline)
{
	uint64_t now = pipeline->now / CYCLE_TICKS;

	return pipeline->resume > now ? pipeline->resume : now;
}

/* True if a load that hits L1D fits the schedule: the store buffer holds no word of its slot any
 * more. */
static inline bool pipeline_plain_load(const struct pipeline *pipeline, uint64_t vaddr,
				       unsigned size)
{
	return vaddr % STORED_WORD + size <= STORED_WORD &&
	       pipeline->stored_until[vaddr / STORED_WORD % STORED] <= pipeline->cycles;
}

/* True if pipeline_stores() may be called for a store that hits L1D, the block's `number`-th. */
static inline bool pipeline_plain_store(const struct pipeline *pipeline, uint64_t vaddr,
					unsigned size, uint16_t number)
{
	(void)pipeline;
	return number < BLOCK_STORES_MAX && vaddr % STORED_WORD + size <= STORED_WORD;
}

/* The running block's `number`-th store writes these bytes of a word. */
static inline void pipeline_stores_word(struct pipeline *pipeline, uint64_t word, uint8_t mask,
					uint16_t number)
{
	unsigned slot = word % STORED;
	struct stored *stored = stored_place(&pipeline->stored[slot], word, mask);

	stored->word = word;
	stored->id = pipeline->stored_round + number;
	stored->mask = mask;
	stored->number = number;
	if (pipeline->stored_until[slot] == STORED_PENDING)
		return;
	pipeline->stored_until[slot] = STORED_PENDING;
	pipeline->written[pipeline->written_count++] = (uint16_t)slot;
}

static inline void pipeline_stores(struct pipeline *pipeline, uint64_t vaddr, unsigned size,
				   uint16_t number)
{
	pipeline_stores_word(pipeline, vaddr / STORED_WORD,
			     (uint8_t)(0xffu >> (STORED_WORD - size) << vaddr % STORED_WORD),
			     number);
}

/* Advances by blocks of `instructions` instructions without timing: a cycle each. After
 * pipeline_drain(), or another call of this function. */
static inline void pipeline_pass(struct pipeline *pipeline, unsigned instructions)
{
	pipeline->cycles += instructions;
	pipeline->resume = pipeline->cycles;
}

/* True if pipeline_retired() is below `cycle`. A remembered state has no time that is further from
 * the present than a word of 16 bits. */
static inline bool pipeline_retires_before(const struct pipeline *pipeline, uint64_t cycle)
{
	return (pipeline->at && pipeline->cycles + UINT16_MAX < cycle) ||
	       pipeline_retired(pipeline) < cycle;
}

/* Extends a key by one more value. */
static inline uint64_t key_with(uint64_t key, uint64_t more)
{
	key = (key ^ more) * MIX_FIRST;
	return key ^ key >> 32;
}

/* Collects the recorded effects of the segment's accesses in access[]. Returns whether there are
 * any. */
bool take_accesses(struct pipeline *pipeline, const struct segment *segment,
		   uint16_t access[SEGMENT_MEMORY_MAX]);

/* Returns the effect of the store buffer on a load that hits L1D, as in schedule.h; 0: none. first:
 * no earlier piece of the load had any. */
uint16_t forward_load(struct pipeline *pipeline, const struct block *block,
		      const struct block_access *access, uint16_t place, bool first);
/* Notes a store of the running block, its `number`-th. */
void note_store(struct pipeline *pipeline, const struct block_access *access, uint16_t number);
/* Another processor has changed the address's line: the stores to it have left the buffer. */
void forget_stores(struct pipeline *pipeline, uint64_t vaddr);
/* Sets the times of the block's stores in all slots it has written, from its stores' times since
 * the cycle `since`. */
void finish_written(struct pipeline *pipeline, const struct block *block,
		    const struct store_times *times, uint64_t since);

/* Sets the times of the segment's stores. */
void finish_segment_stores(struct pipeline *pipeline, const struct segment *segment);
/* Adds the fixed counts to the others. */
void add_up(struct pipeline *pipeline);

#endif
