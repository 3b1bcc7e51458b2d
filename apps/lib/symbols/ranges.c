/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes overlapping ranges flat: a sweep by start keeps the ranges that have the address in a heap
 * whose top is the last of the array. */
#include "apps/lib/symbols/ranges.h"

#include <stdlib.h>

struct member {
	uint64_t start, end;
	size_t index;
};

/* From `start` to the next piece's. */
struct piece {
	uint64_t start;
	size_t index;
};

struct ranges {
	struct piece *pieces; /* at most two for a range */
	size_t nr;
};

struct heap {
	const struct member **top;
	size_t nr;
};

static void swap(struct heap *heap, size_t a, size_t b)
{
	const struct member *kept = heap->top[a];

	heap->top[a] = heap->top[b];
	heap->top[b] = kept;
}

static void heap_add(struct heap *heap, const struct member *member)
{
	size_t at = heap->nr++;

	heap->top[at] = member;
	for (; at && heap->top[(at - 1) / 2]->index < heap->top[at]->index; at = (at - 1) / 2)
		swap(heap, at, (at - 1) / 2);
}

static void heap_pop(struct heap *heap)
{
	heap->top[0] = heap->top[--heap->nr];
	for (size_t at = 0, next = 1; next < heap->nr; at = next, next = 2 * at + 1) {
		if (next + 1 < heap->nr && heap->top[next + 1]->index > heap->top[next]->index)
			next++;
		if (heap->top[next]->index < heap->top[at]->index)
			return;
		swap(heap, at, next);
	}
}

static void add_piece(struct ranges *ranges, uint64_t start, size_t index)
{
	if (ranges->nr && ranges->pieces[ranges->nr - 1].start == start)
		ranges->nr--;
	if (!ranges->nr || ranges->pieces[ranges->nr - 1].index != index)
		ranges->pieces[ranges->nr++] = (struct piece){start, index};
}

/* Ends the ranges that end until `to`. */
static void sweep_to(struct ranges *ranges, struct heap *heap, uint64_t to)
{
	while (heap->nr && heap->top[0]->end <= to) {
		uint64_t end = heap->top[0]->end;

		while (heap->nr && heap->top[0]->end <= end)
			heap_pop(heap);
		add_piece(ranges, end, heap->nr ? heap->top[0]->index : RANGES_NONE);
	}
}

static void flatten(struct ranges *ranges, struct heap *heap, const struct member *members,
		    size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		sweep_to(ranges, heap, members[i].start);
		heap_add(heap, &members[i]);
		add_piece(ranges, members[i].start, heap->top[0]->index);
	}
	sweep_to(ranges, heap, UINT64_MAX);
}

static int by_start(const void *left, const void *right)
{
	const struct member *a = left, *b = right;

	return a->start < b->start ? -1 : a->start > b->start;
}

static size_t sort_members(struct member *members, const struct range *range, size_t nr)
{
	size_t kept = 0;

	for (size_t i = 0; i < nr; i++)
		if (range[i].end > range[i].start)
			members[kept++] = (struct member){range[i].start, range[i].end, i};
	qsort(members, kept, sizeof(*members), by_start);
	return kept;
}

struct ranges *ranges_new(const struct range *range, size_t nr)
{
	struct ranges *ranges = calloc(1, sizeof(*ranges));
	struct member *members = calloc(nr + 1, sizeof(*members));
	struct heap heap = {.top = calloc(nr + 1, sizeof(*heap.top))};

	if (ranges)
		ranges->pieces = calloc(2 * nr + 1, sizeof(*ranges->pieces));
	if (ranges && ranges->pieces && members && heap.top) {
		flatten(ranges, &heap, members, sort_members(members, range, nr));
	} else {
		ranges_free(ranges);
		ranges = NULL;
	}
	free(heap.top);
	free(members);
	return ranges;
}

void ranges_free(struct ranges *ranges)
{
	if (ranges)
		free(ranges->pieces);
	free(ranges);
}

size_t ranges_find(const struct ranges *ranges, uint64_t address)
{
	size_t low = 0, high;

	if (!ranges)
		return RANGES_NONE;
	high = ranges->nr;
	while (low < high) { /* the first piece that starts after the address */
		size_t middle = low + (high - low) / 2;

		if (ranges->pieces[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? ranges->pieces[low - 1].index : RANGES_NONE;
}
