/* SPDX-License-Identifier: BSD-2-Clause */
/* How an application that measures a program reads its options. */
#ifndef APPS_LIB_OPTIONS_H
#define APPS_LIB_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>

#include "apps/lib/event/event.h"

#define APP_USAGE (-1)

struct app {
	const char *name;           /* opens its messages */
	const char *usage;          /* shown if the options are wrong */
	const char *letters;        /* as getopt(3) wants them */
	const struct option *longs; /* their values also go to `option`; NULL: none */
	bool program_is_optional;
	/* Handles one option. Returns 0; APP_USAGE for an unknown letter; or the exit status, after
	 * a message. */
	int (*option)(void *options, int letter, const char *argument);
};

/* Prints `what` and `text` on stderr. Returns STATUS_OURS. */
int app_fail(const struct app *app, const char *what, const char *text);

/* Adds the events of `text` to `list`. Returns 0, or the exit status after a message. */
int app_events(const struct app *app, struct event_list *list, const char *text);

/* Passes all options to app->option, and sets *program to the program with its arguments. Returns
 * 0, or the exit status after a message. */
int app_options(const struct app *app, void *options, int argc, char **argv, char ***program);

#endif
