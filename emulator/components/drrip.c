/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Re-reference interval prediction, static (SRRIP), bimodal (BRRIP) and dynamic by set duelling
 * (DRRIP). Source: Jaleel, Theobald, Steely and Emer, High Performance Cache Replacement Using
 * Re-Reference Interval Prediction (ISCA 2010).
 */
#include <stdlib.h>
#include <string.h>

#include "sim.h"

enum { DYNAMIC, STATIC, BIMODAL };
enum { LEADERS = 32, SELECT_MAX = 1023, BIMODAL_ONE_IN = 32 };

struct rrip {
	uint32_t sets, ways;
	uint8_t *interval; /* predicted, of each way: 0 is soon, `far` is distant */
	uint8_t far;
	unsigned kind, fills;
	int select; /* below half: SRRIP has missed less */
	uint64_t *bimodal_fills;
};

static const struct sim_parameter parameters[] = {
    {"bits", 2, 1, 7, "of each line's interval"},
    {"kind", DYNAMIC, DYNAMIC, BIMODAL, "0: DRRIP, 1: SRRIP, 2: BRRIP"},
    {NULL, 0, 0, 0, NULL},
};

static const char *const statistics[] = {"bimodal-fills", NULL};

static void clear(void *self)
{
	struct rrip *r = self;

	memset(r->interval, r->far, (size_t)r->sets * r->ways);
}

static void *create(const struct sim_host *host, const uint64_t *values, uint64_t *counts)
{
	struct rrip *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->sets = host->sets;
	r->ways = host->ways;
	r->far = (uint8_t)((1u << values[0]) - 1);
	r->kind = (unsigned)values[1];
	r->select = SELECT_MAX / 2;
	r->bimodal_fills = &counts[0];
	r->interval = malloc((size_t)r->sets * r->ways);
	if (!r->interval) {
		free(r);
		return NULL;
	}
	clear(r);
	return r;
}

static void destroy(void *self)
{
	struct rrip *r = self;

	free(r->interval);
	free(r);
}

/* Returns STATIC or BIMODAL for a set that always has that, else DYNAMIC. One set of each group has
 * either, at a place that changes from group to group, so that no stride misses all of them. */
static unsigned leader(const struct rrip *r, uint32_t set)
{
	uint32_t group = r->sets / LEADERS, place;

	if (group < 2)
		group = 2;
	place = set / group % group;
	return set % group == place ? STATIC : set % group == group - 1 - place ? BIMODAL : DYNAMIC;
}

static uint32_t victim(void *self, uint32_t set, const struct sim_access *access)
{
	struct rrip *r = self;
	uint8_t *interval = r->interval + (size_t)set * r->ways;

	(void)access;
	for (;;) {
		for (uint32_t way = 0; way < r->ways; way++)
			if (interval[way] == r->far)
				return way;
		for (uint32_t way = 0; way < r->ways; way++)
			interval[way]++;
	}
}

/* A leader's miss says that the other policy is better. */
static unsigned policy_of(struct rrip *r, uint32_t set)
{
	unsigned leads = leader(r, set);

	if (r->kind != DYNAMIC)
		return r->kind;
	if (leads == STATIC && r->select < SELECT_MAX)
		r->select++;
	if (leads == BIMODAL && r->select > 0)
		r->select--;
	if (leads != DYNAMIC)
		return leads;
	return r->select > SELECT_MAX / 2 ? BIMODAL : STATIC;
}

static void fill(void *self, uint32_t set, uint32_t way, const struct sim_access *access)
{
	struct rrip *r = self;
	bool bimodal = policy_of(r, set) == BIMODAL;

	(void)access;
	*r->bimodal_fills += bimodal;
	r->interval[(size_t)set * r->ways + way] =
	    bimodal && ++r->fills % BIMODAL_ONE_IN ? r->far : r->far - 1;
}

static void hit(void *self, uint32_t set, uint32_t way, const struct sim_access *access)
{
	struct rrip *r = self;

	(void)access;
	r->interval[(size_t)set * r->ways + way] = 0;
}

static const struct sim_replacement replacement = {
    .victim = victim, .fill = fill, .hit = hit, .clear = clear};

static const struct sim_component component = {
    .version = SIM_VERSION,
    .kind = SIM_REPLACEMENT,
    .name = "drrip",
    .shows = "re-reference interval prediction (Jaleel et al. 2010)",
    .parameters = parameters,
    .statistics = statistics,
    .create = create,
    .destroy = destroy,
    .replacement = &replacement,
};

SIM_COMPONENT(component)
