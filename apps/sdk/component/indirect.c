/* An indirect predictor: the last target for each path of branches. Change predict() and update().
 */
#include <stdlib.h>

#include "sim.h"

struct predictor {
	uint64_t mask;
	uint64_t *targets;
};

static const struct sim_parameter parameters[] = {
    {"entries", 1024, 2, 1 << 24, "targets, a power of two"},
    {NULL, 0, 0, 0, NULL},
};

static void *create(const struct sim_host *host, const uint64_t *values, uint64_t *counts)
{
	struct predictor *p = calloc(1, sizeof(*p));

	(void)host;
	(void)counts;
	if (!p || values[0] & (values[0] - 1)) {
		free(p);
		return NULL;
	}
	p->mask = values[0] - 1;
	p->targets = calloc(values[0], sizeof(*p->targets));
	return p;
}

static void destroy(void *self)
{
	struct predictor *p = self;

	free(p->targets);
	free(p);
}

static uint64_t *place(const struct predictor *p, uint64_t pc, uint64_t path)
{
	return &p->targets[(pc ^ path ^ path >> 16) & p->mask];
}

static uint64_t predict(void *self, uint64_t pc, uint64_t path, uint64_t known)
{
	uint64_t target = *place(self, pc, path);

	return target ? target : known;
}

static void update(void *self, uint64_t pc, uint64_t path, uint64_t predicted, uint64_t target)
{
	(void)predicted;
	*place(self, pc, path) = target;
}

static const struct sim_indirect indirect = {.predict = predict, .update = update};

static const struct sim_component component = {
    .version = SIM_VERSION,
    .kind = SIM_INDIRECT,
    .name = "mine",
    .shows = "the last target for each path of branches",
    .parameters = parameters,
    .create = create,
    .destroy = destroy,
    .indirect = &indirect,
};

SIM_COMPONENT(component)
