/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signature path prefetching: the last four deltas of a page predict the next ones, as far as their
 * product of confidences reaches. After Kim, Pugsley, Gratz, Reddy, Wilkerson and Chishti, Path
 * Confidence based Lookahead Prefetching (MICRO 2016), without its filter and page crossings.
 */
#include <stdlib.h>

#include "sim.h"

enum {
	LINES = SIM_PAGE_SIZE / SIM_LINE_SIZE,
	PAGES = 256,
	PATTERNS = 512,
	DELTAS = 4,
	COUNT_MAX = 15
};
enum { SIGNATURE_BITS = 12, SHIFT = 3, DEPTH_MAX = 16 };

struct page {
	uint64_t number; /* + 1 */
	uint16_t signature;
	int8_t last;
};

struct pattern {
	int8_t delta[DELTAS];
	uint8_t count[DELTAS], all;
};

struct spp {
	const struct sim_host *host;
	unsigned threshold; /* per cent */
	struct page pages[PAGES];
	struct pattern patterns[PATTERNS];
	uint64_t *depth;
};

static const struct sim_parameter parameters[] = {
    {"confidence", 25, 1, 100, "per cent from which on a line is fetched"},
    {NULL, 0, 0, 0, NULL},
};

static const char *const statistics[] = {"lookahead", NULL};

static void *create(const struct sim_host *host, const uint64_t *values, uint64_t *counts)
{
	struct spp *s = calloc(1, sizeof(*s));

	if (s) {
		s->host = host;
		s->threshold = (unsigned)values[0];
		s->depth = &counts[0];
	}
	return s;
}

static uint16_t extend(uint16_t signature, int delta)
{
	unsigned coded = delta < 0 ? 64 - (unsigned)delta % 64 : (unsigned)delta;

	return (uint16_t)((signature << SHIFT ^ coded) & ((1 << SIGNATURE_BITS) - 1));
}

static struct pattern *pattern_of(struct spp *s, uint16_t signature)
{
	return &s->patterns[(signature ^ signature >> 9) % PATTERNS];
}

/* The delta's count grows, or it takes the place of the rarest one. */
static void train(struct pattern *p, int delta)
{
	unsigned at = 0;

	for (unsigned i = 0; i < DELTAS; i++) {
		if (p->delta[i] == delta && p->count[i]) {
			at = i;
			break;
		}
		if (p->count[i] < p->count[at])
			at = i;
	}
	if (p->delta[at] != delta) {
		p->delta[at] = (int8_t)delta;
		p->count[at] = 0;
	}
	p->count[at]++;
	if (++p->all < COUNT_MAX)
		return;
	p->all /= 2;
	for (unsigned i = 0; i < DELTAS; i++)
		p->count[i] /= 2;
}

/* Follows the likeliest delta of each signature, and fetches all that are likely enough. */
static void look_ahead(struct spp *s, uint64_t page, int line, uint16_t signature)
{
	unsigned confidence = 100;

	for (unsigned depth = 0; depth < DEPTH_MAX && confidence >= s->threshold; depth++) {
		const struct pattern *p = pattern_of(s, signature);
		unsigned best = 0;

		if (!p->all)
			return;
		for (unsigned i = 0; i < DELTAS; i++) {
			int next = line + p->delta[i];

			if (p->count[i] > p->count[best])
				best = i;
			if (confidence * p->count[i] / p->all >= s->threshold && next >= 0 &&
			    next < LINES)
				s->host->prefetch(s->host, page * SIM_PAGE_SIZE +
							       (uint64_t)next * SIM_LINE_SIZE);
		}
		confidence = confidence * p->count[best] / p->all;
		line += p->delta[best];
		signature = extend(signature, p->delta[best]);
		++*s->depth;
		if (line < 0 || line >= LINES)
			return;
	}
}

static void on_access(void *self, const struct sim_access *access)
{
	struct spp *s = self;
	uint64_t page = access->address / SIM_PAGE_SIZE;
	int line = (int)(access->address / SIM_LINE_SIZE % LINES);
	struct page *p = &s->pages[(page ^ page >> 8) % PAGES];
	int delta = line - p->last;

	if (access->type == SIM_PREFETCH)
		return;
	if (p->number != page + 1) {
		*p = (struct page){.number = page + 1, .last = (int8_t)line};
		return;
	}
	if (!delta)
		return;
	train(pattern_of(s, p->signature), delta);
	p->signature = extend(p->signature, delta);
	p->last = (int8_t)line;
	look_ahead(s, page, line, p->signature);
}

static const struct sim_prefetcher prefetcher = {.access = on_access};

static const struct sim_component component = {
    .version = SIM_VERSION,
    .kind = SIM_PREFETCHER,
    .levels = 1 << SIM_L1D | 1 << SIM_L2 | 1 << SIM_L3,
    .name = "spp",
    .shows = "by signatures of a page's deltas, with lookahead (after Kim et al. 2016)",
    .parameters = parameters,
    .statistics = statistics,
    .create = create,
    .destroy = free,
    .prefetcher = &prefetcher,
};

SIM_COMPONENT(component)
