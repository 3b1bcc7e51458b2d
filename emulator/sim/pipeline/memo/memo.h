/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memoization of the pipeline: from a state (everything in flight, relative to the present cycle) a
 * block with equal accesses and branch outcome takes the same number of cycles to the same next
 * state. A loop soon runs from the memo alone. Results are equal to simulation, to the cycle. After
 * Schnarr and Larus, Fast Out-Of-Order Processor Simulation Using Memoization (1998).
 */
#ifndef CORE_PIPE_MEMO_H
#define CORE_PIPE_MEMO_H

#include "emulator/sim/pipeline/pipeline_state.h"

#define LIKELY 4 /* a power of two */

/* An edge from a state, with its cost; two edges fill a line of the host's cache. */
struct memo_way {
	const struct block *block; /* NULL: there is none */
	uint64_t key;              /* hash of the block's events */
	uint32_t to, edge;         /* their positions in the arena, in lines */
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

/* The run of a block from a state, with all its results. */
struct memo_edge {
	const struct block *block;
	uint64_t key;
	const struct memo_state *from, *to;
	uint32_t cycles;
	uint16_t executed;
	uint8_t nr_counts, nr_stores;
	struct store_times stores[]; /* since the block's start; then the counts */
};

/* Returns false if there is no memory. */
bool memo_new(struct pipeline *pipeline);
void memo_free(struct memo *memo);

static inline unsigned memo_slot(const struct block *block, uint64_t key)
{
	return (key ^ (uintptr_t)block >> 5) % LIKELY;
}

#define MEMO_LINE 64 /* states and edges start on a line */

/* As memo_follow(), for an edge that is not the likely one. */
bool memo_search(struct pipeline *pipeline, const struct block *block, uint64_t key);
/* Sets the times of the edge's stores. */
void memo_store_times(struct pipeline *pipeline, const struct memo_way *way);
/* Records a state's first followed edge since its counts were settled. */
void memo_has_run(struct pipeline *pipeline, struct memo_state *state);

/* Follows the edge from the pipeline's state. */
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

/* Returns the key of the block's events in this execution. */
static inline uint64_t memo_key(const struct pipeline *pipeline, const struct block_events *events)
{
	return pipeline->key ^
	       ((uint64_t)events->fetch_cycles << 32 | events->executed << 3 | events->outcome);
}

/* Follows a known edge from the present state. Returns false if there is none. */
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

/* pipeline_block() for a block that most likely behaves as before. */
static inline void pipeline_block_quick(struct pipeline *pipeline, struct block *block,
					const struct block_events *events)
{
	struct memo_state *at = (struct memo_state *)pipeline->at;
	uint64_t key = memo_key(pipeline, events);
	struct memo_way *way = at ? &at->likely[memo_slot(block, key)] : NULL;

	if (!way || way->block != block || way->key != key || pipeline->repeating ||
	    block->special) {
		pipeline_block(pipeline, block, events);
		return;
	}
	memo_take(pipeline, at, way);
	pipeline->noted_count = 0;
	pipeline->filled = false;
	pipeline->key = 0;
}

/* Before simulating the block: unpacks the work in flight. */
void memo_begin(struct pipeline *pipeline, struct block *block);
/* After simulating it, since memo_begin(): stores the edge, if that pays. */
void memo_end(struct pipeline *pipeline, const struct block *block, uint64_t key,
	      unsigned executed);
/* Unpacks the pipeline's state. */
void memo_leave(struct pipeline *pipeline);
/* Adds the followed edges to the counts. */
void memo_settle(struct pipeline *pipeline);
/* Forgets everything: blocks are about to be freed. */
void memo_clear(struct pipeline *pipeline);

#endif
