/* SPDX-License-Identifier: BSD-2-Clause */
/* The command new: a project for barepmu.h. */
#include "host/commands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apps/lib/closest.h"
#include "host/lib/home.h"
#include "host/lib/report.h"
#include "host/lib/text.h"

static void copy_into(const char *directory, const char *from, const char *name)
{
	struct buffer content = read_file(home_file(from));
	char *path = format_text("%s/%s", directory, name);
	FILE *file = fopen(path, "wxe");

	if (!file || fwrite(content.bytes, content.size, 1, file) != 1 || fclose(file))
		die(STATUS_OURS, "cannot write '%s': %s", path, strerror(errno));
	free(content.bytes);
	free(path);
}

/* The kinds of `new --component`: the word of --core that takes one, and events to count with it.
 */
static const struct component_kind {
	const char *name, *word, *events;
} component_kinds[] = {
    {"predictor", "predictor", "instructions:u,cycles:u,branches:u,branch-misses:u"},
    {"indirect", "indirect", "instructions:u,cycles:u,branches:u,branch-misses:u"},
    {"policy", "l2-policy", "instructions:u,cycles:u,L1-dcache-load-misses:u,LLC-loads:u"},
    {"prefetcher", "l2-prefetch", "instructions:u,cycles:u,L1-dcache-load-misses:u,LLC-loads:u"},
};

static const struct component_kind *find_kind(const char *name)
{
	struct closest search = {.word = name};

	for (size_t i = 0; i < sizeof(component_kinds) / sizeof(component_kinds[0]); i++) {
		if (!strcmp(component_kinds[i].name, name))
			return &component_kinds[i];
		closest_offer(&search, component_kinds[i].name);
	}
	if (search.best)
		die(STATUS_OURS, "new --component: no kind '%s': did you mean '%s'?", name,
		    search.best);
	die(STATUS_OURS,
	    "new --component: no kind '%s': takes predictor, indirect, policy or prefetcher", name);
}

/* Replaces each `from` in a text. */
static char *replace(char *text, const char *from, const char *to)
{
	for (char *at; (at = strstr(text, from));)
		text = format_text("%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
	return text;
}

/* Writes the template's Makefile with the words of its kind. */
static void write_makefile(const char *directory, const struct component_kind *kind)
{
	struct buffer content = read_file(home_file("sdk/component/Makefile"));
	char *path = format_text("%s/Makefile", directory);
	char *text = format_text("%.*s", (int)content.size, content.bytes);
	FILE *file = fopen(path, "wxe");

	text = replace(replace(text, "@WORD@", kind->word), "@EVENTS@", kind->events);
	if (!file || fputs(text, file) < 0 || fclose(file))
		die(STATUS_OURS, "cannot write '%s': %s", path, strerror(errno));
}

static void make_directory(const char *directory)
{
	if (mkdir(directory, 0777))
		die(STATUS_OURS, "cannot make '%s': %s", directory, strerror(errno));
}

/* A component of the simulated core, from a template. */
static int new_component(const char *kind_name, const char *directory)
{
	const struct component_kind *kind = find_kind(kind_name);

	make_directory(directory);
	copy_into(directory, "sdk/sim.h", "sim.h");
	copy_into(directory, format_text("sdk/component/%s.c", kind->name), "component.c");
	copy_into(directory, format_text("sdk/component/%s_test.c", kind->name), "test.c");
	write_makefile(directory, kind);
	printf("%s: make -C %s test run\n", directory, directory);
	return 0;
}

int new_project(char **arguments)
{
	static const char *const files[][2] = {{"sdk/barepmu.h", "barepmu.h"},
					       {"sdk/barepmu_events.h", "barepmu_events.h"},
					       {"sdk/template/main.c", "main.c"},
					       {"sdk/template/Makefile", "Makefile"}};
	const char *directory = arguments[0];

	if (directory && !strcmp(directory, "--component")) {
		if (!arguments[1] || !arguments[2] || *arguments[2] == '-' || arguments[3])
			die(STATUS_OURS,
			    "new --component wants a kind and a directory: barepmu new "
			    "--component predictor DIR");
		return new_component(arguments[1], arguments[2]);
	}
	if (!directory || *directory == '-' || arguments[1])
		die(STATUS_OURS, "new wants one directory: barepmu new DIR");
	make_directory(directory);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		copy_into(directory, files[i][0], files[i][1]);
	printf("%s: make -C %s run\n", directory, directory);
	return 0;
}
