/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds a core by name, and parses changes to it: NAME[,WORD=VALUE]... */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/lib/closest.h"
#include "emulator/sim/options/parse.h"
#include "emulator/sim/options/options.h"
#include "emulator/sim/models/models.h"

static const struct core_config *const cores[] = {
    &core_yonah,     &core_core2, &core_nehalem, &core_skylake, &core_golden_cove,
    &core_gracemont, &core_k10,   &core_zen2,    &core_zen4,    &core_cachegrind,
};

#define BACKLOG_BYTES (8u << 20)
#define TURN_INSTRUCTIONS \
	50 /* half of a shared line's loads find it moved from 1 on: docs/core.md */

enum { CORES = sizeof(cores) / sizeof(cores[0]), TEXT_MAX = 512 };

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
	if (index >= config_word_count)
		return NULL;
	*shows = config_words[index].shows;
	return config_words[index].name;
}

__attribute__((format(printf, 3, 4))) static int fail(char *error, size_t size, const char *format,
						      ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(error, size, format, args);
	va_end(args);
	for (; *error; error++) /* one line, whatever was typed */
		if (iscntrl((unsigned char)*error))
			*error = '?';
	return -1;
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
		return fail(error, size, "core 'none' takes no words");
	for (size_t i = 0; i < CORES; i++)
		closest_offer(&search, cores[i]->name);
	if (search.best)
		return fail(error, size, "unknown core '%s': did you mean '%s'?", name,
			    search.best);
	fail(error, size, "unknown core '%s': takes none", name);
	for (size_t i = 0; i < CORES; i++)
		append(error, size, ", ", cores[i]->name);
	return -1;
}

static int unknown_word(const char *name, char *error, size_t size)
{
	struct closest search = {.word = name};

	for (size_t i = 0; i < config_word_count; i++)
		closest_offer(&search, config_words[i].name);
	if (search.best)
		return fail(error, size, "--core: unknown word '%s': did you mean '%s'?", name,
			    search.best);
	fail(error, size, "--core: unknown word '%s': takes", name);
	for (size_t i = 0; i < config_word_count; i++)
		append(error, size, i ? ", " : " ", config_words[i].name);
	return -1;
}

static const struct config_word *find_word(const char *name)
{
	for (size_t i = 0; i < config_word_count; i++)
		if (!strcmp(config_words[i].name, name))
			return &config_words[i];
	return NULL;
}

/* Applies one WORD=VALUE, which it modifies; *given has a bit for each earlier option. */
static int change(struct core_config *config, char *text, uint64_t *given, char *error, size_t size)
{
	char *value = strchr(text, '=');
	const struct config_word *word;

	if (value)
		*value++ = 0;
	word = find_word(text);
	if (!word)
		return unknown_word(text, error, size);
	if (*given >> (word - config_words) & 1)
		return fail(error, size, "--core: %s: given twice", text);
	*given |= (uint64_t)1 << (word - config_words);
	if (!value || word->set(config, word, value))
		return fail(error, size, "--core: %s=%s: takes %s", text, value ? value : "",
			    word->takes);
	return 0;
}

int core_config_parse(const char *text, struct core_config *out, char *error, size_t size)
{
	char copy[TEXT_MAX], *rest = copy, *part;
	const struct core_config *core;
	uint64_t given = 0;

	if (strlen(text) >= sizeof(copy))
		return fail(error, size, "--core: longer than %d characters", TEXT_MAX - 1);
	strcpy(copy, text);
	part = strsep(&rest, ",");
	core = core_config_find(part);
	if (!core)
		return unknown_core(part, error, size);
	*out = *core;
	out->backlog = BACKLOG_BYTES;
	out->turn = TURN_INSTRUCTIONS;
	while (rest)
		if (change(out, strsep(&rest, ","), &given, error, size))
			return -1;
	snprintf(out->name, sizeof(out->name), "%s", text);
	return config_check(out, error, size);
}
