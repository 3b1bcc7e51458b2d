/* SPDX-License-Identifier: BSD-2-Clause */
/* Predictors of a conditional branch's direction: bimodal, gshare, TAGE. */
#ifndef CORE_BRANCH_DIRECTION_H
#define CORE_BRANCH_DIRECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "emulator/sim/config/config.h"

enum { TAGE_TABLES_MAX = 8, TAGE_HISTORY_MAX = 128, RUNS = 1024, RUN_LONG = 255 };

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
	const struct branch_config *config;
	uint8_t *counters; /* 0 to 3, taken from 2 on */
	unsigned nr;       /* tables; their indices are the hash's bits from `shift` on */
	unsigned short_nr; /* of them, those whose histories fit into 64 bits: the first */
	unsigned shift;
	struct tagged_table tables[TAGE_TABLES_MAX];
	uint64_t history[2]; /* bit 0 of the first: the last branch */
	uint32_t failures;   /* to find a place for a new entry, in a row */
	struct run runs[RUNS];
	int8_t trust[RUNS]; /* in histories rather than in the counter, by branch */
};

/* Returns false if there is no memory. */
bool direction_init(struct direction *d, const struct branch_config *config);
void direction_free(struct direction *d);

/* Predicts the branch at ip, then trains with the outcome. Returns the prediction. */
bool direction_branch(struct direction *d, uint64_t ip, bool taken);

/* Shifts a branch into the history. */
static inline void direction_history(struct direction *d, bool bit)
{
	d->history[1] = d->history[1] << 1 | d->history[0] >> 63;
	d->history[0] = d->history[0] << 1 | bit;
}

#endif
