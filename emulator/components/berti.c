/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Local deltas by instruction that would have been in time, at L1D. After Navarro-Torres, Panda,
 * Alastruey-Benede, Ibanez, Vinals-Yufera and Ros, Berti: an Accurate Local-Delta Data Prefetcher
 * (MICRO 2022), with one latency for all misses and within pages.
 */
#include <stdlib.h>
#include <string.h>

#include "sim.h"

enum {
	LINES = SIM_PAGE_SIZE / SIM_LINE_SIZE,
	SITES = 64,
	PAST = 16,
	DELTAS = 16,
	ROUND = 16,
	KEPT = 4
};

/* The accesses and deltas of one instruction. */
struct site {
	uint64_t pc;
	uint64_t lines[PAST], cycles[PAST];
	unsigned next, searches;
	int8_t delta[DELTAS];
	uint8_t found[DELTAS]; /* accesses of this round that the delta would have covered */
	int8_t kept[KEPT];     /* of the last round; 0: none */
};

struct berti {
	const struct sim_host *host;
	uint64_t latency, percent;
	struct site sites[SITES];
};

static const struct sim_parameter parameters[] = {
    {"latency", 40, 1, 1000, "cycles that a prefetch must be ahead"},
    {"coverage", 60, 1, 100, "per cent of accesses that a delta must cover"},
    {NULL, 0, 0, 0, NULL},
};

static void *create(const struct sim_host *host, const uint64_t *values, uint64_t *counts)
{
	struct berti *b = calloc(1, sizeof(*b));

	(void)counts;
	if (b) {
		b->host = host;
		b->latency = values[0];
		b->percent = values[1];
	}
	return b;
}

static void count_delta(struct site *s, int delta)
{
	unsigned least = 0;

	for (unsigned i = 0; i < DELTAS; i++) {
		if (s->delta[i] == delta && s->found[i]) {
			s->found[i]++;
			return;
		}
		if (s->found[i] < s->found[least])
			least = i;
	}
	s->delta[least] = (int8_t)delta;
	s->found[least] = 1;
}

/* Keeps the deltas that covered enough of the round. */
static void end_round(const struct berti *b, struct site *s)
{
	unsigned nr = 0;

	memset(s->kept, 0, sizeof(s->kept));
	for (unsigned i = 0; i < DELTAS && nr < KEPT; i++)
		if (s->found[i] * 100u >= b->percent * ROUND)
			s->kept[nr++] = s->delta[i];
	memset(s->found, 0, sizeof(s->found));
	s->searches = 0;
}

/* Which earlier accesses, a latency ago, could have fetched this line? */
static void learn(const struct berti *b, struct site *s, uint64_t line, uint64_t cycle)
{
	bool seen[2 * LINES] = {false};

	for (unsigned i = 0; i < PAST; i++) {
		int delta = (int)(line - s->lines[i]);

		if (!s->lines[i] || s->lines[i] / LINES != line / LINES || !delta ||
		    s->cycles[i] + b->latency > cycle || seen[delta + LINES])
			continue;
		seen[delta + LINES] = true;
		count_delta(s, delta);
	}
	if (++s->searches == ROUND)
		end_round(b, s);
	s->lines[s->next] = line;
	s->cycles[s->next] = cycle;
	s->next = (s->next + 1) % PAST;
}

static void on_access(void *self, const struct sim_access *access)
{
	struct berti *b = self;
	struct site *s = &b->sites[(access->pc ^ access->pc >> 6) % SITES];
	uint64_t line = access->address / SIM_LINE_SIZE;

	if (access->type != SIM_LOAD && access->type != SIM_STORE)
		return;
	if (s->pc != access->pc)
		*s = (struct site){.pc = access->pc};
	learn(b, s, line, access->cycle);
	for (unsigned i = 0; i < KEPT && s->kept[i]; i++) {
		uint64_t next = line + (uint64_t)(int64_t)s->kept[i];

		if (next / LINES == line / LINES)
			b->host->prefetch(b->host, next * SIM_LINE_SIZE);
	}
}

static const struct sim_prefetcher prefetcher = {.access = on_access};

static const struct sim_component component = {
    .version = SIM_VERSION,
    .kind = SIM_PREFETCHER,
    .levels = 1 << SIM_L1D | 1 << SIM_L2,
    .name = "berti",
    .shows = "deltas of each instruction that are in time (after Navarro-Torres et al. 2022)",
    .parameters = parameters,
    .create = create,
    .destroy = free,
    .prefetcher = &prefetcher,
};

SIM_COMPONENT(component)
