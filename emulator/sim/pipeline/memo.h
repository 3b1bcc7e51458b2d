/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a pipeline has worked out before: from a state (all that is in flight, as seen from the
 * present cycle) a block whose accesses and branch come to the same takes the same cycles to the
 * same state. A loop soon finds all of its way known. Results are those of working it out, to the
 * cycle. After Schnarr and Larus, Fast Out-Of-Order Processor Simulation Using Memoization (1998).
 */
#ifndef CORE_PIPE_MEMO_H
#define CORE_PIPE_MEMO_H

#include "emulator/sim/pipeline/pipeline_state.h"

#define LIKELY 4 /* a power of two */

/* A way out of a state: what following it takes, two of them in a line of the host's cache. */
struct memo_way {
	const struct block *block; /* NULL: there is none */
	uint64_t key;              /* of what happened to the block */
	uint32_t to, edge;         /* where they lie in the arena, in lines */
	uint32_t cycles;
	uint32_t runs; /* not yet in the counts */
};

struct memo_state {
	struct memo_way likely[LIKELY]; /* that were followed last, by memo_slot() */
	struct memo_state *ran;         /* the next with runs */
	bool has_run;                   /* it is among the states with runs */
	uint16_t nr;
	uint64_t hash;
	uint16_t words[];
};

struct memo_count {
	uint32_t which, n;
};

/* Cycles from the block's begin. */
struct memo_store {
	uint32_t ready, gone;
};

/* A block that was run in a state, and all that it came to. */
struct memo_edge {
	const struct block *block;
	uint64_t key;
	const struct memo_state *from, *to;
	uint32_t cycles;
	uint16_t executed;
	uint8_t nr_counts, nr_stores;
	struct memo_store stores[]; /* then the counts */
};

/* Returns false without memory. */
bool memo_new(struct pipeline *pipeline);
void memo_free(struct memo *memo);

static inline unsigned memo_slot(const struct block *block, uint64_t key)
{
	return (key ^ (uintptr_t)block >> 5) % LIKELY;
}

#define MEMO_LINE 64 /* states and edges lie at the begin of one */

/* The same of a way that is not the likely one. */
bool memo_search(struct pipeline *pipeline, const struct block *block, uint64_t key);
/* The way's stores get their times. */
void memo_store_times(struct pipeline *pipeline, const struct memo_way *way);
/* A state's first way since its counts were settled. */
void memo_has_run(struct pipeline *pipeline, struct memo_state *state);

/* Goes the way from the state that the pipeline is in. */
static inline void memo_take(struct pipeline *pipeline, struct memo_state *from,
			     struct memo_way *way)
{
	const struct memo_state *to;

	if (!way->runs++ && !from->has_run)
		memo_has_run(pipeline, from);
	if (pipeline->written_count)
		memo_store_times(pipeline, way);
	pipeline->followed++;
	pipeline->cycles += way->cycles;
	to = (const void *)(pipeline->arena + (size_t)way->to * MEMO_LINE);
	pipeline->at = to;
	__builtin_prefetch(to);
	__builtin_prefetch((const char *)to + MEMO_LINE);
}

/* What happened to the block that has run. */
static inline uint64_t memo_key(const struct pipeline *pipeline, const struct block_events *events)
{
	return pipeline->key ^ ((uint64_t)events->fetch_cycles << 32 | events->executed << 3 |
				events->taken << 2 | events->mispredicted << 1 | events->resteered);
}

/* Follows a known way from the present state. Returns false when there is none. */
static inline bool memo_follow(struct pipeline *pipeline, const struct block *block, uint64_t key)
{
	struct memo_state *at = (struct memo_state *)pipeline->at;
	struct memo_way *way;

	if (!at)
		return false;
	way = &at->likely[memo_slot(block, key)];
	if (way->block != block || way->key != key)
		return memo_search(pipeline, block, key);
	memo_take(pipeline, at, way);
	return true;
}

/* pipeline_block(), of a block that most likely does what it did before. */
static inline void pipeline_block_quick(struct pipeline *pipeline, struct block *block,
					const struct block_events *events)
{
	struct memo_state *at = (struct memo_state *)pipeline->at;
	uint64_t key = memo_key(pipeline, events);
	struct memo_way *way = at ? &at->likely[memo_slot(block, key)] : NULL;

	if (!way || way->block != block || way->key != key || pipeline->repeating ||
	    block->repeats) {
		pipeline_block(pipeline, block, events);
		return;
	}
	memo_take(pipeline, at, way);
	pipeline->noted_count = 0;
	pipeline->filled = false;
	pipeline->key = 0;
}

/* The block is going to be worked out: what is in flight is there again. */
void memo_begin(struct pipeline *pipeline, struct block *block);
/* It was, from memo_begin() on: remembers it, if that pays. */
void memo_end(struct pipeline *pipeline, const struct block *block, uint64_t key,
	      unsigned executed);
/* The pipeline's state is in its own words again. */
void memo_leave(struct pipeline *pipeline);
/* What was followed becomes part of the counts. */
void memo_settle(struct pipeline *pipeline);
/* Forgets everything: blocks are about to go. */
void memo_clear(struct pipeline *pipeline);

#endif
