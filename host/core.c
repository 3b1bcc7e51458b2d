/* SPDX-License-Identifier: BSD-2-Clause */
/* The simulated core behind an emulated PMU: which one, and QEMU's words for it. */
#include "host/core.h"

#include <stdlib.h>
#include <string.h>

#include "abi/core_page.h"
#include "emulator/sim/component/load.h"
#include "emulator/sim/options/parse.h"
#include "emulator/visor/model/base/personality.h"
#include "emulator/visor/model/model.h"
#include "host/experiment/configuration.h"
#include "host/lib/home.h"
#include "host/lib/report.h"
#include "host/lib/text.h"
#include "host/machine/qemu.h"
#include "host/machine/qemu_file.h"

#define NONE      "none"
#define TIME_CORE "core"

/* Prints a text in lines of `columns` columns, each indented by `indent` spaces. */
static void print_wrapped(const char *text, unsigned indent, size_t columns)
{
	while (*text) {
		size_t length = strlen(text);

		if (length > columns) {
			for (length = columns; length && text[length] != ' '; length--)
				;
			if (!length)
				length = columns;
		}
		printf("%*s%.*s\n", (int)indent, "", (int)length, text);
		text += length;
		text += *text == ' ';
	}
}

static void list_cores(void)
{
	const struct core_config *core;
	const char *word, *shows;

	for (size_t i = 0; (core = core_config_at(i)); i++) {
		printf("%-12s  %s\n", core->name, core->shows);
		print_wrapped(core->sources, 16, 100);
	}
	printf("%-12s  no core: events are fixed shares of the instructions\n\n", NONE);
	printf("Words after a name change it (--core skylake,l1d=16K/4,prefetch=off):\n");
	for (size_t i = 0; (word = core_config_word(i, &shows)); i++)
		printf("%-12s  %s\n", word, shows);
}

const char *check_core(const char *text)
{
	struct core_config config;
	char error[512];

	component_search(home_file("components"));
	if (!strcmp(text, "help")) {
		list_cores();
		exit(0);
	}
	if (*text == '@')
		text = configuration_read(text + 1);
	if (strcmp(text, NONE) && core_config_parse(text, &config, error, sizeof(error)))
		die(STATUS_OURS, "%s", error);
	return text;
}

const char *check_time(const char *text)
{
	if (strcmp(text, TIME_CORE) && strcmp(text, "instructions"))
		die(STATUS_OURS, "--time is core or instructions, not '%s'", text);
	return text;
}

/* QEMU takes two commas for one. */
static char *escape(const char *text)
{
	char *escaped = allocate(2 * strlen(text) + 1), *to = escaped;

	for (; *text; text++) {
		*to++ = *text;
		if (*text == ',')
			*to++ = ',';
	}
	return escaped;
}

/* Returns the core chosen by option or environment. NULL: none; single-stepping defaults to exact
 * counts. */
static const char *requested_core(const struct options *options)
{
	const char *usual = getenv("BAREPMU_CORE");

	if (options->core)
		return options->core;
	if (usual && *usual)
		return check_core(usual);
	return options->exact ? NONE : NULL;
}

/* Returns the core's name, NONE without one; *efficient: that of the second half of the processors,
 * or NULL. */
static const char *choose_core(const struct options *options, const char **efficient)
{
	const struct personality *own = personality_find(options->pmu);
	const char *requested = requested_core(options);

	*efficient = NULL;
	if (!own || !own->core)
		return NONE;
	if (requested)
		return requested;
	if (own->efficient)
		*efficient = own->efficient->core;
	return own->core;
}

bool core_takes_turns(const struct options *options)
{
	const char *efficient, *core = choose_core(options, &efficient),
			       *requested = requested_core(options);
	bool plain = !strcmp(options->pmu, NONE) && !requested;
	bool records = profile_wanted(&options->profile);

	return (plain || records || strcmp(core, NONE)) && options->processors > 1 &&
	       !options->parallel && qemu_has_plugins(QEMU);
}

bool core_is_used(const struct options *options)
{
	const char *efficient;

	return strcmp(choose_core(options, &efficient), NONE) && qemu_has_plugins(QEMU);
}

/* True if the first program is a tool that calls by VISOR_LEAF_BEGIN before it measures, or that
 * measures nothing. */
static bool tool_begins(const struct options *options)
{
	static const char *const tools[] = {"stat", "record", "list"};

	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++)
		if (!strcmp(options->command, tools[i]))
			return true;
	return false;
}

void core_words(struct words *words, const struct options *options, const char *version)
{
	const char *efficient, *core = choose_core(options, &efficient);
	bool turns = core_takes_turns(options), has_core = strcmp(core, NONE);

	if (!has_core && !turns)
		return;
	if (!qemu_has_plugins(words->word[0])) {
		if (requested_core(options))
			die(STATUS_OURS,
			    "this QEMU has no plugins, which --core needs: --core none");
		return;
	}
	add_word(words, "-plugin");
	add_word(words,
		 format_text("%s%s%s%s%s,%s%s,time=%s,qemu=%s%s", escape(home_file("core.so")),
			     has_core ? ",core=" : "", has_core ? escape(core) : "",
			     efficient ? ",efficient=" : "", efficient ? efficient : "",
			     turns                     ? "turn=" CORE_TURN
			     : options->processors > 1 ? "threads=on"
						       : "threads=off",
			     tool_begins(options) ? ",begin=tool" : "",
			     options->time ? options->time : TIME_CORE, version,
			     experiment_words(options)));
}

void core_dump(const struct options *options)
{
	const char *efficient, *core = choose_core(options, &efficient);

	if (!strcmp(core, NONE))
		die(STATUS_OURS, "--dump-core: there is no core");
	configuration_write(core);
}
