/* SPDX-License-Identifier: BSD-2-Clause */
/* The memo of the pipeline: states and edges in one arena, which is emptied when it is full. */
#include "emulator/sim/pipeline/memo/memo.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/sim/pipeline/memo/memo_state.h"

#define ARENA_BYTES (8u << 20)
#define STATE_SLOTS 16384 /* powers of two, never more than half full */
#define EDGE_SLOTS  65536
#define STORES_MAX  64 /* of a block that is remembered */
#define LINE        MEMO_LINE

#define COLD        8    /* runs before which a block is not remembered */
#define COST        12   /* of remembering, in blocks followed */
#define CREDIT_MAX  1024 /* maximum credit from hits */
#define CREDIT_MIN  -512
#define CREDIT_NEXT -256 /* after a pause */
#define PAUSE       512  /* blocks that nothing is remembered of when it does not pay */

struct memo {
	size_t used;
	uint32_t states, edges;
	struct memo_state *ran; /* the first with runs */
	int credit;
	unsigned pause;
	bool remember;                 /* the block that is being worked out */
	const struct memo_state *from; /* of the edge that is being made; NULL: of none */
	uint64_t begin, counts[PIPE_COUNTS];
	struct memo_state *state[STATE_SLOTS];
	struct memo_edge *edge[EDGE_SLOTS];
	char arena[ARENA_BYTES] __attribute__((aligned(LINE)));
};

bool memo_new(struct pipeline *pipeline)
{
	struct memo *memo = aligned_alloc(LINE, sizeof(*memo));

	if (!memo)
		return false;
	memset(memo, 0, offsetof(struct memo, arena));
	pipeline->memo = memo;
	pipeline->arena = memo->arena;
	return true;
}

void memo_free(struct memo *memo)
{
	free(memo);
}

/* Allocates from a new line of the host's cache. */
static void *memo_memo_take(struct memo *memo, size_t bytes)
{
	void *place = memo->arena + memo->used;

	memo->used += (bytes + LINE - 1) & ~(size_t)(LINE - 1);
	return place;
}

static bool is_full(const struct memo *memo)
{
	return memo->used + sizeof(struct memo_state) + sizeof(struct packed) +
		       sizeof(struct memo_edge) + STORES_MAX * sizeof(struct store_times) +
		       PIPE_COUNTS * sizeof(struct memo_count) + 4 * LINE >
		   ARENA_BYTES ||
	       memo->states >= STATE_SLOTS / 2 || memo->edges >= EDGE_SLOTS / 2;
}

static struct memo_count *counts_of(const struct memo_edge *edge)
{
	return (struct memo_count *)(edge->stores + edge->nr_stores);
}

/* ---- following ---- */

static size_t edge_slot(const struct memo_state *from, const struct block *block, uint64_t key)
{
	return key_with(key_with(key, (uintptr_t)from), (uintptr_t)block) % EDGE_SLOTS;
}

static struct memo_edge *edge_of(const struct memo *memo, const struct memo_way *way)
{
	return (struct memo_edge *)(memo->arena + (size_t)way->edge * LINE);
}

static uint32_t line_of(const struct memo *memo, const void *place)
{
	return (uint32_t)(((const char *)place - memo->arena) / LINE);
}

static void settle_way(struct pipeline *pipeline, struct memo_way *way)
{
	const struct memo_edge *edge;
	const uint32_t *adds;

	if (!way->runs)
		return;
	edge = edge_of(pipeline->memo, way);
	adds = edge->block->adds.each;
	for (unsigned i = 0; i < PIPE_PORT_FIRST; i++)
		pipeline->counts[i] += (uint64_t)adds[i] * way->runs;
	for (unsigned i = 0; i < PIPE_PORTS_MAX; i++)
		pipeline->port_parts[i] += (uint64_t)adds[PIPE_PORT_FIRST + i] * way->runs;
	for (unsigned i = 0; i < edge->nr_counts; i++)
		pipeline->counts[counts_of(edge)[i].which] +=
		    (uint64_t)counts_of(edge)[i].n * way->runs;
	pipeline->instructions += (uint64_t)edge->executed * way->runs;
	way->runs = 0;
}

void memo_settle(struct pipeline *pipeline)
{
	struct memo *memo = pipeline->memo;

	for (struct memo_state *state = memo->ran; state; state = state->ran) {
		for (unsigned i = 0; i < LIKELY; i++)
			settle_way(pipeline, &state->likely[i]);
		state->has_run = false;
	}
	memo->ran = NULL;
}

bool memo_search(struct pipeline *pipeline, const struct block *block, uint64_t key)
{
	const struct memo *memo = pipeline->memo;
	struct memo_state *at = (struct memo_state *)pipeline->at;
	struct memo_way *way = &at->likely[memo_slot(block, key)];
	size_t slot = edge_slot(at, block, key);
	struct memo_edge *edge;

	for (; (edge = memo->edge[slot]); slot = (slot + 1) % EDGE_SLOTS)
		if (edge->from == at && edge->block == block && edge->key == key) {
			settle_way(pipeline, way);
			*way = (struct memo_way){.block = block,
						 .key = key,
						 .to = line_of(memo, edge->to),
						 .edge = line_of(memo, edge),
						 .cycles = edge->cycles};
			memo_take(pipeline, at, way);
			return true;
		}
	return false;
}

void memo_has_run(struct pipeline *pipeline, struct memo_state *state)
{
	state->ran = pipeline->memo->ran;
	state->has_run = true;
	pipeline->memo->ran = state;
}

void memo_store_times(struct pipeline *pipeline, const struct memo_way *way)
{
	const struct memo_edge *edge = edge_of(pipeline->memo, way);

	finish_written(pipeline, edge->block, edge->stores, pipeline->cycles);
}

/* ---- remembering ---- */

static struct memo_state *intern(struct memo *memo, struct packed *packed)
{
	uint64_t hash = packed_hash(packed);
	size_t bytes = packed->nr * sizeof(packed->words[0]), slot;
	struct memo_state *state;

	for (slot = hash % STATE_SLOTS; (state = memo->state[slot]);
	     slot = (slot + 1) % STATE_SLOTS)
		if (state->hash == hash && state->nr == packed->nr &&
		    !memcmp(state->words, packed->words, bytes))
			return state;
	state = memo_memo_take(memo, sizeof(*state) + bytes);
	memset(state, 0, sizeof(*state));
	state->hash = hash;
	state->nr = packed->nr;
	memcpy(state->words, packed->words, bytes);
	memo->states++;
	return memo->state[slot] = state;
}

/* Replaces the pipeline's present state by an interned one. */
static const struct memo_state *memo_enter(struct pipeline *pipeline)
{
	struct packed packed;

	if (!state_pack(pipeline, &packed))
		return NULL;
	return pipeline->at = intern(pipeline->memo, &packed);
}

static void forget(struct memo *memo)
{
	memset(memo->state, 0, sizeof(memo->state));
	memset(memo->edge, 0, sizeof(memo->edge));
	memo->used = memo->states = memo->edges = 0;
}

void memo_leave(struct pipeline *pipeline)
{
	const struct memo_state *at = pipeline->at;

	if (!at)
		return;
	state_unpack(pipeline, at->words);
	pipeline->at = NULL;
}

void memo_clear(struct pipeline *pipeline)
{
	memo_leave(pipeline);
	memo_settle(pipeline);
	forget(pipeline->memo);
}

/* True if memoizing pays. */
static bool pays(struct pipeline *pipeline)
{
	struct memo *memo = pipeline->memo;
	uint64_t followed = pipeline->followed;

	if (memo->pause) {
		memo->pause--;
		return false;
	}
	memo->credit += (followed < CREDIT_MAX ? (int)followed : CREDIT_MAX) - COST;
	pipeline->followed = 0;
	if (memo->credit > CREDIT_MAX)
		memo->credit = CREDIT_MAX;
	if (memo->credit >= CREDIT_MIN)
		return true;
	memo->credit = CREDIT_NEXT;
	memo->pause = PAUSE;
	return false;
}

void memo_begin(struct pipeline *pipeline, struct block *block)
{
	struct memo *memo = pipeline->memo;

	memo->from = pipeline->at;
	memo_leave(pipeline);
	memo->remember = ++block->seen > COLD && pays(pipeline);
	if (!memo->remember)
		return;
	if (is_full(memo)) {
		memo_settle(pipeline);
		forget(memo);
		memo->from = NULL;
	}
	memo->begin = pipeline->cycles;
	memcpy(memo->counts, pipeline->counts, sizeof(memo->counts));
}

static unsigned stores_of(const struct block *block)
{
	const struct segment *last = &block->segments[block->segment_count - 1];

	return last->first_store + last->stores;
}

/* Stores, then counts. */
static void put_details(const struct pipeline *pipeline, struct memo_edge *edge)
{
	const struct memo *memo = pipeline->memo;
	struct memo_count *counts = counts_of(edge);

	memcpy(edge->stores, pipeline->times.store, edge->nr_stores * sizeof(*edge->stores));
	for (unsigned i = PIPE_FIXED_COUNTS; i < PIPE_COUNTS; i++)
		if (pipeline->counts[i] != memo->counts[i])
			counts[edge->nr_counts++] =
			    (struct memo_count){i, pipeline->counts[i] - memo->counts[i]};
}

static void put_edge(struct memo *memo, struct memo_edge *edge)
{
	size_t slot = edge_slot(edge->from, edge->block, edge->key);

	while (memo->edge[slot])
		slot = (slot + 1) % EDGE_SLOTS;
	memo->edge[slot] = edge;
	memo->edges++;
}

void memo_end(struct pipeline *pipeline, const struct block *block, uint64_t key, unsigned executed)
{
	struct memo *memo = pipeline->memo;
	struct memo_edge *edge;

	if (!memo->remember || !memo_enter(pipeline) || !memo->from ||
	    stores_of(block) > STORES_MAX)
		return;
	edge = (struct memo_edge *)(memo->arena + memo->used);
	*edge = (struct memo_edge){.block = block,
				   .key = key,
				   .from = memo->from,
				   .to = pipeline->at,
				   .cycles = pipeline->cycles - memo->begin,
				   .executed = executed,
				   .nr_stores = stores_of(block)};
	put_details(pipeline, edge);
	memo_memo_take(memo, (char *)(counts_of(edge) + edge->nr_counts) - (char *)edge);
	put_edge(memo, edge);
}
