/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Predictors of a conditional branch's direction. Sources: McFarling, Combining Branch Predictors
 * (1993); Seznec and Michaud, A case for (partially) tagged geometric history length branch
 * prediction (2006).
 */
#include <stdlib.h>

#include "emulator/sim/branch/direction.h"
#include "emulator/sim/config/mix.h"

enum { SHORTEST_HISTORY = 4, COUNTER_MAX = 3, COUNTER_MIN = -4, FAILURES_MAX = 8, TRUST_MAX = 31 };
enum { TAG_BITS = 11, TAG_VALID = 1 << TAG_BITS }; /* entries without it are free */

/* The tables in which TAGE found a branch. */
struct lookup {
	struct tagged *entry[TAGE_TABLES_MAX]; /* by table, the only one that may know it */
	uint64_t hash[TAGE_TABLES_MAX];        /* by which each table has it */
	int provider, other; /* the two longest histories that know it; -1: none */
};

/* Saturating counters of two bits and of three bits with a sign: the next value, by direction and
 * present value. */
static const uint8_t next_counter[2][4] = {{0, 0, 1, 2}, {1, 2, 3, 3}};
static const int8_t next_signed[2][COUNTER_MAX - COUNTER_MIN + 1] = {{-4, -4, -3, -2, -1, 0, 1, 2},
								     {-3, -2, -1, 0, 1, 2, 3, 3}};

static void history_mask(uint64_t mask[2], unsigned length)
{
	mask[0] = length >= 64 ? UINT64_MAX : (1ULL << length) - 1;
	mask[1] = length > 64 ? UINT64_MAX >> (128 - length) : 0;
}

/* Returns the length of a history: they grow geometrically from SHORTEST_HISTORY to the longest. */
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
		history_mask(d->tables[0].mask,
			     config->kind == PREDICTOR_GSHARE ? config->history : 0);
		return true;
	}
	d->nr = config->tables;
	d->shift = 64 - config->tagged_log2;
	for (unsigned i = 0; i < d->nr; i++) {
		struct tagged_table *table = &d->tables[i];

		d->short_nr += history_length(config, i) <= 64;
		table->entries = calloc((size_t)1 << config->tagged_log2, sizeof(*table->entries));
		history_mask(table->mask, history_length(config, i));
		if (!table->entries) {
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
		free(d->tables[i].entries);
	*d = (struct direction){0};
}

static uint8_t *counter_of(struct direction *d, uint64_t ip)
{
	unsigned log2 = d->config->direction_log2;
	uint64_t seen = d->history[0] & d->tables[0].mask[0];

	if (d->config->kind != PREDICTOR_GSHARE)
		seen = 0;
	return &d->counters[(ip ^ ip >> log2 ^ seen) & ((1ULL << log2) - 1)];
}

/* Returns the last of a set of tables, -1: the set is empty. */
static inline int longest(unsigned tables)
{
	return tables ? 31 - __builtin_clz(tables) : -1;
}

static inline uint16_t tag_of(uint64_t hash)
{
	return (hash >> 20 & (TAG_VALID - 1)) | TAG_VALID; /* not the bits of the index */
}

/* Returns whether the table's entry for the hash is the branch's. */
static inline unsigned look_at(struct direction *d, struct lookup *l, unsigned i, uint64_t hash)
{
	l->hash[i] = hash;
	l->entry[i] = &d->tables[i].entries[hash >> d->shift];
	return l->entry[i]->tag == tag_of(hash);
}

/* Looks at every table, needed or not: the host cannot predict a branch that stops the search, as
 * it would depend on the guest's branches. */
static inline void look_up(struct direction *d, uint64_t ip, struct lookup *l)
{
	uint64_t mixed = ip * MIX_FIRST, recent = d->history[0], older = d->history[1];
	unsigned knows = 0, i = d->nr;

	while (i > d->short_nr) {
		const struct tagged_table *table = &d->tables[--i];
		uint64_t hash = ((recent & table->mask[0]) + mixed) * MIX_SECOND;

		hash = (hash ^ (older & table->mask[1])) * MIX_THIRD;
		knows = knows * 2 + look_at(d, l, i, hash);
	}
	while (i--)
		knows = knows * 2 +
			look_at(d, l, i, ((recent & d->tables[i].mask[0]) + mixed) * MIX_SECOND);
	l->provider = longest(knows);
	l->other = longest(l->provider < 0 ? 0 : knows ^ 1u << l->provider);
}

/* After a misprediction takes an entry with a longer history, if an unused one exists. */
static __attribute__((noinline)) void allocate(struct direction *d, const struct lookup *l,
					       bool taken)
{
	for (unsigned i = l->provider + 1; i < d->nr; i++)
		if (!l->entry[i]->useful) {
			*l->entry[i] = (struct tagged){tag_of(l->hash[i]), taken ? 0 : -1, 0};
			d->failures = 0;
			return;
		}
	if (++d->failures < FAILURES_MAX)
		return;
	d->failures = 0;
	for (unsigned i = l->provider + 1; i < d->nr; i++)
		l->entry[i]->useful--;
}

static inline void learn(struct tagged *entry, bool taken, bool other)
{
	bool predicted = entry->counter >= 0;

	if (predicted != other)
		entry->useful = next_counter[predicted == taken][entry->useful];
	entry->counter = next_signed[taken][entry->counter - COUNTER_MIN];
}

/* True for a new, undecided entry, which is less reliable than the shorter history. */
static bool is_new(const struct tagged *entry)
{
	return (entry->useful == 0) & ((entry->counter == 0) | (entry->counter == -1));
}

/* Statistical correction (Seznec, A new case for the TAGE branch predictor, 2011): if the history
 * has predicted a branch worse than its bias, as for a random branch, uses the bias. */
static inline bool correct(int8_t *trust, bool predicted, bool base, bool taken)
{
	bool believed = *trust < 0 ? base : predicted;

	if (predicted == base)
		return believed;
	if (predicted == taken)
		*trust += *trust < TRUST_MAX;
	else
		*trust -= *trust > -TRUST_MAX;
	return believed;
}

static bool tage(struct direction *d, uint64_t ip, bool taken)
{
	uint8_t *base = counter_of(d, ip);
	int8_t *trust = &d->trust[(ip ^ ip >> 12) % RUNS];
	struct lookup l;
	bool other, predicted, usual = *base >= 2;

	look_up(d, ip, &l);
	*base = next_counter[taken][*base];
	if (l.provider < 0) {
		predicted = usual;
	} else {
		struct tagged *entry = l.entry[l.provider];

		other = l.other >= 0 ? l.entry[l.other]->counter >= 0 : usual;
		predicted = is_new(entry) ? other : entry->counter >= 0;
		learn(entry, taken, other);
		predicted = correct(trust, predicted, usual, taken);
	}
	if (predicted != taken)
		allocate(d, &l, taken);
	return predicted;
}

/*
 * A branch that has gone one way for longer than any history is predicted to continue so, and does
 * not use the tables (Chang, Evers and Patt, Improving branch prediction accuracy by reducing
 * pattern history table interference, 1996). Returns whether it is such a branch and did continue.
 */
static bool runs_on(struct direction *d, uint64_t ip, bool taken)
{
	struct run *run = &d->runs[(ip ^ ip >> 12) % RUNS];

	if ((run->ip != ip) | (run->taken != taken)) {
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
		*counter = next_counter[taken][*counter];
	}
	direction_history(d, taken);
	return predicted;
}
