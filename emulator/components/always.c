/* SPDX-License-Identifier: BSD-2-Clause */
/* Predicts every conditional branch taken: the least that a predictor must beat. */
#include "sim.h"

static void *create(const struct sim_host *host, const uint64_t *parameters, uint64_t *statistics)
{
	(void)parameters;
	(void)statistics;
	return (void *)host; /* no state */
}

static void destroy(void *self)
{
	(void)self;
}

static bool step(void *self, uint64_t pc, bool taken, uint64_t target)
{
	(void)self;
	(void)pc;
	(void)taken;
	(void)target;
	return true;
}

static const struct sim_direction direction = {.step = step};

static const struct sim_component component = {
    .version = SIM_VERSION,
    .kind = SIM_DIRECTION,
    .name = "always",
    .shows = "every conditional branch is taken",
    .create = create,
    .destroy = destroy,
    .direction = &direction,
};

SIM_COMPONENT(component)
