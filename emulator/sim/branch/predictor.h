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

/* Causes of mispredictions and late fetches. */
struct predictor_counts {
	uint64_t branches[BRANCH_CLASSES], missed[BRANCH_CLASSES];
	uint64_t taken;
	/* Direct branches whose target the BTB did not know: the decoder corrects them
	 * (BACLEARS). */
	uint64_t resteers;
};

/* Returns NULL if there is no memory. The caller keeps config, which must live as long. */
struct predictor *predictor_new(const struct core_config *config);
void predictor_free(struct predictor *predictor);

/*
 * A branch at ip was executed: it went to target if taken, else to fallthrough (the address after
 * it, which is also a call's return address). Returns whether it was mispredicted, which a
 * processor detects at execution. A direct branch missing in the BTB is no misprediction: the
 * decoder finds its target.
 */
bool predictor_branch(struct predictor *predictor, uint64_t ip, enum branch_class kind, bool taken,
		      uint64_t target, uint64_t fallthrough);

/* True if the last branch's target was found by the decoder (a resteer of the front end). */
bool predictor_resteered(const struct predictor *predictor);

const struct predictor_counts *predictor_counts(const struct predictor *predictor);

#endif
