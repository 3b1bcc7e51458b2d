/* SPDX-License-Identifier: BSD-2-Clause */
/* Predictors of branch targets. */
#include <stdlib.h>

#include "emulator/sim/branch/targets.h"
#include "emulator/sim/config/mix.h"

/* The core's own predictor by the path, if it has one, or the user's. */
static bool indirect_init(struct targets *t, const struct core_config *config, unsigned processor)
{
	const struct component_use *use = &config->components[SLOT_INDIRECT];
	const uint64_t usual[SIM_PARAMETERS_MAX] = {config->branch.indirect_log2};

	t->indirect.host = (struct sim_host){.processor = processor, .level = SIM_NO_LEVEL};
	if (use->component)
		return component_make(&t->indirect, use->component, use->parameters, use);
	return !config->branch.indirect_log2 ||
	       component_make(&t->indirect, &component_path, usual, NULL);
}

bool targets_init(struct targets *t, const struct core_config *whole, unsigned processor)
{
	const struct branch_config *config = &whole->branch;

	*t = (struct targets){.config = config,
			      .fold =
				  (unsigned)__builtin_ctz(config->btb_entries / config->btb_ways)};
	t->btb_targets = calloc(config->btb_entries, sizeof(*t->btb_targets));
	t->latest = calloc(config->btb_entries / config->btb_ways, sizeof(*t->latest));
	t->returns = calloc(config->return_stack, sizeof(*t->returns));
	if (t->btb_targets && t->latest && t->returns && indirect_init(t, whole, processor) &&
	    assoc_init(&t->btb, config->btb_entries / config->btb_ways, config->btb_ways,
		       REPLACE_LRU))
		return true;
	targets_free(t);
	return false;
}

void targets_free(struct targets *t)
{
	assoc_free(&t->btb);
	free(t->btb_targets);
	free(t->latest);
	component_end(&t->indirect);
	free(t->returns);
	*t = (struct targets){0};
}

/* The set index folds in higher bits: otherwise jumps at a power-of-two distance, such as aligned
 * ones, would use few of the sets. */
static uint64_t btb_key(const struct targets *t, uint64_t ip)
{
	return ip ^ ip >> t->fold;
}

/* Returns the branch's target in the BTB, 0: none; then stores this target. */
static uint64_t btb_search(struct targets *t, uint64_t key, uint64_t target)
{
	uint32_t index = assoc_use(&t->btb, key);
	uint64_t victim, known = 0;
	uint8_t state;

	if (index == ASSOC_NONE)
		index = assoc_insert(&t->btb, key, &victim, &state);
	else
		known = t->btb_targets[index];
	t->btb_targets[index] = target;
	return known;
}

static inline uint64_t btb(struct targets *t, uint64_t ip, uint64_t target)
{
	uint64_t key = btb_key(t, ip);
	struct latest *latest = &t->latest[assoc_set(&t->btb, key)];

	if (latest->ip == ip && latest->target == target)
		return target;
	*latest = (struct latest){ip, target};
	return btb_search(t, key, target);
}

bool targets_direct(struct targets *t, uint64_t ip, uint64_t target)
{
	return btb(t, ip, target) == target;
}

bool targets_indirect(struct targets *t, uint64_t ip, uint64_t target)
{
	const struct sim_indirect *indirect;
	uint64_t known = btb(t, ip, target), predicted;

	if (!t->indirect.self)
		return known == target;
	indirect = t->indirect.component->indirect;
	if (indirect->step)
		return indirect->step(t->indirect.self, ip, t->path, known, target) == target;
	predicted = indirect->predict(t->indirect.self, ip, t->path, known);
	indirect->update(t->indirect.self, ip, t->path, predicted, target);
	return predicted == target;
}

void targets_call(struct targets *t, uint64_t back)
{
	t->returns[t->top] = back;
	t->top = (t->top + 1) % t->config->return_stack;
	if (t->depth < t->config->return_stack)
		t->depth++;
}

bool targets_return(struct targets *t, uint64_t target)
{
	if (!t->depth)
		return false;
	t->depth--;
	t->top = (t->top ? t->top : t->config->return_stack) - 1;
	return t->returns[t->top] == target;
}
