/* SPDX-License-Identifier: BSD-2-Clause */
/* Traces addresses back to the loads and registers that they depend on, once for each block. */
#include "emulator/sim/pipeline/origins.h"

#include <string.h>

struct origins {
	struct origin each[ORIGINS];
};

static const struct origins no_origins = {{{ORIGIN_NONE, 0}, {ORIGIN_NONE, 0}}};

/* The latest load is likely to be ready last; of registers the first one is the base. */
static bool matters_more(struct origin a, struct origin b)
{
	if (b.from == ORIGIN_NONE)
		return true;
	return a.from >= ORIGIN_LOAD && (b.from < ORIGIN_LOAD || a.from > b.from);
}

static void add_origin(struct origins *all, struct origin one)
{
	if (one.from == ORIGIN_NONE)
		return;
	for (unsigned i = 0; i < ORIGINS; i++)
		if (all->each[i].from == one.from) {
			if (all->each[i].delay < one.delay)
				all->each[i].delay = one.delay;
			return;
		}
	for (unsigned i = 0; i < ORIGINS; i++)
		if (matters_more(one, all->each[i])) {
			struct origin less = all->each[i];

			all->each[i] = one;
			one = less;
			if (one.from == ORIGIN_NONE)
				return;
		}
}

static struct origins origins_of(const struct uop *uop, const struct origins *words)
{
	struct origins all = no_origins;

	for (unsigned i = 0; i < UOP_SOURCES; i++) {
		if (uop->source[i] == REG_ZERO || uop->source[i] == TIME_FENCE)
			continue;
		for (unsigned k = 0; k < ORIGINS; k++)
			add_origin(&all, words[uop->source[i]].each[k]);
	}
	return all;
}

static void delay(struct origins *all, unsigned latency)
{
	for (unsigned i = 0; i < ORIGINS; i++)
		if (all->each[i].from != ORIGIN_NONE && all->each[i].delay < UINT16_MAX - latency)
			all->each[i].delay += latency;
}

/* issued: the block's slots before the segment. */
static void follow(const struct core_config *config, struct block *block,
		   const struct segment *segment, const struct uop *uop, unsigned issued,
		   struct origins *words)
{
	struct origins all = origins_of(uop, words);
	unsigned place = segment->first_memory + uop->memory;

	if (uop->kind == UOP_LOAD || uop->kind == UOP_STORE_ADDRESS) {
		struct block_begin *begin = &block->begins[place];

		begin->cycle = (issued + uop->slot) / config->pipe.width;
		memcpy(begin->origin, all.each, sizeof(begin->origin));
	}
	if (uop->kind == UOP_LOAD && place < ORIGIN_NONE - ORIGIN_LOAD) {
		all = no_origins;
		all.each[0].from = ORIGIN_LOAD + place;
		delay(&all, uop->latency - config->memory.l1d.latency);
	} else {
		delay(&all, uop->latency);
	}
	for (unsigned i = 0; i < UOP_RESULTS && uop->result[i] != REG_SINK; i++)
		words[uop->result[i]] = all;
}

void find_begins(const struct core_config *config, struct block *block)
{
	struct origins words[TIME_WORDS];
	unsigned issued = 0;

	for (unsigned i = 0; i < TIME_WORDS; i++) {
		words[i] = no_origins;
		if (i < REG_MISC)
			words[i].each[0] = (struct origin){i, 0};
	}
	for (unsigned s = 0; s < block->segment_count; s++) {
		const struct segment *segment = &block->segments[s];

		for (unsigned i = 0; i < segment->uop_count; i++)
			follow(config, block, segment, &segment->uops[i], issued, words);
		issued += segment->slots;
	}
}
