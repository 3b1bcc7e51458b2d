/* SPDX-License-Identifier: BSD-2-Clause */
/* A processor's branch predictor: whether a branch would have been predicted as it went. */
#ifndef CORE_BRANCH_PREDICTOR_H
#define CORE_BRANCH_PREDICTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "emulator/sim/config/config.h"

struct predictor;

enum branch_class {
	BRANCH_CONDITIONAL = SIM_CONDITIONAL,
	BRANCH_JUMP = SIM_JUMP,
	BRANCH_JUMP_INDIRECT = SIM_JUMP_INDIRECT,
	BRANCH_CALL = SIM_CALL,
	BRANCH_CALL_INDIRECT = SIM_CALL_INDIRECT,
	BRANCH_RETURN = SIM_RETURN,
	BRANCH_CLASSES,
};

/* The outcome of a branch, in bits. */
enum branch_outcome {
	BRANCH_TAKEN = 1,
	BRANCH_MISPREDICTED = 2, /* found out only at execution */
	/* A direct branch whose target the BTB did not know: the decoder corrects it (BACLEARS). */
	BRANCH_RESTEERED = 4,
	BRANCH_OUTCOMES = 8,
};

/* Returns NULL if there is no memory. The caller keeps config, which must live as long. processor:
 * its number, for components. */
struct predictor *predictor_new(const struct core_config *config, unsigned processor);
void predictor_free(struct predictor *predictor);

/* Sets instances to the predictor's components, and places to the place of each. Returns how many
 * there are, at most two. */
unsigned predictor_components(struct predictor *predictor, struct component_instance **instances,
			      const char **places);

/*
 * A branch at ip was executed: it went to target if taken, else to fallthrough (the address after
 * it, which is also a call's return address).
 * Returns bits of enum branch_outcome.
 */
unsigned predictor_branch(struct predictor *predictor, uint64_t ip, enum branch_class kind,
			  bool taken, uint64_t target, uint64_t fallthrough);

/* True if enough equal branches in a row leave the predictor in a state that further ones do not
 * change. A user's component sees all of them: it may count. */
bool predictor_saturates(const struct predictor *predictor);

/* predictor_branch() for a conditional branch. */
unsigned predictor_conditional(struct predictor *predictor, uint64_t ip, bool taken,
			       uint64_t target, uint64_t fallthrough);

#endif
