/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses the plugin's options on QEMU's command line, from the host command. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/sim/experiment/options.h"
#include "emulator/sim/options/parse.h"
#include "emulator/sim/plugin/plugin_options.h"
#include "emulator/sim/profile/profile.h"

/* Returns the text after `name`= in an option, or NULL. */
static const char *value_of(const char *word, const char *name)
{
	size_t length = strlen(name);

	return !strncmp(word, name, length) && word[length] == '=' ? word + length + 1 : NULL;
}

static bool parse_core(const char *text, struct core_config *config)
{
	char error[512];

	if (!core_config_parse(text, config, error, sizeof(error)))
		return true;
	fprintf(stderr, "core: %s\n", error);
	return false;
}

bool plugin_words_parse(struct plugin_words *words, int argc, char **argv)
{
	for (int i = 0; i < argc; i++) {
		const char *value;

		if ((value = value_of(argv[i], "core"))) {
			words->has_core = parse_core(value, &words->config);
			if (!words->has_core)
				return false;
		} else if ((value = value_of(argv[i], "efficient"))) {
			words->hybrid = parse_core(value, &words->efficient);
		} else if ((value = value_of(argv[i], "threads"))) {
			words->threads = !strcmp(value, "on");
		} else if ((value = value_of(argv[i], "time"))) {
			words->core_time = !strcmp(value, "core");
		} else if ((value = value_of(argv[i], "begin"))) {
			words->held = !strcmp(value, "tool");
		} else if ((value = value_of(argv[i], "turn"))) {
			words->turn = (unsigned)strtoul(value, NULL, 10);
		} else if ((value = value_of(argv[i], "qemu"))) {
			words->qemu = value;
		} else if (!profile_option(argv[i]) && !experiment_option(argv[i])) {
			fprintf(stderr, "core: unknown term '%s'\n", argv[i]);
			return false;
		}
	}
	return words->has_core || words->turn || profile_on();
}
