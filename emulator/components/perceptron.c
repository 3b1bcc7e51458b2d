/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A perceptron predictor of directions: the sign of a sum of weights, one for each branch of the
 * global history. Source: Jimenez and Lin, Dynamic Branch Prediction with Perceptrons (HPCA 2001).
 */
#include <stdlib.h>

#include "sim.h"

enum { HISTORY_MAX = 62, WEIGHT_MAX = 127 };

struct perceptron {
	uint64_t mask, history;
	unsigned length;
	int threshold, sum;
	int8_t *weights; /* length + 1 of each perceptron; the first is the bias */
};

static const struct sim_parameter parameters[] = {
    {"entries", 1024, 2, 1 << 20, "perceptrons, a power of two"},
    {"history", 36, 1, HISTORY_MAX, "branches in the history"},
    {NULL, 0, 0, 0, NULL},
};

static void *create(const struct sim_host *host, const uint64_t *values, uint64_t *counts)
{
	struct perceptron *p = calloc(1, sizeof(*p));

	(void)host;
	(void)counts;
	if (!p || values[0] & (values[0] - 1)) {
		free(p);
		return NULL;
	}
	p->mask = values[0] - 1;
	p->length = (unsigned)values[1];
	/* The paper's best threshold for a history of this length. */
	p->threshold = (int)(1.93 * p->length + 14);
	p->weights = calloc(values[0], p->length + 1);
	if (p->weights)
		return p;
	free(p);
	return NULL;
}

static void destroy(void *self)
{
	struct perceptron *p = self;

	free(p->weights);
	free(p);
}

static int8_t *weights_of(const struct perceptron *p, uint64_t pc)
{
	return p->weights + ((pc ^ pc >> 10) & p->mask) * (p->length + 1);
}

static bool predict(void *self, uint64_t pc)
{
	struct perceptron *p = self;
	const int8_t *w = weights_of(p, pc);

	p->sum = w[0];
	for (unsigned i = 0; i < p->length; i++)
		p->sum += p->history >> i & 1 ? w[i + 1] : -w[i + 1];
	return p->sum >= 0;
}

static void adjust(int8_t *weight, bool up)
{
	if (up ? *weight < WEIGHT_MAX : *weight > -WEIGHT_MAX)
		*weight = (int8_t)(*weight + (up ? 1 : -1));
}

static void update(void *self, uint64_t pc, bool predicted, bool taken, uint64_t target)
{
	struct perceptron *p = self;
	int8_t *w = weights_of(p, pc);

	(void)target;
	if (predicted != taken || abs(p->sum) <= p->threshold) {
		adjust(&w[0], taken);
		for (unsigned i = 0; i < p->length; i++)
			adjust(&w[i + 1], taken == (p->history >> i & 1));
	}
	p->history = p->history << 1 | taken;
}

static const struct sim_direction direction = {.predict = predict, .update = update};

static const struct sim_component component = {
    .version = SIM_VERSION,
    .kind = SIM_DIRECTION,
    .name = "perceptron",
    .shows = "the sign of a sum of weights of the history (Jimenez and Lin 2001)",
    .parameters = parameters,
    .create = create,
    .destroy = destroy,
    .direction = &direction,
};

SIM_COMPONENT(component)
