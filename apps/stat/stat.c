/* SPDX-License-Identifier: BSD-2-Clause */
/* stat: runs a program and reports event counts, like perf-stat(1). */
#include "apps/stat/stat.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "apps/lib/app_options.h"
#include "apps/lib/event/pmu_id.h"
#include "apps/lib/options.h"
#include "apps/lib/workload.h"

#define DEFAULT_EVENTS                                                               \
	",context-switches,cpu-migrations,page-faults,cycles,instructions,branches," \
	"branch-misses"

/* Events that -d, -d -d and -d -d -d add. */
static const char *const details[] = {
    "L1-dcache-loads,L1-dcache-load-misses,LLC-loads,LLC-load-misses",
    "L1-icache-loads,L1-icache-load-misses,dTLB-loads,dTLB-load-misses,iTLB-loads,"
    "iTLB-load-misses",
    "L1-dcache-prefetches,L1-dcache-prefetch-misses",
};

#define NR_DETAILS (int)(sizeof(details) / sizeof(details[0]))

static const char usage_text[] =
    "usage: stat [-e EVENTS] [-d] [-M METRICS] [-r RUNS [--table]] [--warm-up N] [-I MS]\n"
    "            [-a] [-C CPUS] [--per-core] [-A] [-p PIDS] [--no-big-num] [-x SEPARATOR | -j] [-o "
    "FILE]\n"
    "            [--] [PROGRAM [ARG...]]\n"
    "  -e EVENTS     comma list; groups {a,b}; modifiers :u :k :p; may be repeated (`list` shows "
    "them)\n"
    "  -d            more of the caches; -d -d, -d -d -d: and of TLBs, of prefetches\n"
    "  -M METRICS    ratios of several events, by name; `-M help` lists them\n"
    "  --topdown     which share of the pipeline's slots did what: -M TopdownL1\n"
    "  -r RUNS       run so often; print mean and spread; --table: each run's time\n"
    "  --warm-up N   before these, N runs that are not counted: caches are warm then\n"
    "  -I MS         counts of each so many milliseconds\n"
    "  --plot FILE   of -I: for the plot that the host command draws\n"
    "  -a, -C CPUS   all that runs on all processors, on these (0,2-3)\n"
    "  --per-core    a line for each core; -A: for each processor\n"
    "  -p PIDS       processes that run already\n"
    "  --no-big-num  digits without commas (-B: with them)\n"
    "  --metric-only  the ratios without the counts\n"
    "  -x SEPARATOR  columns as perf stat -x has them: value, unit, event, time, percent, ratio, "
    "its unit\n"
    "  -j            JSON lines as perf stat -j has them\n"
    "  -o FILE       write there instead of stderr\n";

static int take_option(void *to, int letter, const char *argument);

static const struct app app = {.name = "stat",
			       .usage = usage_text,
			       .letters = "+" TARGET_LETTERS STAT_LETTERS,
			       .longs = stat_long_options,
			       .program_is_optional = true,
			       .option = take_option};

static int take_metrics(struct options *options, const char *names)
{
	char copy[256], error[EVENT_ERROR_SIZE], *save = NULL;

	if (!strcmp(names, "help")) {
		metrics_show(stdout);
		exit(0);
	}
	snprintf(copy, sizeof(copy), "%s", names);
	for (char *name = strtok_r(copy, ",", &save); name; name = strtok_r(NULL, ",", &save))
		if (metrics_add(options, name, error))
			return app_fail(&app, error, "");
	return 0;
}

/* Parses a whole number from 1 to `most` into *value. */
static int take_number(const char *text, long most, const char *complaint, unsigned *value)
{
	char *end;
	long number = strtol(text, &end, 10);

	if (!*text || *end || number < 1 || number > most)
		return app_fail(&app, complaint, text);
	*value = (unsigned)number;
	return 0;
}

static int take_runs(struct options *options, const char *argument)
{
	unsigned runs;
	int status = take_number(argument, 1000000, "-r wants a number of runs, not ", &runs);

	if (!status)
		options->runs = (int)runs;
	return status;
}

/* Sets the format: one of -x and -j. */
static int take_format(struct options *options, enum stat_format format)
{
	if (options->format != STAT_TABLE && options->format != format)
		return app_fail(&app, "-x and -j exclude each other", "");
	options->format = format;
	return 0;
}

static int take_separator(struct options *options, const char *argument)
{
	if (!*argument || !strcmp(argument, "--")) /* "--" is meant as the end of the options */
		return app_fail(&app, "-x wants a separator, as in -x,", "");
	options->separator = strcmp(argument, "\\t") ? argument : "\t";
	return take_format(options, STAT_CSV);
}

static int take_option(void *to, int letter, const char *argument)
{
	struct options *options = to;

	switch (letter) {
	case 'e':
		return app_events(&app, &options->events, argument);
	case 'M':
		return take_metrics(options, argument);
	case OPTION_TOPDOWN:
		return take_metrics(options, "TopdownL1");
	case 'r':
		return take_runs(options, argument);
	case 'I':
		return take_number(argument, 1000000000, "-I wants milliseconds, not ",
				   &options->interval);
	case 'x':
		return take_separator(options, argument);
	case 'C':
		options->cpus = argument;
		options->everywhere = true;
		return 0;
	case 'p':
		options->pids = argument;
		return 0;
	case 'o':
		options->output = argument;
		return 0;
	case OPTION_PLOT:
		options->plot_path = argument;
		return 0;
	case OPTION_WARM_UP:
		return take_number(argument, 1000000, "--warm-up wants a number of runs, not ",
				   &options->warm_up);
	default:
		break;
	}
	switch (letter) {
	case 'd':
		options->detail++;
		return 0;
	case 'j':
		return take_format(options, STAT_JSON);
	case 'a':
		options->everywhere = true;
		return 0;
	case 'A':
	case OPTION_PER_CORE:
		options->lines = letter == 'A' ? LINES_CPU : LINES_CORE;
		return 0;
	case OPTION_PLAIN:
	case 'B':
		options->plain_numbers = letter != 'B';
		return 0;
	case OPTION_METRIC_ONLY:
		options->metric_only = true;
		return 0;
	case OPTION_TABLE:
		options->table = true;
		return 0;
	default:
		return APP_USAGE;
	}
}

/* Rejects contradictory options. */
static int check_options(const struct options *options)
{
	if (options->everywhere && options->pids)
		return app_fail(&app, "-p counts processes, -a and -C processors: take one", "");
	if (options->lines != LINES_ALL && !options->everywhere)
		return app_fail(&app, "--per-core and -A go with -a or -C", "");
	if (!*options->program && !options->everywhere && !options->pids)
		return APP_USAGE;
	if (options->plot_path && (!options->interval || options->runs > 1))
		return app_fail(&app, "--plot draws the intervals of one run: it goes with -I MS",
				"");
	if (!*options->program && (options->runs > 1 || options->warm_up))
		return app_fail(&app, "-r and --warm-up want a program to run", "");
	return 0;
}

static int parse_options(struct options *options, int argc, char **argv)
{
	int status = app_options(&app, options, argc, argv, &options->program);

	if (!status)
		status = check_options(options);
	if (status == APP_USAGE)
		return app_fail(&app, usage_text, "");
	if (!status && !options->events.nr)
		status = app_events(&app, &options->events,
				    options->everywhere ? "cpu-clock" DEFAULT_EVENTS
							: "task-clock" DEFAULT_EVENTS);
	for (int i = 0; i < options->detail && i < NR_DETAILS && !status; i++)
		status = app_events(&app, &options->events, details[i]);
	if (!status && event_split_hybrid(&options->events))
		status = app_fail(&app, "too many events for two kinds of processors", "");
	return status;
}

/* Opens -o's file, with the line that perf puts first. */
static FILE *open_output(const struct options *options)
{
	time_t now = time(NULL);
	FILE *out;

	if (!options->output || !strcmp(options->output, "-")) /* as perf has it */
		return stderr;
	out = fopen(options->output, "we");
	if (out)
		fprintf(out, "# started on %s\n", ctime(&now));
	else
		fprintf(stderr, "stat: cannot write '%s': %s\n", options->output, strerror(errno));
	return out;
}

/* Opens the file for the plot, if there is one. Returns 0 or 125. */
static int open_plot(struct options *options)
{
	if (!options->plot_path)
		return 0;
	options->plot = fopen(options->plot_path, "we");
	if (!options->plot)
		return app_fail(&app, "cannot write the plot: ", strerror(errno));
	stat_plot_head(options->plot, options);
	return 0;
}

/* Runs the program without counting it. True: that failed, with this status. */
static bool warm_up(const struct options *options, int *status)
{
	static struct result ignored;
	struct options quiet = *options;
	bool failed = false;

	quiet.interval = 0;
	for (unsigned i = 0; i < options->warm_up && !failed; i++)
		*status = stat_run(&quiet, &ignored, stderr, &failed);
	return failed;
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
	if (!out || open_plot(&options))
		return STATUS_OURS;
	if (options.interval)
		stat_interval_head(out, &options);
	event_classify(&options.events);
	if (warm_up(&options, &status))
		return status;
	moment_read(&result.before, ALL_PROCESSORS);
	for (int i = 0; i < options.runs && !failed; i++)
		status = stat_run(&options, &result, out, &failed);
	pmu_measures(false);
	moment_read(&result.after, ALL_PROCESSORS);
	if (result.runs)
		stat_print(out, &options, &result);
	if (options.plot && fclose(options.plot))
		return app_fail(&app, "cannot write the plot: ", strerror(errno));
	if (fflush(out) || ferror(out))
		return app_fail(&app, "cannot write the result: ", strerror(errno));
	return status;
}
