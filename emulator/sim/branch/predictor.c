/* SPDX-License-Identifier: BSD-2-Clause */
/* A processor's branch predictor: combines direction, target and return stack. */
#include <stdlib.h>

#include "emulator/sim/branch/direction.h"
#include "emulator/sim/branch/predictor.h"
#include "emulator/sim/branch/targets.h"

struct predictor {
	const struct sim_direction *way; /* of the direction's component */
	bool (*step)(void *self, uint64_t pc, bool taken, uint64_t target);
	void *self;
	uint32_t others[2]; /* kinds that the direction and the indirect predictor hear of */
	struct component_instance direction;
	struct targets targets;
};

static bool direction_init(struct predictor *p, const struct core_config *config,
			   unsigned processor)
{
	const struct component_use *use = &config->components[SLOT_PREDICTOR];
	const struct sim_component *component = use->component;
	uint64_t usual[SIM_PARAMETERS_MAX];

	p->direction.host = (struct sim_host){.processor = processor, .level = SIM_NO_LEVEL};
	if (!component) {
		component = direction_builtin[config->branch.kind];
		direction_parameters(&config->branch, usual);
	}
	p->way = component->direction;
	if (!component_make(&p->direction, component, use->component ? use->parameters : usual,
			    use->component ? use : NULL))
		return false;
	p->step = p->way->step;
	p->self = p->direction.self;
	return true;
}

static void find_others(struct predictor *p)
{
	const struct component_instance *indirect = &p->targets.indirect;

	if (p->way->other)
		p->others[0] = p->way->others & ~(1u << SIM_CONDITIONAL);
	if (indirect->self && indirect->component->indirect->other)
		p->others[1] = indirect->component->indirect->others &
			       ~(1u << SIM_JUMP_INDIRECT | 1u << SIM_CALL_INDIRECT);
}

struct predictor *predictor_new(const struct core_config *config, unsigned processor)
{
	struct predictor *p = calloc(1, sizeof(*p));

	if (p && (!direction_init(p, config, processor) ||
		  !targets_init(&p->targets, config, processor))) {
		predictor_free(p);
		return NULL;
	}
	if (p)
		find_others(p);
	return p;
}

unsigned predictor_components(struct predictor *p, struct component_instance **instances,
			      const char **places)
{
	instances[0] = &p->direction;
	places[0] = "predictor";
	if (!p->targets.indirect.self)
		return 1;
	instances[1] = &p->targets.indirect;
	places[1] = "indirect";
	return 2;
}

bool predictor_saturates(const struct predictor *p)
{
	const struct sim_component *const *builtin = direction_builtin;

	while (*builtin && *builtin != p->direction.component)
		builtin++;
	return *builtin && !(p->others[1] >> SIM_CONDITIONAL & 1);
}

void predictor_free(struct predictor *p)
{
	if (!p)
		return;
	component_end(&p->direction);
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

/* A component without step(): the result is known only after the prediction. */
static bool predict_and_update(struct predictor *p, uint64_t ip, bool taken, uint64_t target)
{
	bool predicted = p->way->predict(p->self, ip);

	p->way->update(p->self, ip, predicted, taken, target);
	return predicted;
}

static inline bool predict(struct predictor *p, uint64_t ip, bool taken, uint64_t target)
{
	if (p->step == direction_tage_step)
		return direction_tage_step(p->self, ip, taken, target);
	return p->step ? p->step(p->self, ip, taken, target)
		       : predict_and_update(p, ip, taken, target);
}

/* Reports a branch to the components that do not predict it. */
static inline void report_branch(struct predictor *p, const struct sim_branch *branch)
{
	const struct component_instance *indirect = &p->targets.indirect;

	if (p->others[0] >> branch->kind & 1)
		p->way->other(p->self, branch);
	if (p->others[1] >> branch->kind & 1)
		indirect->component->indirect->other(indirect->self, branch);
}

unsigned predictor_conditional(struct predictor *p, uint64_t ip, bool taken, uint64_t target,
			       uint64_t fallthrough)
{
	unsigned missed = predict(p, ip, taken, target) != taken;

	if (p->others[1] >> SIM_CONDITIONAL & 1)
		report_branch(
		    p, &(struct sim_branch){ip, target, fallthrough, SIM_CONDITIONAL, taken});

	if (!taken)
		return missed * BRANCH_MISPREDICTED;
	targets_path(&p->targets, ip, target);
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
	unsigned outcome;

	if (kind == BRANCH_CONDITIONAL)
		return predictor_conditional(p, ip, taken, target, fallthrough);
	outcome = unconditional(p, ip, kind, target, fallthrough);
	if ((p->others[0] | p->others[1]) >> kind & 1)
		report_branch(p,
			      &(struct sim_branch){ip, target, fallthrough, (uint8_t)kind, taken});
	targets_path(&p->targets, ip, target);
	return outcome;
}
