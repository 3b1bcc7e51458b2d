/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds the call tree from the samples' call chains; a sample without one is its function
 * alone. */
#include "apps/report/tree.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "apps/report/helpers.h"
#include "apps/report/memory.h"
#include "apps/report/places/places.h"

static int by_name(const void *left, const void *right)
{
	const struct node *a = left, *b = right;
	int order = strcmp(a->name, b->name);

	return order ? order : a->ring - b->ring;
}

static struct node *child_of(struct node *parent, const char *name, char ring)
{
	struct node wanted = {.name = name, .ring = ring, .depth = parent->depth + 1}, *node,
		    **found = tfind(&wanted, &parent->index, by_name);

	if (found)
		return *found;
	node = report_new(sizeof(*node));
	*node = wanted;
	node->next = parent->children;
	parent->children = node;
	parent->nr++;
	if (!tsearch(node, &parent->index, by_name))
		report_no_memory();
	return node;
}

static int by_name_of(const void *left, const void *right)
{
	return by_name(*(struct node *const *)left, *(struct node *const *)right);
}

/* Sorts the children of the node, and theirs, by name. */
static void sort(struct node *parent)
{
	struct node **nodes = report_new((parent->nr + 1) * sizeof(*nodes));
	size_t nr = 0;

	for (struct node *child = parent->children; child; child = child->next)
		nodes[nr++] = child;
	qsort(nodes, nr, sizeof(*nodes), by_name_of);
	parent->children = nodes[0];
	for (size_t i = 0; i < nr; i++) {
		nodes[i]->next = nodes[i + 1];
		sort(nodes[i]);
	}
	free(nodes);
}

/* Writes the chain's frames of one ring, or of both. */
static unsigned chain_frames(const struct perfdata_sample *sample, bool kernel, bool only_kernel,
			     struct frame frames[MOST_FRAMES])
{
	unsigned nr = 0;

	for (uint64_t i = 0; i < sample->nr_chain && nr < MOST_FRAMES; i++) {
		uint64_t ip = sample->chain[i];

		if (ip < PERF_CONTEXT_MAX && (kernel || !only_kernel))
			frames[nr++] = (struct frame){ip, kernel};
		else if (ip == PERF_CONTEXT_KERNEL || ip == PERF_CONTEXT_USER)
			kernel = ip == PERF_CONTEXT_KERNEL;
	}
	return nr;
}

/* Writes the frames of the user's stack that was copied. */
static unsigned stack_frames(struct places *places, const struct perfdata_sample *sample,
			     struct frame *frames, unsigned max)
{
	uint64_t addresses[MOST_FRAMES];
	unsigned nr = report_helpers.unwind(places, sample, addresses, max);

	for (unsigned i = 0; i < nr; i++)
		frames[i] = (struct frame){addresses[i], false};
	return nr;
}

/* Writes the frames of the processor's stack of calls, whose records are from call to callee. */
static unsigned branch_frames(const struct perfdata_sample *sample, bool kernel,
			      struct frame *frames, unsigned max)
{
	unsigned nr = 0;

	if (!kernel && max)
		frames[nr++] = (struct frame){sample->ip, false};
	for (uint64_t i = 0; i < sample->nr_branches && nr < max; i++)
		frames[nr++] = (struct frame){sample->branches[i].from + 1, false};
	return nr;
}

unsigned frames_of(struct places *places, const struct perfdata_sample *sample, bool kernel,
		   struct frame frames[MOST_FRAMES])
{
	bool copied = sample->registers && sample->stack_bytes && report_helpers.unwind;
	bool calls = sample->nr_branches && sample->branches_are_calls;
	unsigned nr = chain_frames(sample, kernel, copied || calls, frames);

	if (copied)
		nr += stack_frames(places, sample, frames + nr, MOST_FRAMES - nr);
	else if (calls)
		nr += branch_frames(sample, kernel, frames + nr, MOST_FRAMES - nr);
	if (!nr)
		frames[nr++] = (struct frame){sample->ip, kernel};
	return nr;
}

static void tree_count(struct node *node, uint64_t period, bool before)
{
	*(before ? &node->before : &node->total) += period;
}

static void add_sample(struct node *root, struct places *places,
		       const struct perfdata_reader *reader, const struct perf_event_header *record,
		       bool before)
{
	bool kernel = (record->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
	struct frame frames[MOST_FRAMES];
	struct perfdata_sample sample;
	struct node *node;
	unsigned nr;

	perfdata_sample(reader, record, &sample);
	nr = frames_of(places, &sample, kernel, frames);
	tree_count(root, sample.period, before);
	node = child_of(root, places_find(places, sample.pid, sample.ip, kernel).command, '.');
	tree_count(node, sample.period, before);
	while (nr--) { /* of a caller the chain has the address that it returns to */
		struct place place =
		    places_find(places, sample.pid, frames[nr].ip - (nr > 0), frames[nr].kernel);

		/* A run of frames without names in one file is one. */
		if (!place.known && node->depth > 1 && !strcmp(node->name, place.function))
			continue;
		node = child_of(node, place.function, frames[nr].kernel ? 'k' : '.');
		tree_count(node, sample.period, before);
	}
}

void tree_add(struct node *root, const struct perfdata_reader *reader, int event, bool before)
{
	struct places *places = places_new(reader);

	for (size_t i = 0; i < reader->nr_records; i++) {
		const struct perf_event_header *record = reader->records[i].header;

		if (record->type != PERF_RECORD_SAMPLE)
			places_learn(places, record);
		else if (perfdata_event_of(reader, record) == event)
			add_sample(root, places, reader, record, before);
	}
	sort(root);
}

unsigned tree_depth(const struct node *node)
{
	unsigned most = node->depth;

	for (const struct node *child = node->children; child; child = child->next) {
		unsigned depth = tree_depth(child);

		most = depth > most ? depth : most;
	}
	return most;
}
