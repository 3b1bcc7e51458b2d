/* SPDX-License-Identifier: BSD-2-Clause */
/* Basic-block vectors for SimPoint. */
#include "emulator/sim/experiment/vectors.h"

#include <stdbool.h>
#include <stdlib.h>

#include "emulator/sim/config/mix.h"

enum { FIRST_SIZE = 4096 };

struct block {
	uint64_t start, count; /* count: instructions in this interval */
	uint32_t number;       /* from 1 on, by its first run; 0: no block */
};

struct vectors {
	FILE *file;
	uint64_t interval, done;
	struct block *blocks; /* a hash table, open, at most half full */
	uint32_t *order;      /* places in it, by number */
	size_t size, nr;
};

struct vectors *vectors_new(FILE *file, uint64_t interval)
{
	struct vectors *v = calloc(1, sizeof(*v));

	if (!v)
		return NULL;
	v->file = file;
	v->interval = interval;
	v->size = FIRST_SIZE;
	v->blocks = calloc(v->size, sizeof(*v->blocks));
	v->order = calloc(v->size, sizeof(*v->order));
	if (v->blocks && v->order)
		return v;
	free(v->blocks);
	free(v->order);
	free(v);
	return NULL;
}

static uint32_t place_of(const struct vectors *v, uint64_t start)
{
	size_t at = (start * MIX_FIRST >> 20) & (v->size - 1);

	while (v->blocks[at].number && v->blocks[at].start != start)
		at = (at + 1) & (v->size - 1);
	return (uint32_t)at;
}

/* Doubles the table; false: no memory. */
static bool grow(struct vectors *v)
{
	struct vectors larger = *v;

	larger.size *= 2;
	larger.blocks = calloc(larger.size, sizeof(*larger.blocks));
	larger.order = calloc(larger.size, sizeof(*larger.order));
	if (!larger.blocks || !larger.order) {
		free(larger.blocks);
		free(larger.order);
		return false;
	}
	for (size_t i = 0; i < v->nr; i++) {
		const struct block *block = &v->blocks[v->order[i]];

		larger.order[i] = place_of(&larger, block->start);
		larger.blocks[larger.order[i]] = *block;
	}
	free(v->blocks);
	free(v->order);
	*v = larger;
	return true;
}

/* "T:NUMBER:COUNT :NUMBER:COUNT ..." */
static void end_interval(struct vectors *v)
{
	fputc('T', v->file);
	for (size_t i = 0; i < v->nr; i++) {
		struct block *block = &v->blocks[v->order[i]];

		if (block->count)
			fprintf(v->file, ":%u:%llu ", block->number,
				(unsigned long long)block->count);
		block->count = 0;
	}
	fputc('\n', v->file);
	v->done = 0;
}

void vectors_free(struct vectors *v)
{
	if (!v)
		return;
	if (v->done)
		end_interval(v);
	free(v->blocks);
	free(v->order);
	free(v);
}

void vectors_block(struct vectors *v, uint64_t start, unsigned nr)
{
	uint32_t at = place_of(v, start);

	if (!v->blocks[at].number) {
		if (v->nr >= v->size / 2 && !grow(v))
			return;
		at = place_of(v, start);
		v->order[v->nr++] = at;
		v->blocks[at] = (struct block){.start = start, .number = (uint32_t)v->nr};
	}
	v->blocks[at].count += nr;
	v->done += nr;
	if (v->done >= v->interval)
		end_interval(v);
}
