/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The built-in predictors of a conditional branch's direction. Sources: McFarling, Combining Branch
 * Predictors (1993); Seznec and Michaud, A case for (partially) tagged geometric history length
 * branch prediction (2006).
 */
#include <stdlib.h>
#include <string.h>

#include "emulator/sim/branch/direction.h"
#include "emulator/sim/config/mix.h"

enum { SHORTEST_HISTORY = 4, COUNTER_MAX = 3, COUNTER_MIN = -4, FAILURES_MAX = 8, TRUST_MAX = 31 };
enum { TAG_BITS = 11, TAG_VALID = 1 << TAG_BITS }; /* entries without it are free */
enum { RUNS = 1024, RUN_LONG = 255 };

/* An entry of TAGE: a branch with one history. */
struct tagged {
	uint16_t tag;   /* 11 bits */
	int8_t counter; /* -4 to 3: taken from 0 on */
	uint8_t useful; /* 0 to 3 */
};

struct tagged_table {
	struct tagged *entries;
	uint64_t mask[2]; /* the history bits that it uses */
};

/* How many consecutive times a branch has gone the same way. */
struct run {
	uint64_t ip;
	uint8_t length; /* up to RUN_LONG */
	bool taken;
};

struct direction {
	unsigned log2;     /* of the counters */
	uint8_t *counters; /* 0 to 3, taken from 2 on */
	unsigned nr;       /* tables; their indices are the hash's bits from `shift` on */
	unsigned short_nr; /* of them, those whose histories fit into 64 bits: the first */
	unsigned shift;
	struct tagged_table tables[TAGE_TABLES_MAX];
	uint64_t gshare_mask; /* the history bits of gshare; 0: bimodal, TAGE */
	uint64_t history[2];  /* bit 0 of the first: the last branch */
	uint32_t failures;    /* to find a place for a new entry, in a row */
	struct run runs[RUNS];
	int8_t trust[RUNS]; /* in histories rather than in the counter, by branch */
};

/* Parameters: of all, gshare, TAGE. */
enum { PARAMETER_COUNTERS, PARAMETER_HISTORY, PARAMETER_TABLES, PARAMETER_ENTRIES };

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
static unsigned history_length(uint64_t longest_history, uint64_t tables, unsigned table)
{
	unsigned steps = (unsigned)tables - 1;
	double length = SHORTEST_HISTORY, ratio = (double)longest_history / SHORTEST_HISTORY,
	       low = 1, high = ratio;

	if (!steps)
		return (unsigned)longest_history;
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

static void destroy(void *self)
{
	struct direction *d = self;

	free(d->counters);
	for (unsigned i = 0; i < TAGE_TABLES_MAX; i++)
		free(d->tables[i].entries);
	free(d);
}

static void *create(const struct sim_host *host, const uint64_t *parameters, uint64_t *statistics)
{
	struct direction *d = calloc(1, sizeof(*d));
	size_t counters = (size_t)1 << parameters[PARAMETER_COUNTERS];

	(void)host;
	(void)statistics;
	if (!d)
		return NULL;
	d->log2 = (unsigned)parameters[PARAMETER_COUNTERS];
	d->counters = malloc(counters);
	if (!d->counters) {
		free(d);
		return NULL;
	}
	memset(d->counters, 1, counters);
	return d;
}

static void *gshare_create(const struct sim_host *host, const uint64_t *parameters,
			   uint64_t *statistics)
{
	struct direction *d;

	if (parameters[PARAMETER_HISTORY] > parameters[PARAMETER_COUNTERS])
		return NULL;
	d = create(host, parameters, statistics);
	if (d)
		d->gshare_mask = (1ULL << parameters[PARAMETER_HISTORY]) - 1;
	return d;
}

static void *tage_create(const struct sim_host *host, const uint64_t *parameters,
			 uint64_t *statistics)
{
	struct direction *d = create(host, parameters, statistics);
	uint64_t longest_history = parameters[PARAMETER_HISTORY];

	if (!d)
		return NULL;
	d->nr = (unsigned)parameters[PARAMETER_TABLES];
	d->shift = 64 - (unsigned)parameters[PARAMETER_ENTRIES];
	for (unsigned i = 0; i < d->nr; i++) {
		struct tagged_table *table = &d->tables[i];
		unsigned length = history_length(longest_history, d->nr, i);

		d->short_nr += length <= 64;
		table->entries =
		    calloc((size_t)1 << parameters[PARAMETER_ENTRIES], sizeof(*table->entries));
		history_mask(table->mask, length);
		if (!table->entries) {
			destroy(d);
			return NULL;
		}
	}
	return d;
}

/* Shifts a branch into the history. */
static inline void shift_history(struct direction *d, bool bit)
{
	d->history[1] = d->history[1] << 1 | d->history[0] >> 63;
	d->history[0] = d->history[0] << 1 | bit;
}

static inline uint8_t *counter_at(struct direction *d, uint64_t ip, uint64_t seen)
{
	return &d->counters[(ip ^ ip >> d->log2 ^ seen) & ((1ULL << d->log2) - 1)];
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
	uint8_t *base = counter_at(d, ip, 0);
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

bool direction_tage_step(void *self, uint64_t pc, bool taken, uint64_t target)
{
	struct direction *d = self;
	bool predicted = tage_or_run(d, pc, taken);

	(void)target;
	shift_history(d, taken);
	return predicted;
}

/* gshare, and bimodal, whose mask is empty. */
static bool counter_step(void *self, uint64_t pc, bool taken, uint64_t target)
{
	struct direction *d = self;
	uint8_t *counter = counter_at(d, pc, d->history[0] & d->gshare_mask);
	bool predicted = *counter >= 2;

	(void)target;
	*counter = next_counter[taken][*counter];
	shift_history(d, taken);
	return predicted;
}

/* A bit of where an indirect branch went goes into the history. */
static void other(void *self, const struct sim_branch *branch)
{
	shift_history(self, (branch->target >> 2 ^ branch->target >> 5) & 1);
}

#define COUNTERS                                                      \
	{                                                             \
		"counters", 13, 4, 24, "log2 of the two-bit counters" \
	}

static const struct sim_parameter bimodal_parameters[] = {COUNTERS, {NULL, 0, 0, 0, NULL}};
static const struct sim_parameter gshare_parameters[] = {
    COUNTERS,
    {"history", 12, 0, 24, "branches in the history, at most `counters`"},
    {NULL, 0, 0, 0, NULL}};
static const struct sim_parameter tage_parameters[] = {
    COUNTERS,
    {"history", 64, 4, TAGE_HISTORY_MAX, "branches in the longest history"},
    {"tables", 5, 1, TAGE_TABLES_MAX, "tables with tags"},
    {"entries", 10, 4, 20, "log2 of the entries of each table"},
    {NULL, 0, 0, 0, NULL}};

enum { OTHERS = 1 << SIM_JUMP_INDIRECT | 1 << SIM_CALL_INDIRECT };

static const struct sim_direction counter_direction = {
    .step = counter_step, .other = other, .others = OTHERS};
static const struct sim_direction tage_direction = {
    .step = direction_tage_step, .other = other, .others = OTHERS};

static const struct sim_component component_bimodal = {
    .version = SIM_VERSION,
    .kind = SIM_DIRECTION,
    .name = "bimodal",
    .shows = "two-bit counters by address",
    .parameters = bimodal_parameters,
    .create = create,
    .destroy = destroy,
    .direction = &counter_direction,
};

static const struct sim_component component_gshare = {
    .version = SIM_VERSION,
    .kind = SIM_DIRECTION,
    .name = "gshare",
    .shows = "two-bit counters by address and global history",
    .parameters = gshare_parameters,
    .create = gshare_create,
    .destroy = destroy,
    .direction = &counter_direction,
};

static const struct sim_component component_tage = {
    .version = SIM_VERSION,
    .kind = SIM_DIRECTION,
    .name = "tage",
    .shows = "a bimodal table and tables with tags of growing histories",
    .parameters = tage_parameters,
    .create = tage_create,
    .destroy = destroy,
    .direction = &tage_direction,
};

const struct sim_component *const direction_builtin[] = {
    [PREDICTOR_BIMODAL] = &component_bimodal,
    [PREDICTOR_GSHARE] = &component_gshare,
    [PREDICTOR_TAGE] = &component_tage,
    NULL,
};

void direction_parameters(const struct branch_config *config,
			  uint64_t parameters[SIM_PARAMETERS_MAX])
{
	parameters[PARAMETER_COUNTERS] = config->direction_log2;
	parameters[PARAMETER_HISTORY] = config->history;
	parameters[PARAMETER_TABLES] = config->tables;
	parameters[PARAMETER_ENTRIES] = config->tagged_log2;
}
