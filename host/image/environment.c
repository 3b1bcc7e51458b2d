/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The program's environment. In the image it is the caller's, as for env(1), except variables of
 * the caller's session: counts depend on its size, and a run in another window must give equal
 * counts. An image for other machines gets only the variables that locate programs' parts, and no
 * secret.
 */
#include "host/image/environment.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/image/initrd.h"
#include "host/lib/array.h"
#include "host/lib/report.h"
#include "host/lib/text.h"
#include "host/machine/terminal.h"

/* Variables of shells, windows, logins, schedulers of jobs, and barepmu. TERM belongs to a
 * terminal. */
static const char *const session[] = {
    "_",         "SHLVL",     "PWD",        "OLDPWD",    "TERM",     "TERM_*",
    "COLORTERM", "DISPLAY",   "XAUTHORITY", "WAYLAND_*", "WINDOWID", "XDG_*",
    "DBUS_*",    "SSH_*",     "GPG_*",      "TMUX*",     "STY",      "SLURM*",
    "SBATCH_*",  "PARALLEL*", "BAREPMU_*",  NULL};

/* Variables with the paths of a program's parts. */
static const char *const carried[] = {"LD_LIBRARY_PATH", "LD_PRELOAD", "PYTHONPATH", "PYTHONHOME",
				      NULL};

struct environment {
	const char **text; /* NAME=VALUE */
	size_t nr;
};

/* Sets a variable, and replaces one of the same name. */
static void set(struct environment *environment, const char *text)
{
	size_t name = strcspn(text, "=") + 1, i = 0;

	while (i < environment->nr && strncmp(environment->text[i], text, name))
		i++;
	if (i == environment->nr) /* and room for the NULL at the end */
		environment->text =
		    array_grow(environment->text, ++environment->nr, sizeof(*environment->text));
	environment->text[i] = text;
}

static bool is_one_of(const char *const *patterns, const char *text)
{
	char *name = format_text("%.*s", (int)strcspn(text, "="), text);
	bool found = false;

	for (; *patterns && !found; patterns++)
		found = !fnmatch(*patterns, name, 0);
	free(name);
	return found;
}

/* Copies the caller's variables that match the patterns, or (`among` false) that do not. */
static void environment_take(struct environment *environment, const char *const *patterns,
			     bool among)
{
	for (char **text = environ; *text; text++)
		if (strchr(*text, '=') && is_one_of(patterns, *text) == among)
			set(environment, *text);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sets the defaults, before --env. */
static void begin(struct environment *environment, const struct options *options)
{
	bool image = !strcmp(options->command, "image"), shared = directories_are_shared(options);
	const char *term = getenv("TERM");

	if (!image) { /* there the stick's loader sets them */
		set(environment, shared ? "PATH=/bin:/usr/bin:/sbin:/usr/sbin" : "PATH=/bin");
		set(environment, "HOME=/");
	}
	if (!options->own_environment && *options->program)
		environment_take(environment, image ? carried : session, image);
	if (*terminal_words() && term)
		set(environment, format_text("TERM=%s", term));
}

const char *const *environment_of(const struct options *options, size_t *nr)
{
	struct environment environment = {0};

	begin(&environment, options);
	for (int i = 0; i < options->env.nr; i++)
		set(&environment, options->env.word[i]);
	qsort(environment.text, environment.nr, sizeof(*environment.text), by_text);
	*nr = environment.nr;
	return environment.text;
}
