/* SPDX-License-Identifier: BSD-2-Clause */
/* How an application that measures a program reads its options. */
#include "apps/lib/options.h"

#include <stdio.h>
#include <unistd.h>

#include "apps/lib/workload.h"

int app_fail(const struct app *app, const char *what, const char *text)
{
	fprintf(stderr, "%s: %s%s\n", app->name, what, text);
	return STATUS_OURS;
}

int app_events(const struct app *app, struct event_list *list, const char *text)
{
	char error[EVENT_ERROR_SIZE];

	return event_parse(list, text, error) ? app_fail(app, error, "") : 0;
}

static int show_usage(const struct app *app)
{
	fputs(app->usage, stderr);
	return STATUS_OURS;
}

int app_options(const struct app *app, void *options, int argc, char **argv, char ***program)
{
	static const struct option none[] = {{NULL, 0, NULL, 0}};
	int letter, status;

	while ((letter = getopt_long(argc, argv, app->letters, app->longs ? app->longs : none,
				     NULL)) != -1) {
		status = app->option(options, letter, optarg);
		if (status)
			return status == APP_USAGE ? show_usage(app) : status;
	}
	*program = argv + optind;
	return **program || app->program_is_optional ? 0 : show_usage(app);
}
