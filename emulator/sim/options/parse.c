/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds a core by name, and parses changes to it: NAME[,WORD=VALUE]... */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/lib/closest.h"
#include "emulator/sim/component/error_line.h"
#include "emulator/sim/models/models.h"
#include "emulator/sim/options/components.h"
#include "emulator/sim/options/options.h"
#include "emulator/sim/options/parse.h"

static const struct core_config *const cores[] = {
    &core_yonah,     &core_core2, &core_nehalem, &core_skylake, &core_golden_cove,
    &core_gracemont, &core_k10,   &core_zen2,    &core_zen4,    &core_cachegrind,
};

#define REPLAY_BYTES (8u << 20)
#define TURN_INSTRUCTIONS \
	50 /* half of a shared line's loads find it moved from 1 on: docs/core.md */

enum { CORES = sizeof(cores) / sizeof(cores[0]), TEXT_MAX = 16384, WORDS_MAX = 512 };

const struct core_config *core_config_at(size_t index)
{
	return index < CORES ? cores[index] : NULL;
}

const struct core_config *core_config_find(const char *name)
{
	for (size_t i = 0; i < CORES; i++)
		if (!strcmp(cores[i]->name, name))
			return cores[i];
	return NULL;
}

const char *core_config_word(size_t index, const char **shows)
{
	if (index >= config_word_count + component_word_count)
		return NULL;
	if (index >= config_word_count) {
		*shows = component_words[index - config_word_count].shows;
		return component_words[index - config_word_count].name;
	}
	*shows = config_words[index].shows;
	return config_words[index].name;
}

/* Appends one more possible value, if there is room. */
static void append(char *error, size_t size, const char *before, const char *name)
{
	size_t length = strlen(error);

	if (length < size)
		snprintf(error + length, size - length, "%s%s", before, name);
}

static int unknown_core(const char *name, char *error, size_t size)
{
	struct closest search = {.word = name};

	if (!strcmp(name, "none"))
		return error_line(error, size, "core 'none' takes no terms");
	for (size_t i = 0; i < CORES; i++)
		closest_offer(&search, cores[i]->name);
	if (search.best)
		return error_line(error, size, "unknown core '%s': did you mean '%s'?", name,
				  search.best);
	error_line(error, size, "unknown core '%s': takes none", name);
	for (size_t i = 0; i < CORES; i++)
		append(error, size, ", ", cores[i]->name);
	return -1;
}

static int unknown_word(const char *name, char *error, size_t size)
{
	struct closest search = {.word = name};

	for (size_t i = 0; config_word_at(i); i++)
		closest_offer(&search, config_word_at(i)->name);
	for (size_t i = 0; i < component_word_count; i++)
		closest_offer(&search, component_words[i].name);
	if (search.best)
		return error_line(error, size, "--core: unknown term '%s': did you mean '%s'?",
				  name, search.best);
	error_line(error, size, "--core: unknown term '%s': takes", name);
	for (size_t i = 0; i < config_word_count; i++)
		append(error, size, i ? ", " : " ", config_words[i].name);
	return -1;
}

/* Returns the place of an option among all, and of its value; -1: unknown. */
static int place_of(const char *name)
{
	const struct component_word *component = component_word(name, "");
	size_t place = 0;

	for (; config_word_at(place); place++)
		if (!strcmp(config_word_at(place)->name, name))
			return (int)place;
	return component ? (int)(place + (size_t)(component - component_words)) : -1;
}

/* Applies one WORD=VALUE, which it modifies; given: for each option, whether it was there. */
static int change(struct core_config *config, char *text, bool *given, char *error, size_t size)
{
	char *value = strchr(text, '=');
	const struct config_word *word;
	const struct component_word *component;
	int place;

	if (value)
		*value++ = 0;
	place = place_of(text);
	if (place < 0)
		return unknown_word(text, error, size);
	if (given[place])
		return error_line(error, size, "--core: %s: given twice", text);
	given[place] = true;
	component = component_word(text, value ? value : "");
	if (component && value)
		return component_set(config, component, value, error, size);
	word = config_word_find(text);
	if (!word)
		return error_line(error, size, "--core: %s: takes a component", text);
	if (!value || word->set(config, word, value))
		return error_line(error, size, "--core: %s=%s: takes %s", text, value ? value : "",
				  word->takes);
	return 0;
}

/* DDR4-2400 of one rank, at about 3 GHz: tRCD and tRP 13.75 ns, 3.3 ns a line (JESD79-4). */
static const struct dram_config usual_dram = {
    .banks = 16, .row = 8192, .activate = 41, .precharge = 41, .burst = 10};

void core_config_defaults(struct core_config *config)
{
	if (!config->memory.dram.banks)
		config->memory.dram = usual_dram;
	config->replay = REPLAY_BYTES;
	config->turn = TURN_INSTRUCTIONS;
}

int core_config_parse(const char *text, struct core_config *out, char *error, size_t size)
{
	char copy[TEXT_MAX], *rest = copy, *part;
	const struct core_config *core;
	bool given[WORDS_MAX] = {false};

	if (strlen(text) >= sizeof(copy))
		return error_line(error, size, "--core: longer than %d characters", TEXT_MAX - 1);
	strcpy(copy, text);
	part = strsep(&rest, ",");
	core = core_config_find(part);
	if (!core)
		return unknown_core(part, error, size);
	*out = *core;
	core_config_defaults(out);
	while (rest)
		if (change(out, strsep(&rest, ","), given, error, size))
			return -1;
	snprintf(out->name, sizeof(out->name), "%s", text);
	return config_check(out, error, size) || component_check(out, error, size) ? -1 : 0;
}
