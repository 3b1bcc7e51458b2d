/* SPDX-License-Identifier: BSD-2-Clause */
/* A processor's branch predictor: combines direction, target and return stack. */
#include <stdlib.h>

#include "emulator/sim/branch/direction.h"
#include "emulator/sim/branch/predictor.h"
#include "emulator/sim/branch/targets.h"

struct predictor {
	struct direction direction;
	struct targets targets;
};

struct predictor *predictor_new(const struct core_config *config)
{
	struct predictor *p = calloc(1, sizeof(*p));

	if (p && (!direction_init(&p->direction, &config->branch) ||
		  !targets_init(&p->targets, &config->branch))) {
		predictor_free(p);
		p = NULL;
	}
	return p;
}

void predictor_free(struct predictor *p)
{
	if (!p)
		return;
	direction_free(&p->direction);
	targets_free(&p->targets);
	free(p);
}

/* A call to the next instruction only reads its address: processors do not push a return address
 * for it. */
static void call(struct predictor *p, uint64_t target, uint64_t fallthrough)
{
	if (target != fallthrough)
		targets_call(&p->targets, fallthrough);
}

static unsigned conditional(struct predictor *p, uint64_t ip, bool taken, uint64_t target)
{
	unsigned missed = direction_branch(&p->direction, ip, taken) != taken;

	if (!taken)
		return missed * BRANCH_MISPREDICTED;
	if (targets_direct(&p->targets, ip, target))
		return BRANCH_TAKEN | missed * BRANCH_MISPREDICTED;
	return BRANCH_TAKEN | (missed ? BRANCH_MISPREDICTED : BRANCH_RESTEERED);
}

static unsigned direct(struct predictor *p, uint64_t ip, uint64_t target)
{
	return BRANCH_TAKEN | (targets_direct(&p->targets, ip, target) ? 0 : BRANCH_RESTEERED);
}

static unsigned indirect(struct predictor *p, uint64_t ip, uint64_t target)
{
	bool right = targets_indirect(&p->targets, ip, target);

	/* A bit of where it went goes into the history. */
	direction_history(&p->direction, (target >> 2 ^ target >> 5) & 1);
	return BRANCH_TAKEN | (right ? 0 : BRANCH_MISPREDICTED);
}

static unsigned unconditional(struct predictor *p, uint64_t ip, enum branch_class kind,
			      uint64_t target, uint64_t fallthrough)
{
	switch (kind) {
	case BRANCH_CALL:
		call(p, target, fallthrough);
		return direct(p, ip, target);
	case BRANCH_JUMP:
		return direct(p, ip, target);
	case BRANCH_CALL_INDIRECT:
		call(p, target, fallthrough);
		return indirect(p, ip, target);
	case BRANCH_JUMP_INDIRECT:
		return indirect(p, ip, target);
	default:
		return BRANCH_TAKEN |
		       (targets_return(&p->targets, target) ? 0 : BRANCH_MISPREDICTED);
	}
}

unsigned predictor_branch(struct predictor *p, uint64_t ip, enum branch_class kind, bool taken,
			  uint64_t target, uint64_t fallthrough)
{
	unsigned outcome = kind == BRANCH_CONDITIONAL
			       ? conditional(p, ip, taken, target)
			       : unconditional(p, ip, kind, target, fallthrough);

	if (outcome & BRANCH_TAKEN)
		targets_path(&p->targets, ip, target);
	return outcome;
}
