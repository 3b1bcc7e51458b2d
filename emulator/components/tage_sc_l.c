/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TAGE with a statistical corrector and a loop predictor, after Seznec, TAGE-SC-L Branch Predictors
 * Again (5th Championship Branch Prediction, 2016), and Seznec and Michaud, A case for (partially)
 * tagged geometric history length branch prediction (2006). Twelve tables of 1,024 entries with
 * folded histories of 4 to 640 branches, a corrector of eight tables, 64 loops: some 30 KiB.
 */
#include <stdlib.h>
#include <string.h>

#include "sim.h"

enum {
	TABLES = 12,
	LOG = 10,
	BASE_LOG = 13,
	SHORTEST = 4,
	LONGEST = 640,
	HISTORY = 1024, /* bits kept; a power of two */
	TAG_BITS = 11,
	USEFUL_MAX = 3,
	RESET = 1 << 18, /* branches between two agings of the useful bits */
	SC_TABLES = 8,
	SC_LOG = 10,
	SC_MAX = 31,
	LOOPS = 64,
	LOOP_SURE = 7,
	TARGET_MAX = 1 << 14
};

/* A history of `length` bits, folded to `width` bits. */
struct folded {
	uint32_t value;
	unsigned length, width;
};

struct entry {
	uint16_t tag;
	int8_t counter; /* -4 to 3 */
	uint8_t useful;
};

struct loop {
	uint64_t pc;
	uint16_t rounds, now; /* of the last run, of this one */
	uint8_t sure;
};

/* The state of a prediction, for its update. */
struct seen {
	uint32_t index[TABLES];
	uint16_t tag[TABLES];
	int provider, other;
	bool base, longest, alternate, tage, corrected, loop_valid, loop;
	uint32_t sc_index[SC_TABLES];
	int sc_sum;
};

struct tage {
	struct entry tables[TABLES][1 << LOG];
	int8_t base[1 << BASE_LOG]; /* -2 to 1 */
	struct folded index[TABLES], tags[TABLES][2];
	uint8_t bits[HISTORY];
	unsigned newest;
	int8_t use_alternate; /* of new entries, -8 to 7 */
	uint32_t random, branches;
	int8_t sc[SC_TABLES][1 << SC_LOG];
	int threshold, threshold_counter;
	uint64_t recent; /* the last 64 branches */
	uint64_t local[256];
	struct loop loops[LOOPS];
	int8_t trust_loops;
	struct seen seen;
};

static unsigned history_length(unsigned table)
{
	double length = SHORTEST;

	/* The ratio's eleventh power is 640 / 4. */
	for (unsigned i = 0; i < table; i++)
		length *= 1.5862;
	return (unsigned)(length + 0.5);
}

static void *create(const struct sim_host *host, const uint64_t *values, uint64_t *counts)
{
	struct tage *t = calloc(1, sizeof(*t));

	(void)host;
	(void)values;
	(void)counts;
	if (!t)
		return NULL;
	for (unsigned i = 0; i < TABLES; i++) {
		unsigned length = i == TABLES - 1 ? LONGEST : history_length(i);

		t->index[i] = (struct folded){0, length, LOG};
		t->tags[i][0] = (struct folded){0, length, TAG_BITS};
		t->tags[i][1] = (struct folded){0, length, TAG_BITS - 1};
	}
	t->random = 1;
	t->threshold = 6;
	return t;
}

static uint32_t random_next(struct tage *t)
{
	t->random ^= t->random << 13;
	t->random ^= t->random >> 17;
	t->random ^= t->random << 5;
	return t->random;
}

static void fold(struct folded *f, bool in, bool out)
{
	f->value = f->value << 1 | in;
	f->value ^= (uint32_t)out << f->length % f->width;
	f->value ^= f->value >> f->width;
	f->value &= (1u << f->width) - 1;
}

static void shift_history(struct tage *t, bool bit)
{
	t->newest = (t->newest - 1) % HISTORY;
	t->bits[t->newest] = bit;
	for (unsigned i = 0; i < TABLES; i++) {
		bool out = t->bits[(t->newest + t->index[i].length) % HISTORY];

		fold(&t->index[i], bit, out);
		fold(&t->tags[i][0], bit, out);
		fold(&t->tags[i][1], bit, out);
	}
	t->recent = t->recent << 1 | bit;
}

static int8_t *base_of(struct tage *t, uint64_t pc)
{
	return &t->base[(pc ^ pc >> BASE_LOG) & ((1 << BASE_LOG) - 1)];
}

static bool is_new(const struct entry *e)
{
	return !e->useful && (e->counter == 0 || e->counter == -1);
}

/* ---- TAGE ---- */

static void look_up(struct tage *t, uint64_t pc)
{
	struct seen *s = &t->seen;

	s->provider = s->other = -1;
	for (unsigned i = 0; i < TABLES; i++) {
		s->index[i] =
		    (uint32_t)(pc ^ pc >> (LOG - i % 4) ^ t->index[i].value) & ((1 << LOG) - 1);
		s->tag[i] = (uint16_t)((pc ^ t->tags[i][0].value ^ t->tags[i][1].value << 1) &
				       ((1 << TAG_BITS) - 1)) |
			    1 << TAG_BITS;
		if (t->tables[i][s->index[i]].tag != s->tag[i])
			continue;
		s->other = s->provider;
		s->provider = (int)i;
	}
}

static struct entry *entry_of(struct tage *t, int table)
{
	return &t->tables[table][t->seen.index[table]];
}

static bool predict_tage(struct tage *t, uint64_t pc)
{
	struct seen *s = &t->seen;
	const struct entry *e;

	look_up(t, pc);
	s->base = *base_of(t, pc) >= 0;
	s->alternate = s->other >= 0 ? entry_of(t, s->other)->counter >= 0 : s->base;
	if (s->provider < 0)
		return s->longest = s->base;
	e = entry_of(t, s->provider);
	s->longest = e->counter >= 0;
	return is_new(e) && t->use_alternate >= 0 ? s->alternate : s->longest;
}

static void saturate(int8_t *counter, bool up, int low, int high)
{
	if (up ? *counter < high : *counter > low)
		*counter = (int8_t)(*counter + (up ? 1 : -1));
}

/* Takes up to two unused entries of longer histories, beginning at a random one. */
static void allocate(struct tage *t, bool taken)
{
	unsigned left = 2, penalty = 0;

	for (int i = t->seen.provider + 1 + (int)(random_next(t) & 1); i < TABLES && left; i++) {
		struct entry *e = entry_of(t, i);

		if (e->useful) {
			penalty++;
			continue;
		}
		*e = (struct entry){t->seen.tag[i], taken ? 0 : -1, 0};
		left--;
		i++;
	}
	if (left == 2)
		for (int i = t->seen.provider + 1; i < TABLES && penalty; i++)
			if (entry_of(t, i)->useful)
				entry_of(t, i)->useful--;
}

static void age(struct tage *t)
{
	if (++t->branches % RESET)
		return;
	for (unsigned i = 0; i < TABLES; i++)
		for (unsigned j = 0; j < 1 << LOG; j++)
			t->tables[i][j].useful >>= 1;
}

static void update_tage(struct tage *t, uint64_t pc, bool taken)
{
	struct seen *s = &t->seen;
	struct entry *e = s->provider >= 0 ? entry_of(t, s->provider) : NULL;

	if (e && is_new(e) && s->longest != s->alternate)
		saturate(&t->use_alternate, s->alternate == taken, -8, 7);
	if (s->tage != taken && (!e || s->longest != taken || !is_new(e)))
		allocate(t, taken);
	if (!e) {
		saturate(base_of(t, pc), taken, -2, 1);
		return;
	}
	if (is_new(e) && s->other < 0)
		saturate(base_of(t, pc), taken, -2, 1);
	if (s->longest != s->alternate) {
		if (s->longest == taken)
			e->useful += e->useful < USEFUL_MAX;
		else
			e->useful -= e->useful > 0;
	}
	saturate(&e->counter, taken, -4, 3);
}

/* ---- the statistical corrector: a sum of counters by the branch, TAGE's prediction and histories
 * ---- */

static void look_up_sc(struct tage *t, uint64_t pc)
{
	static const unsigned lengths[SC_TABLES] = {0, 3, 6, 11, 17, 27, 0, 0};
	uint64_t local = t->local[(pc ^ pc >> 8) & 255];
	struct seen *s = &t->seen;

	s->sc_sum = 0;
	for (unsigned i = 0; i < SC_TABLES; i++) {
		uint64_t history = i == 6   ? local & 0x7ff
				   : i == 7 ? local & 0x3f
					    : t->recent & ((1ULL << lengths[i]) - 1);
		uint64_t hash = (pc * 2 + s->tage) ^ history * 0x9e3779b97f4a7c15 >> 40 ^ i << 3;

		s->sc_index[i] = (hash ^ hash >> SC_LOG) & ((1 << SC_LOG) - 1);
		s->sc_sum += 2 * t->sc[i][s->sc_index[i]] + 1;
	}
}

/* Returns the weight of TAGE's prediction in the vote: its counter's distance from the middle. */
static int confidence(const struct tage *t)
{
	const struct seen *s = &t->seen;
	int counter = s->provider >= 0 ? t->tables[s->provider][s->index[s->provider]].counter : 0;

	return 2 * (counter >= 0 ? counter + 1 : -counter);
}

static bool correct(struct tage *t, uint64_t pc)
{
	struct seen *s = &t->seen;
	int vote;

	look_up_sc(t, pc);
	vote = s->sc_sum + (s->tage ? confidence(t) : -confidence(t)) * SC_TABLES / 2;
	if ((vote >= 0) == s->tage || abs(s->sc_sum) < t->threshold)
		return s->tage;
	return vote >= 0;
}

static void update_sc(struct tage *t, bool taken)
{
	struct seen *s = &t->seen;
	bool sc = s->sc_sum >= 0;

	if (sc != s->tage) { /* the threshold follows which of both is right more often */
		t->threshold_counter += sc == taken ? -1 : 1;
		if (abs(t->threshold_counter) > 32) {
			t->threshold += t->threshold_counter > 0 ? 1 : -1;
			t->threshold = t->threshold < 3 ? 3 : t->threshold;
			t->threshold_counter = 0;
		}
	}
	if (sc == taken && abs(s->sc_sum) > t->threshold + 16)
		return;
	for (unsigned i = 0; i < SC_TABLES; i++)
		saturate(&t->sc[i][s->sc_index[i]], taken, -SC_MAX - 1, SC_MAX);
}

/* ---- loops of a constant number of rounds ---- */

static struct loop *loop_of(struct tage *t, uint64_t pc)
{
	return &t->loops[(pc ^ pc >> 6) % LOOPS];
}

static void predict_loop(struct tage *t, uint64_t pc)
{
	const struct loop *l = loop_of(t, pc);

	t->seen.loop_valid = l->pc == pc && l->sure == LOOP_SURE;
	t->seen.loop = l->now + 1 < l->rounds;
}

static void update_loop(struct tage *t, uint64_t pc, bool taken)
{
	struct loop *l = loop_of(t, pc);
	struct seen *s = &t->seen;

	if (s->loop_valid && s->loop != s->corrected)
		saturate(&t->trust_loops, s->loop == taken, -64, 63);
	if (l->pc != pc) {
		if (s->corrected != taken && (!l->sure || !--l->sure))
			*l = (struct loop){.pc = pc};
		return;
	}
	l->now++;
	if (taken) {
		if (l->now >= TARGET_MAX)
			*l = (struct loop){.pc = pc};
		return;
	}
	if (l->now == l->rounds) {
		l->sure += l->sure < LOOP_SURE;
	} else {
		l->rounds = l->now;
		l->sure = 0;
	}
	l->now = 0;
}

/* ---- the component ---- */

static bool predict(void *self, uint64_t pc)
{
	struct tage *t = self;
	struct seen *s = &t->seen;

	s->tage = predict_tage(t, pc);
	s->corrected = correct(t, pc);
	predict_loop(t, pc);
	return s->loop_valid && t->trust_loops >= 0 ? s->loop : s->corrected;
}

static void update(void *self, uint64_t pc, bool predicted, bool taken, uint64_t target)
{
	struct tage *t = self;
	uint64_t *local = &t->local[(pc ^ pc >> 8) & 255];

	(void)predicted;
	(void)target;
	update_loop(t, pc, taken);
	update_sc(t, taken);
	update_tage(t, pc, taken);
	age(t);
	*local = *local << 1 | taken;
	shift_history(t, taken);
}

static void other(void *self, const struct sim_branch *branch)
{
	shift_history(self, (branch->target >> 2 ^ branch->target >> 5) & 1);
}

static const struct sim_direction direction = {
    .predict = predict,
    .update = update,
    .other = other,
    .others = 1 << SIM_JUMP_INDIRECT | 1 << SIM_CALL_INDIRECT,
};

static const struct sim_component component = {
    .version = SIM_VERSION,
    .kind = SIM_DIRECTION,
    .name = "tage_sc_l",
    .shows = "TAGE, a statistical corrector and loops (after Seznec 2016), 30 KiB",
    .create = create,
    .destroy = free,
    .direction = &direction,
};

SIM_COMPONENT(component)
