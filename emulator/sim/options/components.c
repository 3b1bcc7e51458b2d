/* SPDX-License-Identifier: BSD-2-Clause */
/* The options that put a component into a core. */
#include "emulator/sim/options/components.h"

#include <stdio.h>
#include <string.h>

#include "emulator/sim/branch/direction.h"
#include "emulator/sim/branch/targets.h"
#include "emulator/sim/component/load.h"
#include "emulator/sim/component/policies.h"
#include "emulator/sim/memory/prefetch.h"

enum { BUILTIN_MAX = 8 };

const struct component_word component_words[] = {
    {"predictor", "with parameters, as tage:tables=6, or from a file, as ./mine.so:entries=4096",
     SLOT_PREDICTOR, SIM_DIRECTION, SIM_NO_LEVEL},
    {"indirect", "how targets of indirect branches are predicted: path, or a component",
     SLOT_INDIRECT, SIM_INDIRECT, SIM_NO_LEVEL},
    {"l1i-policy", "which line of L1I leaves: lru, plru, or a component", SLOT_L1I_POLICY,
     SIM_REPLACEMENT, SIM_L1I},
    {"l1d-policy", "of L1D", SLOT_L1D_POLICY, SIM_REPLACEMENT, SIM_L1D},
    {"l2-policy", "of L2", SLOT_L2_POLICY, SIM_REPLACEMENT, SIM_L2},
    {"l3-policy", "of L3", SLOT_L3_POLICY, SIM_REPLACEMENT, SIM_L3},
    {"l1i-prefetch", "L1I's prefetcher in place of the core's: code, or a component",
     SLOT_L1I_PREFETCH, SIM_PREFETCHER, SIM_L1I},
    {"l1d-prefetch", "L1D's: next, stride, or a component", SLOT_L1D_PREFETCH, SIM_PREFETCHER,
     SIM_L1D},
    {"l2-prefetch", "L2's: streamer, adjacent, or a component", SLOT_L2_PREFETCH, SIM_PREFETCHER,
     SIM_L2},
    {"l3-prefetch", "L3's, which has none otherwise: streamer, adjacent, or a component",
     SLOT_L3_PREFETCH, SIM_PREFETCHER, SIM_L3},
    {"tlb-prefetch", "the second-level TLB's, which has none otherwise: a component",
     SLOT_TLB_PREFETCH, SIM_PREFETCHER, SIM_TLB},
};

const size_t component_word_count = sizeof(component_words) / sizeof(component_words[0]);

static const struct sim_component *const policies[] = {&component_lru, &component_plru, NULL};
static const struct sim_component *const indirect[] = {&component_path, NULL};

/* The built-in prefetchers for the level, ended by NULL. */
static const struct sim_component *const *prefetchers(enum sim_level level)
{
	static const struct sim_component *fit[BUILTIN_MAX + 1];
	unsigned nr = 0;

	for (unsigned i = 0; i < prefetch_builtin_count && nr < BUILTIN_MAX; i++)
		if (prefetch_builtin[i].component->levels >> level & 1)
			fit[nr++] = prefetch_builtin[i].component;
	fit[nr] = NULL;
	return fit;
}

static const struct sim_component *const *builtin_of(const struct component_word *word)
{
	switch (word->kind) {
	case SIM_DIRECTION:
		return direction_builtin;
	case SIM_INDIRECT:
		return indirect;
	case SIM_REPLACEMENT:
		return policies;
	default:
		return prefetchers(word->level);
	}
}

/* The built-in predictors by their names alone have the core's own sizes. */
static bool is_own_predictor(const char *value)
{
	for (unsigned i = 0; direction_builtin[i]; i++)
		if (!strcmp(direction_builtin[i]->name, value))
			return true;
	return false;
}

const struct component_word *component_word(const char *name, const char *value)
{
	for (size_t i = 0; i < component_word_count; i++)
		if (!strcmp(component_words[i].name, name))
			return component_words[i].kind == SIM_DIRECTION && is_own_predictor(value)
				   ? NULL
				   : &component_words[i];
	return NULL;
}

int component_set(struct core_config *config, const struct component_word *word, const char *value,
		  char *error, size_t size)
{
	const struct component_place place = {word->kind, word->level, builtin_of(word)};
	int prefix = snprintf(error, size, "--core: %s: ", word->name);

	return component_parse(value, &place, &config->components[word->slot], error + prefix,
			       size - (size_t)prefix);
}

int component_check(const struct core_config *config, char *error, size_t size)
{
	for (size_t i = 0; i < component_word_count; i++) {
		const struct component_word *word = &component_words[i];
		bool there = word->level == SIM_L3    ? config->memory.l3.size
			     : word->level == SIM_L2  ? config->memory.l2.size
			     : word->level == SIM_TLB ? config->memory.stlb.page_4k.entries
						      : true;

		if (there || !config->components[word->slot].component)
			continue;
		snprintf(error, size, "--core: %s: this core has no %.*s", word->name,
			 word->level == SIM_TLB ? 4 : 2,
			 word->level == SIM_TLB ? "stlb" : word->name);
		return -1;
	}
	return 0;
}
