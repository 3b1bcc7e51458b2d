/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a pipeline has worked out before: from a state (all that is in flight, as seen from the
 * present cycle) a block whose accesses and branch come to the same takes the same cycles to the
 * same state. A loop soon finds all of its way known. Results are those of working it out, to the
 * cycle. After Schnarr and Larus, Fast Out-Of-Order Processor Simulation Using Memoization (1998).
 */
#ifndef CORE_PIPE_MEMO_H
#define CORE_PIPE_MEMO_H

#include "core/pipe/pipeline_state.h"

#define LIKELY 4 /* a power of two */

struct memo_state {
	struct memo_edge *likely[LIKELY]; /* that were followed last, by memo_slot() */
	uint64_t hash;
	uint16_t nr, words[];
};

struct memo_count {
	uint32_t which, n;
};

/* Cycles from the block's begin. */
struct memo_store {
	uint32_t ready, gone;
};

/* A block that was run in a state, and what it came to: a line of the host's cache, and behind it
 * what is seldom looked at. */
struct memo_edge {
	const struct block *block;
	uint64_t key; /* of what happened to the block */
	const struct memo_state *from, *to;
	uint64_t runs;         /* not yet in the counts */
	struct memo_edge *ran; /* the next with runs */
	uint32_t cycles;
	uint16_t executed;
	uint8_t nr_counts, nr_stores;
	struct memo_store stores[]; /* then the counts */
};

/* Returns NULL without memory. */
struct memo *memo_new(void);
void memo_free(struct memo *memo);

static inline unsigned memo_slot(const struct block *block, uint64_t key)
{
	return (key ^ (uintptr_t)block >> 5) % LIKELY;
}

/* Follows a known way from the present state. Returns false when there is none. */
bool memo_search(struct pipeline *pipeline, const struct block *block, uint64_t key);
/* The edge has been followed once more, from the state that the pipeline is in. */
void memo_take(struct pipeline *pipeline, struct memo_edge *edge);

static inline bool memo_follow(struct pipeline *pipeline, const struct block *block, uint64_t key)
{
	struct memo_edge *edge;

	if (!pipeline->at)
		return false;
	edge = pipeline->at->likely[memo_slot(block, key)];
	if (!edge || edge->block != block || edge->key != key)
		return memo_search(pipeline, block, key);
	memo_take(pipeline, edge);
	return true;
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
