/* SPDX-License-Identifier: BSD-2-Clause */
/* stat: runs a program and tells how often events happened in it, like perf-stat(1). */
#include "apps/stat/stat.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "apps/lib/options.h"
#include "apps/lib/workload.h"

#define DEFAULT_EVENTS                                                                         \
	"task-clock,context-switches,cpu-migrations,page-faults,cycles,instructions,branches," \
	"branch-misses"

static const char usage_text[] =
    "usage: stat [-e EVENTS] [-r RUNS] [-x SEPARATOR | -j] [-o FILE] [--] PROGRAM [ARG...]\n"
    "  -e EVENTS     comma list; groups {a,b}; modifiers :u :k :p; may be repeated (`list` shows "
    "them)\n"
    "  -r RUNS       run so often; print mean and spread\n"
    "  -x SEPARATOR  columns as perf stat -x has them: value, unit, event, time, percent, ratio, "
    "its unit\n"
    "  -j            JSON lines as perf stat -j has them\n"
    "  -o FILE       write there instead of stderr\n";

static int take_option(void *to, int letter, const char *argument);

static const struct app app = {
    .name = "stat", .usage = usage_text, .letters = "+e:r:x:jo:", .option = take_option};

static int take_option(void *to, int letter, const char *argument)
{
	struct options *options = to;
	char *end;

	switch (letter) {
	case 'e':
		return app_events(&app, &options->events, argument);
	case 'r':
		options->runs = (int)strtol(argument, &end, 10);
		if (*end || options->runs < 1 || options->runs > 1000000)
			return app_fail(&app, "-r wants a number of runs, not ", argument);
		return 0;
	case 'x':
		options->format = STAT_CSV;
		options->separator = strcmp(argument, "\\t") ? argument : "\t";
		return *argument ? 0 : app_fail(&app, "-x wants a separator", "");
	case 'j':
		options->format = STAT_JSON;
		return 0;
	case 'o':
		options->output = argument;
		return 0;
	default:
		return APP_USAGE;
	}
}

static int parse_options(struct options *options, int argc, char **argv)
{
	int status = app_options(&app, options, argc, argv, &options->program);

	if (!status && !options->events.nr)
		status = app_events(&app, &options->events, DEFAULT_EVENTS);
	if (!status && event_split_hybrid(&options->events))
		status = app_fail(&app, "too many events for two kinds of processors", "");
	return status;
}

/* Opens -o's file, with the line that perf puts first. */
static FILE *open_output(const struct options *options)
{
	time_t now = time(NULL);
	FILE *out;

	if (!options->output)
		return stderr;
	out = fopen(options->output, "we");
	if (out)
		fprintf(out, "# started on %s\n", ctime(&now));
	else
		fprintf(stderr, "stat: cannot write '%s': %s\n", options->output, strerror(errno));
	return out;
}

int main(int argc, char **argv)
{
	static struct options options = {.runs = 1};
	static struct result result;
	int status = parse_options(&options, argc, argv);
	bool failed = false;
	FILE *out;

	if (status)
		return status;
	out = open_output(&options);
	if (!out)
		return STATUS_OURS;
	moment_read(&result.before, ALL_PROCESSORS);
	for (int i = 0; i < options.runs && !failed; i++)
		status = stat_run(&options, &result, &failed);
	moment_read(&result.after, ALL_PROCESSORS);
	if (result.runs)
		stat_print(out, &options, &result);
	if (fflush(out) || ferror(out))
		return app_fail(&app, "cannot write the result: ", strerror(errno));
	return status;
}
