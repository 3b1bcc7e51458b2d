/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Predictors of a conditional branch's direction. Sources: McFarling, Combining Branch Predictors
 * (1993); Seznec and Michaud, A case for (partially) tagged geometric history length branch
 * prediction (2006).
 */
#include <stdlib.h>

#include "core/branch/direction.h"

enum {
	SHORTEST_HISTORY = 4,
	COUNTER_MAX = 3,
	COUNTER_MIN = -4,
	USEFUL_MAX = 3,
	FAILURES_MAX = 8,
	TRUST_MAX = 31
};
enum { TAG_VALID = 1 << 11 }; /* entries without it are free */

/* Where TAGE found a branch. */
struct lookup {
	struct tagged *at[TAGE_TABLES_MAX]; /* where each table would have it */
	uint16_t tags[TAGE_TABLES_MAX];
	int provider, other; /* the two longest histories that know it; -1: none */
};

static void history_mask(uint64_t mask[2], unsigned length)
{
	mask[0] = length >= 64 ? UINT64_MAX : (1ULL << length) - 1;
	mask[1] = length > 64 ? UINT64_MAX >> (128 - length) : 0;
}

/* Histories grow geometrically from SHORTEST_HISTORY to the longest. */
static unsigned history_length(const struct branch_config *c, unsigned table)
{
	unsigned steps = c->tables - 1;
	double length = SHORTEST_HISTORY, ratio = (double)c->history / SHORTEST_HISTORY, low = 1,
	       high = ratio;

	if (!steps)
		return c->history;
	for (unsigned i = 0; i < 60; i++) { /* the root of degree steps, without libm */
		double middle = (low + high) / 2, power = 1;

		for (unsigned j = 0; j < steps; j++)
			power *= middle;
		*(power > ratio ? &high : &low) = middle;
	}
	for (unsigned i = 0; i < table; i++)
		length *= high;
	return length + 0.5;
}

bool direction_init(struct direction *d, const struct branch_config *config)
{
	size_t counters = (size_t)1 << config->direction_log2;

	*d = (struct direction){.config = config, .counters = malloc(counters)};
	if (!d->counters)
		return false;
	for (size_t i = 0; i < counters; i++)
		d->counters[i] = 1;
	if (config->kind != PREDICTOR_TAGE) {
		history_mask(d->masks[0], config->kind == PREDICTOR_GSHARE ? config->history : 0);
		return true;
	}
	for (unsigned i = 0; i < config->tables; i++) {
		d->tables[i] = calloc((size_t)1 << config->tagged_log2, sizeof(*d->tables[i]));
		history_mask(d->masks[i], history_length(config, i));
		if (!d->tables[i]) {
			direction_free(d);
			return false;
		}
	}
	return true;
}

void direction_free(struct direction *d)
{
	free(d->counters);
	for (unsigned i = 0; i < TAGE_TABLES_MAX; i++)
		free(d->tables[i]);
	*d = (struct direction){0};
}

static uint8_t *counter_of(struct direction *d, uint64_t ip)
{
	unsigned log2 = d->config->direction_log2;
	uint64_t seen = d->history[0] & d->masks[0][0];

	if (d->config->kind != PREDICTOR_GSHARE)
		seen = 0;
	return &d->counters[(ip ^ ip >> log2 ^ seen) & ((1ULL << log2) - 1)];
}

static void count(uint8_t *counter, bool taken)
{
	if (taken && *counter < 3)
		++*counter;
	else if (!taken && *counter)
		--*counter;
}

/* The last of a set of tables, -1: it is empty. */
static inline int longest(unsigned tables)
{
	return tables ? 31 - __builtin_clz(tables) : -1;
}

/* All tables are looked at, also those that do not matter: a host's predictor cannot tell where it
 * could stop. */
static inline void look_up(struct direction *d, uint64_t ip, struct lookup *l)
{
	uint64_t mixed = ip * 0x9e3779b97f4a7c15;
	unsigned knows = 0;

	for (unsigned i = 0; i < d->config->tables; i++) {
		uint64_t hash = ((d->history[0] & d->masks[i][0]) + mixed) * 0xbf58476d1ce4e5b9;

		if (d->masks[i][1])
			hash = (hash ^ (d->history[1] & d->masks[i][1])) * 0x94d049bb133111eb;
		l->at[i] = &d->tables[i][hash >> (64 - d->config->tagged_log2)];
		l->tags[i] = (hash >> 20 & 0x7ff) | TAG_VALID;
		knows |= (unsigned)(l->at[i]->tag == l->tags[i]) << i;
	}
	l->provider = longest(knows);
	l->other = longest(l->provider < 0 ? 0 : knows ^ 1u << l->provider);
}

/* A misprediction takes an entry with a longer history, if there is one of no use. */
static void allocate(struct direction *d, const struct lookup *l, bool taken)
{
	for (int i = l->provider + 1; i < d->config->tables; i++)
		if (!l->at[i]->useful) {
			*l->at[i] = (struct tagged){l->tags[i], taken ? 0 : -1, 0};
			d->failures = 0;
			return;
		}
	if (++d->failures < FAILURES_MAX)
		return;
	d->failures = 0;
	for (int i = l->provider + 1; i < d->config->tables; i++)
		l->at[i]->useful--;
}

static void learn(struct tagged *entry, bool taken, bool other)
{
	bool predicted = entry->counter >= 0;

	if (predicted != other) {
		if (predicted == taken && entry->useful < USEFUL_MAX)
			entry->useful++;
		else if (predicted != taken && entry->useful)
			entry->useful--;
	}
	if (taken && entry->counter < COUNTER_MAX)
		entry->counter++;
	else if (!taken && entry->counter > COUNTER_MIN)
		entry->counter--;
}

/* An entry that is new and undecided knows less than the shorter history. */
static bool is_new(const struct tagged *entry)
{
	return !entry->useful && (entry->counter == 0 || entry->counter == -1);
}

/* Where histories have told less of a branch than how often it is taken, as of one by chance, that
 * is believed (Seznec, A new case for the TAGE branch predictor, 2011: statistical correction). */
static bool correct(int8_t *trust, bool predicted, bool base, bool taken)
{
	bool believed = *trust < 0 ? base : predicted;

	if (predicted != base && predicted == taken && *trust < TRUST_MAX)
		++*trust;
	else if (predicted != base && predicted != taken && *trust > -TRUST_MAX)
		--*trust;
	return believed;
}

static bool tage(struct direction *d, uint64_t ip, bool taken)
{
	uint8_t *base = counter_of(d, ip);
	int8_t *trust = &d->trust[(ip ^ ip >> 12) % RUNS];
	struct lookup l;
	bool other, predicted, usual = *base >= 2;

	look_up(d, ip, &l);
	other = l.other >= 0 ? l.at[l.other]->counter >= 0 : *base >= 2;
	if (l.provider < 0) {
		predicted = *base >= 2;
		count(base, taken);
	} else {
		struct tagged *entry = l.at[l.provider];

		predicted = is_new(entry) ? other : entry->counter >= 0;
		learn(entry, taken, other);
		count(base, taken);
		predicted = correct(trust, predicted, usual, taken);
	}
	if (predicted != taken)
		allocate(d, &l, taken);
	return predicted;
}

/*
 * A branch that has gone one way for longer than any history can tell is expected to go on so, and
 * keeps out of the tables (Chang, Evers and Patt, Improving branch prediction accuracy by reducing
 * pattern history table interference, 1996). Returns whether it is one, and does.
 */
static bool runs_on(struct direction *d, uint64_t ip, bool taken)
{
	struct run *run = &d->runs[(ip ^ ip >> 12) % RUNS];

	if (run->ip != ip || run->taken != taken) {
		*run = (struct run){ip, 0, taken};
		return false;
	}
	if (run->length == RUN_LONG)
		return true;
	run->length++;
	return false;
}

static bool tage_or_run(struct direction *d, uint64_t ip, bool taken)
{
	return runs_on(d, ip, taken) ? taken : tage(d, ip, taken);
}

bool direction_branch(struct direction *d, uint64_t ip, bool taken)
{
	uint8_t *counter;
	bool predicted;

	if (d->config->kind == PREDICTOR_TAGE) {
		predicted = tage_or_run(d, ip, taken);
	} else {
		counter = counter_of(d, ip);
		predicted = *counter >= 2;
		count(counter, taken);
	}
	direction_history(d, taken);
	return predicted;
}
