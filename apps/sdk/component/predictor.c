/* A direction predictor: two-bit counters by address. Change predict() and update(). */
#include <stdlib.h>

#include "sim.h"

struct predictor {
	uint64_t mask;
	unsigned char *counters; /* 0 to 3, taken from 2 on */
	uint64_t *correct;       /* a statistic */
};

static const struct sim_parameter parameters[] = {
    {"entries", 4096, 2, 1 << 24, "counters, a power of two"},
    {NULL, 0, 0, 0, NULL},
};

static const char *const statistics[] = {"correct", NULL};

static void *create(const struct sim_host *host, const uint64_t *values, uint64_t *counts)
{
	struct predictor *p = calloc(1, sizeof(*p));

	(void)host;
	if (!p || values[0] & (values[0] - 1)) {
		free(p);
		return NULL;
	}
	p->mask = values[0] - 1;
	p->correct = &counts[0];
	p->counters = calloc(values[0], 1);
	return p;
}

static void destroy(void *self)
{
	struct predictor *p = self;

	free(p->counters);
	free(p);
}

static bool predict(void *self, uint64_t pc)
{
	const struct predictor *p = self;

	return p->counters[pc & p->mask] >= 2;
}

static void update(void *self, uint64_t pc, bool predicted, bool taken, uint64_t target)
{
	struct predictor *p = self;
	unsigned char *counter = &p->counters[pc & p->mask];

	(void)target;
	*p->correct += predicted == taken;
	if (taken && *counter < 3)
		++*counter;
	else if (!taken && *counter > 0)
		--*counter;
}

static const struct sim_direction direction = {.predict = predict, .update = update};

static const struct sim_component component = {
    .version = SIM_VERSION,
    .kind = SIM_DIRECTION,
    .name = "mine",
    .shows = "two-bit counters by address",
    .parameters = parameters,
    .statistics = statistics,
    .create = create,
    .destroy = destroy,
    .direction = &direction,
};

SIM_COMPONENT(component)
