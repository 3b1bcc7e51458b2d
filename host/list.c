/* SPDX-License-Identifier: BSD-2-Clause */
/* `barepmu list --json`: what a command line can choose, as lines of JSON. */
#include "host/list.h"

#include <stdio.h>
#include <string.h>

#include "apps/lib/json.h"
#include "emulator/sim/options/options.h"
#include "emulator/sim/options/parse.h"
#include "emulator/visor/model/base/personality.h"
#include "emulator/visor/model/model.h"

#define VALUE_SIZE 256

bool list_is_json(const struct options *options)
{
	for (int i = 0; i < options->pass.nr; i++)
		if (!strcmp(options->pass.word[i], "--json"))
			return true;
	return false;
}

static void print_pmu(const struct personality *p)
{
	int records = (int)personality_branch_records(p), pebs = personality_pebs(p);

	putchar('{');
	json_first(stdout, "kind", "pmu");
	json_text(stdout, "name", personality_name(p));
	if (p->alias)
		json_text(stdout, "alias", p->alias);
	json_text(stdout, "processor", p->processor);
	json_number(stdout, "year", p->year);
	json_number(stdout, "version", p->version);
	json_number(stdout, "general-counters", p->general);
	json_number(stdout, "fixed-counters", p->fixed);
	json_number(stdout, "branch-records", records);
	if (pebs >= 0)
		json_number(stdout, "pebs-format", pebs);
	if (p->core)
		json_text(stdout, "core", p->core);
	if (p->core)
		json_number(stdout, "stand-in", p->stand_in);
	if (p->efficient)
		json_text(stdout, "efficient-core", p->efficient->core);
	puts("}");
}

/* Prints a core with the value of each option. */
static void print_core(const struct core_config *core)
{
	char value[VALUE_SIZE];

	putchar('{');
	json_first(stdout, "kind", "core");
	json_text(stdout, "name", core->name);
	json_text(stdout, "description", core->shows);
	json_text(stdout, "sources", core->sources);
	for (size_t i = 0; i < config_word_count; i++)
		if (config_word_show(core, &config_words[i], value, sizeof(value)))
			json_text(stdout, config_words[i].name, value);
	puts("}");
}

/* Prints an option of --core. Numbers have a lowest and a highest value. */
static void print_word(const struct config_word *word)
{
	putchar('{');
	json_first(stdout, "kind", "core-word");
	json_text(stdout, "name", word->name);
	json_text(stdout, "description", word->shows);
	json_text(stdout, "takes", word->takes);
	if (!strncmp(word->takes, "a number", strlen("a number"))) {
		json_number(stdout, "min", word->min);
		json_number(stdout, "max", word->max);
	}
	puts("}");
}

void list_choices(void)
{
	const struct core_config *core;

	for (unsigned i = 0; personality_at(i); i++)
		if (personality_at(i)->version)
			print_pmu(personality_at(i));
	for (size_t i = 0; (core = core_config_at(i)); i++)
		print_core(core);
	for (size_t i = 0; i < config_word_count; i++)
		print_word(&config_words[i]);
}
