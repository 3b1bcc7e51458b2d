/* A replacement policy: the least recently used way leaves. Change victim(), fill() and hit(). */
#include <stdlib.h>

#include "sim.h"

struct policy {
	uint32_t ways;
	uint64_t now;
	uint64_t *used; /* of each way of each set */
};

static void *create(const struct sim_host *host, const uint64_t *values, uint64_t *counts)
{
	struct policy *p = calloc(1, sizeof(*p));

	(void)values;
	(void)counts;
	if (!p)
		return NULL;
	p->ways = host->ways;
	p->used = calloc((size_t)host->sets * host->ways, sizeof(*p->used));
	return p;
}

static void destroy(void *self)
{
	struct policy *p = self;

	free(p->used);
	free(p);
}

static uint32_t victim(void *self, uint32_t set, const struct sim_access *access)
{
	const struct policy *p = self;
	const uint64_t *used = p->used + (size_t)set * p->ways;
	uint32_t oldest = 0;

	(void)access;
	for (uint32_t way = 1; way < p->ways; way++)
		if (used[way] < used[oldest])
			oldest = way;
	return oldest;
}

static void touch(void *self, uint32_t set, uint32_t way, const struct sim_access *access)
{
	struct policy *p = self;

	(void)access;
	p->used[(size_t)set * p->ways + way] = ++p->now;
}

static const struct sim_replacement replacement = {.victim = victim, .fill = touch, .hit = touch};

static const struct sim_component component = {
    .version = SIM_VERSION,
    .kind = SIM_REPLACEMENT,
    .name = "mine",
    .shows = "the least recently used way leaves",
    .create = create,
    .destroy = destroy,
    .replacement = &replacement,
};

SIM_COMPONENT(component)
