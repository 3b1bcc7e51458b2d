/* SPDX-License-Identifier: BSD-2-Clause */
/* Looks up schedules that were seen before, and makes those that were not. */
#include <string.h>

#include "core/pipe/pipeline_state.h"

#define MEMO_LATENCY_MAX 100 /* accesses that take longer are too different to be remembered */

static bool is_edge(const struct memo_edge *edge, const struct segment *segment, uint32_t delay,
		    unsigned slot)
{
	return edge->serial == segment->serial && edge->delay == delay && edge->slot == slot &&
	       edge->to->generation == edge->to_generation;
}

static bool same_accesses(const struct memo *memo, const uint16_t *access, bool plain)
{
	if (plain || memo->plain)
		return plain && memo->plain;
	return !memcmp(memo->access, access, sizeof(memo->access));
}

static struct memo *follow_edge(const struct memo *from, const struct segment *segment,
				const uint16_t *access, bool plain, uint32_t delay, unsigned slot)
{
	for (unsigned i = 0; i < MEMO_EDGES; i++)
		if (is_edge(&from->edges[i], segment, delay, slot) &&
		    same_accesses(from->edges[i].to, access, plain))
			return from->edges[i].to;
	return NULL;
}

static void add_edge(struct memo *from, struct memo *to, uint32_t delay, unsigned slot)
{
	struct memo_edge *edge = &from->edges[from->next_edge++ % MEMO_EDGES];

	*edge = (struct memo_edge){to, to->generation, to->serial, delay, slot};
}

/* Schedules that depend on times of their own are not made twice. */
static bool is_repeatable(const uint16_t *access)
{
	for (unsigned i = 0; i < SEGMENT_MEMORY_MAX; i++)
		if ((access[i] & ACCESS_KIND) == ACCESS_IN_FLIGHT ||
		    ((access[i] & ACCESS_KIND) == ACCESS_LATENCY &&
		     (access[i] & ACCESS_CYCLES) > MEMO_LATENCY_MAX))
			return false;
	return true;
}

static struct memo *look_up(struct pipeline *pipeline, struct memo_set *set,
			    const struct segment *segment, const uint16_t *access, bool plain)
{
	for (unsigned i = 0; i < MEMO_WAYS; i++) {
		struct memo *memo = &set->ways[i];

		if (memo->serial == segment->serial && same_accesses(memo, access, plain) &&
		    state_equal(&pipeline->scheduler, &memo->found, &pipeline->state))
			return memo;
	}
	return NULL;
}

/* Makes the schedule from pipeline's state, in a place for it. */
static void make(struct pipeline *pipeline, struct memo *memo, const struct segment *segment,
		 const uint16_t *access, bool plain)
{
	if (memo->executed)
		count_memo(pipeline, memo);
	memo->serial = segment->serial;
	memo->generation++;
	memo->plain = plain;
	memo->counts = segment->counts;
	memset(memo->edges, 0, sizeof(memo->edges));
	memcpy(memo->access, access, sizeof(memo->access));
	memo->found = memo->left = pipeline->state;
	schedule(&pipeline->scheduler, segment, access, &memo->left, &memo->out);
}

struct memo *find_schedule(struct pipeline *pipeline, const struct segment *segment,
			   const uint16_t access[SEGMENT_MEMORY_MAX], bool plain, uint32_t delay,
			   unsigned slot)
{
	struct memo_set *set = &pipeline->sets[segment->serial % MEMO_SETS];
	struct memo *from = pipeline->at, *memo;

	memo = from ? follow_edge(from, segment, access, plain, delay, slot) : NULL;
	if (memo) {
		pipeline->at = memo;
		return memo;
	}
	if (from)
		pipeline->state = from->left;
	state_age(&pipeline->scheduler, &pipeline->state, delay);
	pipeline->state.ready[STATE_SLOT] = slot;
	pipeline->scheduler.now = pipeline->now + delay;
	memo = look_up(pipeline, set, segment, access, plain);
	if (!memo) {
		memo = plain || is_repeatable(access) ? &set->ways[set->next++ % MEMO_WAYS]
						      : &pipeline->scratch;
		if (memo == from)
			from = NULL;
		make(pipeline, memo, segment, access, plain);
	}
	if (from && memo != &pipeline->scratch)
		add_edge(from, memo, delay, slot);
	pipeline->at = memo;
	return memo;
}
