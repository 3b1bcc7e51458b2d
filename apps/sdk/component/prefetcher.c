/* A prefetcher: the lines after a miss, within the page. Change access(). */
#include <stdlib.h>

#include "sim.h"

struct prefetcher {
	const struct sim_host *host;
	uint64_t degree;
	uint64_t *fetched; /* a statistic */
};

static const struct sim_parameter parameters[] = {
    {"degree", 2, 1, 16, "lines after each miss"},
    {NULL, 0, 0, 0, NULL},
};

static const char *const statistics[] = {"fetched", NULL};

static void *create(const struct sim_host *host, const uint64_t *values, uint64_t *counts)
{
	struct prefetcher *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->host = host;
	p->degree = values[0];
	p->fetched = &counts[0];
	return p;
}

static void access_(void *self, const struct sim_access *access)
{
	struct prefetcher *p = self;

	if (access->hit && !access->prefetched)
		return;
	for (uint64_t i = 1; i <= p->degree; i++) {
		uint64_t next = access->address + i * SIM_LINE_SIZE;

		if (next / SIM_PAGE_SIZE == access->address / SIM_PAGE_SIZE)
			*p->fetched += p->host->prefetch(p->host, next);
	}
}

static const struct sim_prefetcher prefetcher = {.access = access_};

static const struct sim_component component = {
    .version = SIM_VERSION,
    .kind = SIM_PREFETCHER,
    .name = "mine",
    .shows = "the lines after a miss",
    .parameters = parameters,
    .statistics = statistics,
    .create = create,
    .destroy = free,
    .prefetcher = &prefetcher,
};

SIM_COMPONENT(component)
