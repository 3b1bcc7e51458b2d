/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hawkeye: what Belady's optimum would have done with the past accesses of some sets (OPTgen)
 * trains a predictor by instruction: its lines are kept, or leave next. Source: Jain and Lin, Back
 * to the Future: Leveraging Belady's Algorithm for Improved Cache Replacement (ISCA 2016).
 */
#include <stdlib.h>

#include "sim.h"

enum {
	SAMPLED = 64, /* sets whose past is kept */
	REACH = 8,    /* past accesses of a set, in its ways */
	COUNTERS = 1 << 13,
	COUNTER_MAX = 7,
	KEEPS = 4, /* from this counter on lines are kept */
	AVERSE = 7 /* the age of a line that leaves next */
};

struct line {
	uint16_t signature; /* of the instruction that accessed it last */
	uint8_t age;
};

/* An access of a sampled set. */
struct past {
	uint64_t address; /* of the line, plus 1; 0: none */
	uint16_t signature;
	uint16_t occupied; /* lines that the optimum keeps from here to the next access */
};

struct sample {
	uint32_t now; /* accesses so far */
	struct past *past;
};

struct hawkeye {
	uint32_t sets, ways, reach, step; /* step: one of each `step` sets is sampled */
	struct line *lines;
	struct sample samples[SAMPLED];
	struct past *past;
	uint8_t counters[COUNTERS];
	uint64_t *averse, *hits; /* statistics */
};

static const char *const statistics[] = {"averse-fills", "optimum-hits", NULL};

static void clear(void *self)
{
	struct hawkeye *h = self;

	for (size_t i = 0; i < (size_t)h->sets * h->ways; i++)
		h->lines[i] = (struct line){.age = AVERSE};
}

static void destroy(void *self)
{
	struct hawkeye *h = self;

	free(h->lines);
	free(h->past);
	free(h);
}

static void *create(const struct sim_host *host, const uint64_t *values, uint64_t *counts)
{
	struct hawkeye *h = calloc(1, sizeof(*h));

	(void)values;
	if (!h)
		return NULL;
	h->sets = host->sets;
	h->ways = host->ways;
	h->reach = host->ways * REACH;
	h->step = host->sets > SAMPLED ? host->sets / SAMPLED : 1;
	h->averse = &counts[0];
	h->hits = &counts[1];
	h->lines = malloc((size_t)h->sets * h->ways * sizeof(*h->lines));
	h->past = calloc((size_t)SAMPLED * h->reach, sizeof(*h->past));
	if (!h->lines || !h->past) {
		destroy(h);
		return NULL;
	}
	for (uint32_t i = 0; i < SAMPLED; i++)
		h->samples[i].past = h->past + (size_t)i * h->reach;
	for (uint32_t i = 0; i < COUNTERS; i++)
		h->counters[i] = KEEPS;
	clear(h);
	return h;
}

static struct line *line_of(const struct hawkeye *h, uint32_t set, uint32_t way)
{
	return &h->lines[(size_t)set * h->ways + way];
}

/* Prefetches have signatures of their own. */
static uint16_t signature_of(const struct sim_access *access)
{
	uint64_t pc = access->pc << 1 | (access->type == SIM_PREFETCH);

	return (uint16_t)((pc ^ pc >> 13 ^ pc >> 26) % COUNTERS);
}

static void train(struct hawkeye *h, uint16_t signature, bool keeps)
{
	uint8_t *counter = &h->counters[signature];

	if (keeps && *counter < COUNTER_MAX)
		++*counter;
	if (!keeps && *counter)
		--*counter;
}

/* Returns whether the optimum has the line since its access at `from`: there is a free way in each
 * moment from then on, of which it takes one. */
static bool optimum_keeps(const struct hawkeye *h, struct sample *s, uint32_t from)
{
	for (uint32_t at = from; at != s->now; at++)
		if (s->past[at % h->reach].occupied >= h->ways)
			return false;
	for (uint32_t at = from; at != s->now; at++)
		s->past[at % h->reach].occupied++;
	return true;
}

/* Trains the instruction of the access number `at`, whose line is accessed again. */
static void train_past(struct hawkeye *h, struct sample *s, uint32_t at)
{
	bool keeps = optimum_keeps(h, s, at);

	train(h, s->past[at % h->reach].signature, keeps);
	*h->hits += keeps;
}

/* Trains the instruction that accessed the line before, unless a prefetch does now: nothing needs
 * the line yet. A line without a next access within reach is trained when it leaves the past. */
static void sample(struct hawkeye *h, uint32_t set, const struct sim_access *access)
{
	struct sample *s = &h->samples[set / h->step];
	uint32_t oldest = s->now >= h->reach ? s->now - h->reach + 1 : 0;
	struct past *here = &s->past[s->now % h->reach];

	if (here->address)
		train(h, here->signature, false);
	for (uint32_t at = s->now; at-- > oldest;) {
		struct past *past = &s->past[at % h->reach];

		if (past->address != access->address + 1)
			continue;
		past->address = 0; /* it was accessed again */
		if (access->type != SIM_PREFETCH)
			train_past(h, s, at);
		break;
	}
	*here = (struct past){access->address + 1, signature_of(access), 0};
	s->now++;
}

/* One of `step` sets, at a place that changes, so that no stride misses all of them. */
static bool is_sampled(const struct hawkeye *h, uint32_t set)
{
	return set % h->step == set / h->step % h->step && set / h->step < SAMPLED;
}

static void observe(struct hawkeye *h, uint32_t set, const struct sim_access *access)
{
	if (is_sampled(h, set) && access->type != SIM_WRITE_BACK)
		sample(h, set, access);
}

/* The kept lines of a set age together, until the first one has the greatest age of them. */
static void make_older(struct hawkeye *h, uint32_t set)
{
	for (uint32_t way = 0; way < h->ways; way++)
		if (line_of(h, set, way)->age == AVERSE - 1)
			return;
	for (uint32_t way = 0; way < h->ways; way++)
		if (line_of(h, set, way)->age < AVERSE - 1)
			line_of(h, set, way)->age++;
}

/* A kept line that leaves was kept wrongly. Only sampled sets, in which OPTgen trains the other
 * way, train the predictor so. */
static uint32_t victim(void *self, uint32_t set, const struct sim_access *access)
{
	struct hawkeye *h = self;
	uint32_t oldest = 0;

	(void)access;
	for (uint32_t way = 0; way < h->ways; way++)
		if (line_of(h, set, way)->age > line_of(h, set, oldest)->age)
			oldest = way;
	if (line_of(h, set, oldest)->age < AVERSE && is_sampled(h, set))
		train(h, line_of(h, set, oldest)->signature, false);
	return oldest;
}

static void use(struct hawkeye *h, uint32_t set, uint32_t way, const struct sim_access *access)
{
	uint16_t signature = signature_of(access);
	bool keeps = h->counters[signature] >= KEEPS && access->type != SIM_WRITE_BACK;

	*line_of(h, set, way) = (struct line){signature, keeps ? 0 : AVERSE};
}

static void fill(void *self, uint32_t set, uint32_t way, const struct sim_access *access)
{
	struct hawkeye *h = self;

	observe(h, set, access);
	if (h->counters[signature_of(access)] >= KEEPS)
		make_older(h, set);
	use(h, set, way, access);
	*h->averse += line_of(h, set, way)->age == AVERSE;
}

static void hit(void *self, uint32_t set, uint32_t way, const struct sim_access *access)
{
	struct hawkeye *h = self;

	observe(h, set, access);
	use(h, set, way, access);
}

static void leave(void *self, uint32_t set, uint32_t way)
{
	line_of(self, set, way)->age = AVERSE;
}

static const struct sim_replacement replacement = {
    .victim = victim, .fill = fill, .hit = hit, .leave = leave, .clear = clear};

static const struct sim_component component = {
    .version = SIM_VERSION,
    .kind = SIM_REPLACEMENT,
    .name = "hawkeye",
    .shows = "what Belady's optimum did with the past, by instruction (Jain and Lin 2016)",
    .statistics = statistics,
    .create = create,
    .destroy = destroy,
    .replacement = &replacement,
};

SIM_COMPONENT(component)
