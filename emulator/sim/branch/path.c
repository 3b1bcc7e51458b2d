/* SPDX-License-Identifier: BSD-2-Clause */
/* The built-in predictor of indirect targets: a table by the path that led to the branch. */
#include <stdlib.h>

#include "emulator/sim/branch/targets.h"
#include "emulator/sim/config/mix.h"

/* A target of an indirect branch for one path. */
struct indirect {
	uint64_t tag, target;
	bool sure;
};

struct path {
	struct indirect *entries;
	unsigned shift;
};

static void *create(const struct sim_host *host, const uint64_t *parameters, uint64_t *statistics)
{
	struct path *p = malloc(sizeof(*p));

	(void)host;
	(void)statistics;
	if (!p)
		return NULL;
	p->shift = 64 - (unsigned)parameters[0];
	p->entries = calloc((size_t)1 << parameters[0], sizeof(*p->entries));
	if (p->entries)
		return p;
	free(p);
	return NULL;
}

static void destroy(void *self)
{
	struct path *p = self;

	free(p->entries);
	free(p);
}

/* A target that was wrong once may be right the next time. */
static void learn(struct indirect *entry, uint64_t tag, uint64_t target)
{
	if (entry->tag == tag && entry->target == target)
		entry->sure = true;
	else if (entry->sure)
		entry->sure = false;
	else
		*entry = (struct indirect){tag, target, false};
}

static uint64_t step(void *self, uint64_t pc, uint64_t path, uint64_t known, uint64_t target)
{
	const struct path *p = self;
	uint64_t tag = (path + pc * MIX_FIRST) * MIX_SECOND, predicted = known;
	struct indirect *entry = &p->entries[tag >> p->shift];

	if (entry->tag == tag)
		predicted = entry->target;
	if (entry->tag == tag || predicted != target)
		learn(entry, tag, target);
	return predicted;
}

static const struct sim_parameter parameters[] = {{"entries", 10, 1, 24, "log2 of the targets"},
						  {NULL, 0, 0, 0, NULL}};

static const struct sim_indirect indirect = {.step = step};

const struct sim_component component_path = {
    .version = SIM_VERSION,
    .kind = SIM_INDIRECT,
    .name = "path",
    .shows = "targets by the last 13 taken branches, else the last target",
    .parameters = parameters,
    .create = create,
    .destroy = destroy,
    .indirect = &indirect,
};
