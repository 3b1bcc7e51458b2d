/* SPDX-License-Identifier: BSD-2-Clause */
/* Predictors of branch targets. */
#include <stdlib.h>

#include "emulator/sim/branch/targets.h"
#include "emulator/sim/config/mix.h"

bool targets_init(struct targets *t, const struct branch_config *config)
{
	*t = (struct targets){.config = config,
			      .fold =
				  (unsigned)__builtin_ctz(config->btb_entries / config->btb_ways)};
	t->btb_targets = calloc(config->btb_entries, sizeof(*t->btb_targets));
	t->latest = calloc(config->btb_entries / config->btb_ways, sizeof(*t->latest));
	t->indirect = config->indirect_log2
			  ? calloc((size_t)1 << config->indirect_log2, sizeof(*t->indirect))
			  : NULL;
	t->returns = calloc(config->return_stack, sizeof(*t->returns));
	if (t->btb_targets && t->latest && (t->indirect || !config->indirect_log2) && t->returns &&
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
	free(t->indirect);
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

/* A target that was wrong once may be right the next time. */
static void learn(struct indirect *entry, uint64_t tag, uint64_t target)
{
	if (entry->tag == tag && entry->target == target)
		entry->sure = true;
	else if (entry->sure)
		entry->sure = false;
	else
		*entry = (struct indirect){tag, target, false};
}

bool targets_indirect(struct targets *t, uint64_t ip, uint64_t target)
{
	uint64_t predicted = btb(t, ip, target);
	uint64_t tag = (t->path + ip * MIX_FIRST) * MIX_SECOND;
	struct indirect *entry;
	bool right = predicted == target;

	if (!t->indirect)
		return right;
	entry = &t->indirect[tag >> (64 - t->config->indirect_log2)];
	if (entry->tag == tag)
		right = entry->target == target;
	if (entry->tag == tag || !right)
		learn(entry, tag, target);
	return right;
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
