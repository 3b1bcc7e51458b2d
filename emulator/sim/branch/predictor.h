/* SPDX-License-Identifier: BSD-2-Clause */
/* A processor's branch predictor: whether a branch would have been predicted as it went. */
#ifndef CORE_BRANCH_PREDICTOR_H
#define CORE_BRANCH_PREDICTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "emulator/sim/config/config.h"

struct predictor;

enum branch_class {
	BRANCH_CONDITIONAL,
	BRANCH_JUMP,
	BRANCH_JUMP_INDIRECT,
	BRANCH_CALL,
	BRANCH_CALL_INDIRECT,
	BRANCH_RETURN,
	BRANCH_CLASSES,
};

/* Why the last branch was mispredicted, or fetched late. */
struct predictor_counts {
	uint64_t branches[BRANCH_CLASSES], missed[BRANCH_CLASSES];
	uint64_t taken;
	/* Direct branches whose target the BTB did not know: the decoder corrects them
	 * (BACLEARS). */
	uint64_t resteers;
};

/* Returns NULL without memory to hold it. config stays the caller's and must live as long. */
struct predictor *predictor_new(const struct core_config *config);
void predictor_free(struct predictor *predictor);

/*
 * A branch at ip has been executed: it went to target when taken, else to fallthrough (the address
 * after it, which a call's return is expected at).
 * Returns whether the processor would have found out only at execution that it goes elsewhere than
 * predicted. A direct branch unknown to the BTB is no misprediction: the decoder finds its target.
 */
bool predictor_branch(struct predictor *predictor, uint64_t ip, enum branch_class kind, bool taken,
		      uint64_t target, uint64_t fallthrough);

/* Whether the last branch's target was the decoder's to find (a resteer of the front end). */
bool predictor_resteered(const struct predictor *predictor);

const struct predictor_counts *predictor_counts(const struct predictor *predictor);

#endif
