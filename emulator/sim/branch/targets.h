/* SPDX-License-Identifier: BSD-2-Clause */
/* Predictors of branch targets: BTB, indirect targets by history, return stack. */
#ifndef CORE_BRANCH_TARGETS_H
#define CORE_BRANCH_TARGETS_H

#include <stdbool.h>
#include <stdint.h>

#include "emulator/sim/memory/assoc.h"

/* The last taken branch of a BTB set and its target: a hit that changes no replacement state. */
struct latest {
	uint64_t ip, target;
};

struct targets {
	const struct branch_config *config;
	struct assoc btb; /* by btb_key() */
	unsigned fold;    /* log2 of its sets, rounded down */
	uint64_t *btb_targets;
	struct latest *latest;              /* by set */
	struct component_instance indirect; /* self NULL: the BTB's target is the prediction */
	uint64_t path;                      /* the last branches that were taken */
	uint64_t *returns;
	unsigned top, depth; /* the place of the next return address; how many there are */
};

/* Returns false if there is no memory. */
bool targets_init(struct targets *t, const struct core_config *config, unsigned processor);
void targets_free(struct targets *t);

/* A direct branch was taken. Returns whether the BTB had its target. */
bool targets_direct(struct targets *t, uint64_t ip, uint64_t target);
/* An indirect branch was taken. Returns whether its target was predicted. */
bool targets_indirect(struct targets *t, uint64_t ip, uint64_t target);
void targets_call(struct targets *t, uint64_t back);
/* Returns whether the return stack had the target. */
bool targets_return(struct targets *t, uint64_t target);

/* An indirect predictor by the path, of 2^entries targets. */
extern const struct sim_component component_path;

/* Shifts a taken branch into the path, which holds the last thirteen: 5 bits for each. */
static inline void targets_path(struct targets *t, uint64_t ip, uint64_t target)
{
	t->path = t->path << 5 ^ (target >> 1 ^ ip << 2);
}

#endif
