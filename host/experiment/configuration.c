/* SPDX-License-Identifier: BSD-2-Clause */
/* Cores in files, by libconfig: a base, and keys that are the options of --core, in any groups. */
#include "host/experiment/configuration.h"

#include <errno.h>
#include <libconfig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apps/lib/closest.h"
#include "emulator/sim/options/components.h"
#include "emulator/sim/options/options.h"
#include "emulator/sim/options/parse.h"
#include "host/lib/report.h"
#include "host/lib/text.h"

enum { VALUE_SIZE = 512 };

struct reading {
	const char *path;
	const char *base;
	struct core_config own; /* the base's */
	char *text;
};

static _Noreturn void refuse(const struct reading *r, const config_setting_t *setting,
			     const char *what)
{
	die(STATUS_OURS, "%s:%d: %s", r->path, config_setting_source_line(setting), what);
}

/* ---- reading ---- */

static const char *nearest(const char *name)
{
	struct closest search = {.word = name};

	for (size_t i = 0; config_word_at(i); i++)
		closest_offer(&search, config_word_at(i)->name);
	for (size_t i = 0; i < component_word_count; i++)
		closest_offer(&search, component_words[i].name);
	return search.best;
}

/* Returns the value's text, as after `=` in --core. */
static const char *text_of(const struct reading *r, const config_setting_t *setting,
			   char out[VALUE_SIZE])
{
	switch (config_setting_type(setting)) {
	case CONFIG_TYPE_INT:
		snprintf(out, VALUE_SIZE, "%d", config_setting_get_int(setting));
		return out;
	case CONFIG_TYPE_INT64:
		snprintf(out, VALUE_SIZE, "%lld", config_setting_get_int64(setting));
		return out;
	case CONFIG_TYPE_BOOL:
		return config_setting_get_bool(setting) ? "1" : "0";
	case CONFIG_TYPE_STRING:
		return config_setting_get_string(setting);
	default:
		refuse(r, setting,
		       format_text("'%s' is a number, a text or a group",
				   config_setting_name(setting)));
	}
}

/* True if the base has that value already. */
static bool is_bases(const struct reading *r, const struct config_word *word, const char *value)
{
	struct core_config changed = r->own;
	char before[VALUE_SIZE], after[VALUE_SIZE];

	return !word->set(&changed, word, value) &&
	       config_word_show(&r->own, word, before, sizeof(before)) &&
	       config_word_show(&changed, word, after, sizeof(after)) && !strcmp(before, after);
}

static void read_key(struct reading *r, const config_setting_t *setting)
{
	const char *name = config_setting_name(setting);
	const struct config_word *word = config_word_find(name);
	char buffer[VALUE_SIZE];
	const char *value = text_of(r, setting, buffer);
	const struct component_word *component = component_word(name, value);
	struct core_config changed = r->own;

	if (strchr(value, ','))
		refuse(r, setting, format_text("%s: a comma in '%s'", name, value));
	if (!word && !component)
		refuse(r, setting,
		       nearest(name) ? format_text("unknown key '%s': did you mean '%s'?", name,
						   nearest(name))
				     : format_text("unknown key '%s'", name));
	if (!component && word->set(&changed, word, value))
		refuse(r, setting, format_text("%s = %s: takes %s", name, value, word->takes));
	if (component || !is_bases(r, word, value))
		r->text = format_text("%s,%s=%s", r->text, name, value);
}

static void read_group(struct reading *r, const config_setting_t *group)
{
	for (int i = 0; i < config_setting_length(group); i++) {
		const config_setting_t *setting = config_setting_get_elem(group, (unsigned)i);

		if (config_setting_is_group(setting))
			read_group(r, setting);
		else if (strcmp(config_setting_name(setting), "base"))
			read_key(r, setting);
	}
}

char *configuration_read(const char *path)
{
	struct reading r = {.path = path};
	config_t file;

	config_init(&file);
	if (access(path, R_OK))
		die(STATUS_OURS, "cannot read '%s': %s", path, strerror(errno));
	if (!config_read_file(&file, path))
		die(STATUS_OURS, "%s:%d: %s", path, config_error_line(&file),
		    config_error_text(&file));
	if (!config_lookup_string(&file, "base", &r.base))
		die(STATUS_OURS, "%s: no base: it begins with base = \"skylake\";", path);
	if (!core_config_find(r.base))
		die(STATUS_OURS, "%s: base '%s' is no core: `--core help` lists them", path,
		    r.base);
	r.own = *core_config_find(r.base);
	core_config_defaults(&r.own);
	r.text = format_text("%s", r.base);
	read_group(&r, config_root_setting(&file));
	config_destroy(&file);
	return r.text;
}

/* ---- writing ---- */

/* The groups of a file, by the part of the configuration that their keys change. */
static const struct group {
	const char *name;
	size_t first, end; /* offsets in struct core_config */
} groups[] = {
    {"memory", offsetof(struct core_config, memory), offsetof(struct core_config, branch)},
    {"branches", offsetof(struct core_config, branch), offsetof(struct core_config, pipe)},
    {"pipeline", offsetof(struct core_config, pipe), offsetof(struct core_config, pipe.ports)},
    {"ports", offsetof(struct core_config, pipe.ports), offsetof(struct core_config, pipe.timings)},
    {"latencies", offsetof(struct core_config, pipe.latencies),
     offsetof(struct core_config, components)},
    {"machine", offsetof(struct core_config, turn), sizeof(struct core_config)},
};

static bool is_number(const char *text)
{
	return *text && strspn(text, "0123456789") == strlen(text);
}

/* The user's components. */
static void write_components(const struct core_config *config)
{
	for (size_t i = 0; i < component_word_count; i++) {
		const struct component_use *use = &config->components[component_words[i].slot];
		const struct sim_parameter *p = use->component ? use->component->parameters : NULL;

		if (!use->component)
			continue;
		printf("%s = \"%s", component_words[i].name, use->name);
		for (unsigned j = 0; p && p[j].name; j++)
			printf(":%s=%llu", p[j].name, (unsigned long long)use->parameters[j]);
		puts("\";");
	}
}

static void write_key(const struct core_config *config, const struct config_word *word)
{
	char value[VALUE_SIZE];

	if ((!strcmp(word->name, "predictor") && config->components[SLOT_PREDICTOR].component) ||
	    !config_word_show(config, word, value, sizeof(value)))
		return;
	printf(is_number(value) ? "    %s = %s; # %s\n" : "    %s = \"%s\"; # %s\n", word->name,
	       value, word->shows);
}

void configuration_write(const char *core)
{
	struct core_config config;
	char error[VALUE_SIZE];

	if (core_config_parse(core, &config, error, sizeof(error)))
		die(STATUS_OURS, "%s", error);
	printf("# %s\nbase = \"%.*s\";\n", config.shows, (int)strcspn(core, ","), core);
	write_components(&config);
	for (size_t g = 0; g < sizeof(groups) / sizeof(groups[0]); g++) {
		printf("%s: {\n", groups[g].name);
		for (size_t i = 0; config_word_at(i); i++)
			if (config_word_at(i)->offset >= groups[g].first &&
			    config_word_at(i)->offset < groups[g].end)
				write_key(&config, config_word_at(i));
		puts("};");
	}
}
