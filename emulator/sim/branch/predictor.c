/* SPDX-License-Identifier: BSD-2-Clause */
/* A processor's branch predictor: combines direction, target and return stack. */
#include <stdlib.h>

#include "emulator/sim/branch/direction.h"
#include "emulator/sim/branch/predictor.h"
#include "emulator/sim/branch/targets.h"

struct predictor {
	struct direction direction;
	struct targets targets;
	bool resteered;
	struct predictor_counts counts;
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

static bool conditional(struct predictor *p, uint64_t ip, bool taken, uint64_t target)
{
	bool predicted = direction_branch(&p->direction, ip, taken);

	if (taken)
		p->resteered = !targets_direct(&p->targets, ip, target) && predicted;
	return predicted != taken;
}

static bool missed(struct predictor *p, uint64_t ip, enum branch_class kind, bool taken,
		   uint64_t target, uint64_t fallthrough)
{
	bool right = true;

	switch (kind) {
	case BRANCH_CONDITIONAL:
		return conditional(p, ip, taken, target);
	case BRANCH_CALL:
		call(p, target, fallthrough);
		/* fall through */
	case BRANCH_JUMP:
		p->resteered = !targets_direct(&p->targets, ip, target);
		return false;
	case BRANCH_CALL_INDIRECT:
		call(p, target, fallthrough);
		/* fall through */
	case BRANCH_JUMP_INDIRECT:
		right = targets_indirect(&p->targets, ip, target);
		/* A bit of the target is shifted into the history. */
		direction_history(&p->direction, (target >> 2 ^ target >> 5) & 1);
		return !right;
	case BRANCH_RETURN:
		return !targets_return(&p->targets, target);
	default:
		return false;
	}
}

bool predictor_branch(struct predictor *p, uint64_t ip, enum branch_class kind, bool taken,
		      uint64_t target, uint64_t fallthrough)
{
	bool was_missed;

	p->resteered = false;
	was_missed = missed(p, ip, kind, taken, target, fallthrough);
	if (taken) {
		targets_path(&p->targets, ip, target);
		p->counts.taken++;
	}
	p->counts.branches[kind]++;
	p->counts.missed[kind] += was_missed;
	p->counts.resteers += p->resteered;
	return was_missed;
}

bool predictor_resteered(const struct predictor *p)
{
	return p->resteered;
}

const struct predictor_counts *predictor_counts(const struct predictor *p)
{
	return &p->counts;
}
