/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Best-offset prefetching: tries one offset after the other against the lines that were asked for
 * recently, and fetches by the best one. Source: Michaud, Best-Offset Hardware Prefetching (HPCA
 * 2016).
 */
#include <stdlib.h>

#include "sim.h"

enum {
	LINES = SIM_PAGE_SIZE / SIM_LINE_SIZE,
	RECENT = 256,
	SCORE_MAX = 31,
	ROUND_MAX = 100,
	BAD = 1
};

/* Numbers up to 63 without prime factors above 5, both ways. */
static const int8_t offsets[] = {1,  -1,  2,  -2,  3,  -3,  4,  -4,  5,  -5,  6,  -6,
				 8,  -8,  9,  -9,  10, -10, 12, -12, 15, -15, 16, -16,
				 18, -18, 20, -20, 24, -24, 25, -25, 27, -27, 30, -30,
				 32, -32, 36, 40,  45, 48,  50, 54,  60};

enum { OFFSETS = sizeof(offsets) / sizeof(offsets[0]) };

struct best_offset {
	const struct sim_host *host;
	uint64_t recent[RECENT]; /* lines whose fetch is complete, by hash */
	uint8_t scores[OFFSETS];
	unsigned tested, round;
	int offset; /* 0: off */
	uint64_t *learnt;
};

static const char *const statistics[] = {"learning-phases", NULL};

static void *create(const struct sim_host *host, const uint64_t *values, uint64_t *counts)
{
	struct best_offset *b = calloc(1, sizeof(*b));

	(void)values;
	if (b) {
		b->host = host;
		b->offset = 1;
		b->learnt = &counts[0];
	}
	return b;
}

static uint64_t *place(struct best_offset *b, uint64_t line)
{
	return &b->recent[(line ^ line >> 8) % RECENT];
}

/* A new phase with the best offset of the last one, if it is any good. */
static void end_phase(struct best_offset *b)
{
	unsigned best = 0;

	for (unsigned i = 1; i < OFFSETS; i++)
		if (b->scores[i] > b->scores[best])
			best = i;
	b->offset = b->scores[best] > BAD ? offsets[best] : 0;
	for (unsigned i = 0; i < OFFSETS; i++)
		b->scores[i] = 0;
	b->tested = b->round = 0;
	++*b->learnt;
}

static void learn(struct best_offset *b, uint64_t line)
{
	int offset = offsets[b->tested];
	uint64_t base = line - (uint64_t)(int64_t)offset;

	if (base / LINES == line / LINES && *place(b, base) == base)
		b->scores[b->tested]++;
	if (b->scores[b->tested] == SCORE_MAX) {
		end_phase(b);
		return;
	}
	if (++b->tested < OFFSETS)
		return;
	b->tested = 0;
	if (++b->round == ROUND_MAX)
		end_phase(b);
}

static void on_access(void *self, const struct sim_access *access)
{
	struct best_offset *b = self;
	uint64_t line = access->address / SIM_LINE_SIZE, next;

	if (access->type == SIM_PREFETCH || (access->hit && !access->prefetched))
		return;
	learn(b, line);
	next = line + (uint64_t)(int64_t)b->offset;
	if (b->offset && next / LINES == line / LINES)
		b->host->prefetch(b->host, next * SIM_LINE_SIZE);
}

/* A completed fetch: an access that came an offset earlier would have been in time. */
static void on_fill(void *self, uint64_t address, bool prefetched)
{
	struct best_offset *b = self;
	uint64_t line = address / SIM_LINE_SIZE;

	if (prefetched)
		line -= (uint64_t)(int64_t)b->offset;
	else if (b->offset)
		return;
	*place(b, line) = line;
}

static const struct sim_prefetcher prefetcher = {.access = on_access, .fill = on_fill};

static const struct sim_component component = {
    .version = SIM_VERSION,
    .kind = SIM_PREFETCHER,
    .levels = 1 << SIM_L1D | 1 << SIM_L2 | 1 << SIM_L3,
    .name = "best_offset",
    .shows = "by the offset that would have been in time most often (Michaud 2016)",
    .statistics = statistics,
    .create = create,
    .destroy = free,
    .prefetcher = &prefetcher,
};

SIM_COMPONENT(component)
