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

enum { SHORTEST_HISTORY = 4, FAILURES_MAX = 8, TRUST_MAX = 31 };
enum { TAG_BITS = 11, TAG_VALID = 1 << TAG_BITS }; /* entries without it are free */
enum { RUNS = 1024, RUN_LONG = 255 };

/* An entry of TAGE: a branch with one history. Its state is a counter of three bits, of which the
 * highest predicts, and two bits that say how useful it was. */
struct tagged {
	uint16_t tag; /* 11 bits */
	uint8_t state;
};

enum {
	STATE_USEFUL = 3,
	STATE_COUNTER = 2,
	STATES = 1 << 5,
	STATE_TAKEN = 1 << 4,
	STEP_TAKEN = 1 << 7
};

/* How many consecutive times a branch has gone the same way. */
struct run {
	uint32_t ip;    /* its low half */
	uint8_t length; /* up to RUN_LONG */
	bool taken;
};

struct direction {
	unsigned log2;          /* of the counters */
	uint8_t *counters;      /* 0 to 3, taken from 2 on */
	unsigned nr;            /* tables */
	unsigned short_nr;      /* of them, those whose histories fit into 64 bits: the first */
	unsigned tagged_log2;   /* of the entries of each table */
	struct tagged *entries; /* of all tables, one after the other; the first is of none */
	uint8_t steps[2][2][STATES];
	uint64_t mask[TAGE_TABLES_MAX], older[TAGE_TABLES_MAX]; /* history bits of each table */
	uint64_t gshare_mask; /* the history bits of gshare; 0: bimodal, TAGE */
	uint64_t history[2];  /* bit 0 of the first: the last branch */
	uint32_t failures;    /* to find a place for a new entry, in a row */
	struct run runs[RUNS];
	int8_t trust[RUNS]; /* in histories rather than in the counter, by branch */
};

/* Parameters: of all, gshare, TAGE. */
enum { PARAMETER_COUNTERS, PARAMETER_HISTORY, PARAMETER_TABLES, PARAMETER_ENTRIES };

/* Saturating counters of two bits: the next value, by direction and present value. */
static const uint8_t next_counter[2][4] = {{0, 0, 1, 2}, {1, 2, 3, 3}};

static void history_mask(struct direction *d, unsigned table, unsigned length)
{
	d->mask[table] = length >= 64 ? UINT64_MAX : (1ULL << length) - 1;
	d->older[table] = length > 64 ? UINT64_MAX >> (128 - length) : 0;
	d->short_nr += length <= 64;
}

/* Returns the next state of an entry, and in STEP_TAKEN what it predicted: other is the next
 * shorter history's prediction, which a new, undecided entry leaves in place. */
static unsigned step_of(unsigned state, bool taken, bool other)
{
	unsigned counter = state >> STATE_COUNTER, useful = state & STATE_USEFUL;
	bool own = state & STATE_TAKEN, is_new = !useful && (counter == 3 || counter == 4);

	if (own != other)
		useful = next_counter[own == taken][useful];
	if (taken)
		counter += counter < 7;
	else
		counter -= counter > 0;
	return counter << STATE_COUNTER | useful | ((is_new ? other : own) ? STEP_TAKEN : 0);
}

static void steps_init(struct direction *d)
{
	for (unsigned state = 0; state < STATES; state++)
		for (unsigned i = 0; i < 4; i++)
			d->steps[i >> 1][i & 1][state] = (uint8_t)step_of(state, i >> 1, i & 1);
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
	free(d->entries);
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
	struct direction *d = create(host, parameters, statistics);
	uint64_t history = parameters[PARAMETER_HISTORY];

	if (history > parameters[PARAMETER_COUNTERS])
		history = parameters[PARAMETER_COUNTERS];
	if (d)
		d->gshare_mask = (1ULL << history) - 1;
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
	d->tagged_log2 = (unsigned)parameters[PARAMETER_ENTRIES];
	for (unsigned i = 0; i < d->nr; i++)
		history_mask(d, i, history_length(longest_history, d->nr, i));
	steps_init(d);
	d->entries =
	    calloc(((size_t)d->nr << parameters[PARAMETER_ENTRIES]) + 1, sizeof(*d->entries));
	if (!d->entries) {
		destroy(d);
		return NULL;
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

static inline uint16_t tag_of(uint64_t hash)
{
	return (hash >> 20 & (TAG_VALID - 1)) | TAG_VALID; /* not the bits of the index */
}

/* Returns the hash by which the table has a branch: of its mixed address and the history. */
static inline uint64_t hash_of(const struct direction *d, unsigned table, unsigned short_nr,
			       uint64_t mixed)
{
	uint64_t hash = ((d->history[0] & d->mask[table]) + mixed) * MIX_SECOND;

	return table < short_nr ? hash : (hash ^ (d->history[1] & d->older[table])) * MIX_THIRD;
}

/* Returns the index of the table's only entry that may be the branch's. */
static inline uint32_t index_of(unsigned table, uint64_t hash, unsigned log2)
{
	return 1 + (table << log2) + (uint32_t)(hash >> 1 >> (63 - log2)); /* log2 may be 0 */
}

/* After a misprediction takes an entry with a longer history than the provider's, if an unused one
 * exists. provider: its index; 0: the counter. */
static __attribute__((noinline)) void allocate(struct direction *d, uint64_t mixed,
					       uint32_t provider, bool taken)
{
	unsigned first = provider ? ((provider - 1) >> d->tagged_log2) + 1 : 0;

	for (unsigned i = first; i < d->nr; i++) {
		uint64_t hash = hash_of(d, i, d->short_nr, mixed);
		struct tagged *entry = &d->entries[index_of(i, hash, d->tagged_log2)];

		if (!(entry->state & STATE_USEFUL)) {
			*entry = (struct tagged){tag_of(hash),
						 STATE_TAKEN - (taken ? 0 : 1 << STATE_COUNTER)};
			d->failures = 0;
			return;
		}
	}
	if (++d->failures < FAILURES_MAX)
		return;
	d->failures = 0;
	for (unsigned i = first; i < d->nr; i++)
		d->entries[index_of(i, hash_of(d, i, d->short_nr, mixed), d->tagged_log2)].state--;
}

/* Statistical correction (Seznec, A new case for the TAGE branch predictor, 2011): if the history
 * has predicted a branch worse than its bias, as for a random branch, uses the bias. */
static inline bool correct(int8_t *trust, bool predicted, bool base, bool taken)
{
	bool believed = *trust < 0 ? base : predicted;
	int next = *trust + (predicted == taken ? 1 : -1);

	next = next > TRUST_MAX ? TRUST_MAX : next < -TRUST_MAX ? -TRUST_MAX : next;
	*trust = predicted != base ? (int8_t)next : *trust;
	return believed;
}

/* Looks at every table, needed or not, and chooses without branches: they would depend on the
 * guest's, and the host could not predict them. The numbers are the predictor's. */
static inline __attribute__((always_inline)) bool
tage_of(struct direction *d, uint64_t ip, bool taken, unsigned nr, unsigned short_nr, unsigned log2)
{
	uint8_t *base = counter_at(d, ip, 0);
	uint64_t mixed = ip * MIX_FIRST;
	uint32_t provider = 0, shorter = 0;
	bool predicted, usual = *base >> 1;

#pragma GCC unroll 8
	for (unsigned i = 0; i < nr; i++) {
		uint64_t hash = hash_of(d, i, short_nr, mixed);
		uint32_t index = index_of(i, hash, log2);
		uint32_t known = -(uint32_t)(d->entries[index].tag == tag_of(hash));

		shorter ^= (shorter ^ provider) & known;
		provider ^= (provider ^ index) & known;
	}
	*base = next_counter[taken][*base];
	predicted = usual;
	if (provider) {
		struct tagged *entry = &d->entries[provider];
		bool other = shorter ? (d->entries[shorter].state & STATE_TAKEN) != 0 : usual;
		uint8_t step = d->steps[taken][other][entry->state];

		entry->state = step & (STATES - 1);
		predicted =
		    correct(&d->trust[(ip ^ ip >> 12) % RUNS], step & STEP_TAKEN, usual, taken);
	}
	if (predicted != taken)
		allocate(d, mixed, provider, taken);
	return predicted;
}

/* Usual numbers are constants, and their loops unrolled. */
static inline bool tage(struct direction *d, uint64_t ip, bool taken)
{
	if (d->nr == 5 && d->short_nr == 4 && d->tagged_log2 == 12)
		return tage_of(d, ip, taken, 5, 4, 12);
	if (d->nr == 5 && d->short_nr == 4)
		return tage_of(d, ip, taken, 5, 4, d->tagged_log2);
	return tage_of(d, ip, taken, d->nr, d->short_nr, d->tagged_log2);
}

/*
 * A branch that has gone one way for longer than any history is predicted to continue so, and does
 * not use the tables (Chang, Evers and Patt, Improving branch prediction accuracy by reducing
 * pattern history table interference, 1996). Returns whether it is such a branch and did continue.
 */
static bool runs_on(struct direction *d, uint64_t ip, bool taken)
{
	struct run *run = &d->runs[(ip ^ ip >> 12) % RUNS];

	if ((run->ip != (uint32_t)ip) | (run->taken != taken)) {
		*run = (struct run){(uint32_t)ip, 0, taken};
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

#define COUNTERS(usual)                                                  \
	{                                                                \
		"counters", usual, 4, 24, "log2 of the two-bit counters" \
	}

static const struct sim_parameter bimodal_parameters[] = {COUNTERS(16), {NULL, 0, 0, 0, NULL}};
static const struct sim_parameter gshare_parameters[] = {
    COUNTERS(16),
    {"history", 16, 0, 24, "branches in the history: `counters` of them at most"},
    {NULL, 0, 0, 0, NULL}};
static const struct sim_parameter tage_parameters[] = {
    COUNTERS(13),
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
