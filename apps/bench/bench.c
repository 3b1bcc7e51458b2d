/* SPDX-License-Identifier: BSD-2-Clause */
/* bench: executes pieces of code in ring 0 or 3 and reports the events per instance. */
#define _GNU_SOURCE
#include "apps/bench/bench.h"

#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "apps/bench/sheet.h"
#include "apps/lib/slurp.h"
#include "apps/lib/workload.h"

static const char usage_text[] =
    "usage: bench --code FILE [--call FUNCTION] [--init-code FILE] [OPTIONS]\n"
    "The host command `barepmu bench` assembles --asm and --init; docs/bench.md has all options.\n";

void fail(const char *format, ...)
{
	va_list arguments;

	fflush(stdout);
	fputs("bench: ", stderr);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	guard_leave();
	exit(STATUS_OURS);
}

void *need_memory(size_t bytes)
{
	void *memory = calloc(1, bytes);

	if (!memory)
		fail("no %zu bytes of memory", bytes);
	return memory;
}

static struct piece read_piece(const char *path)
{
	struct piece piece = {NULL, 0};

	piece.bytes = slurp(path, &piece.size);
	if (!piece.bytes)
		fail("cannot read '%s': %s", path, strerror(errno));
	return piece;
}

static void read_code(struct job *job, const char *path, const struct bench_options *options)
{
	job->code = read_piece(path);
	if (options->function)
		job->function = object_load(options, path);
	else if (object_is(job->code.bytes, job->code.size))
		fail("'%s' is an object file: --call names the function", path);
	else if (!job->code.size)
		fail("'%s' is empty: there is no code to measure", path);
}

/* Reads a line of the host command's list: label, files of the code, of --init and of the source,
 * divided by tabs; "-": none. */
static void read_job(const struct bench_options *options, struct job *job, char *line)
{
	char *field[4] = {"", "-", "-", "-"};
	size_t size;

	*job = (struct job){.label = ""};
	for (int i = 0; i < 4 && line; i++)
		field[i] = strsep(&line, "\t");
	snprintf(job->label, sizeof(job->label), "%s", field[0]);
	read_code(job, field[1], options);
	if (strcmp(field[2], "-"))
		job->init = read_piece(field[2]);
	if (strcmp(field[3], "-"))
		job->lines = (char *)slurp(field[3], &size);
}

bool jobs_next(const struct bench_options *options, struct job *job)
{
	static char *rest;
	static bool begun;
	char *line;

	if (!begun)
		rest = (char *)read_piece(options->jobs).bytes;
	begun = true;
	do
		line = strsep(&rest, "\n");
	while (line && !*line);
	if (line)
		read_job(options, job, line);
	return line != NULL;
}

void job_free(struct job *job)
{
	free(job->code.bytes);
	free(job->init.bytes);
	free(job->lines);
}

/* Results as a sheet, for a plot: rows are codes or a sweep's values; if several codes are swept,
 * each has its own columns. */
struct plot {
	struct sheet sheet;
	int codes, row; /* swept so far; where the next value goes */
	bool measured;  /* at least one did not end by a fault */
	char names[SHEET_COLUMNS][40];
	char y[160]; /* the codes, by number */
};

/* Plots a code after the first, "TEXT, X=1": its first value. */
static void plot_code(struct plot *plot, const char *label)
{
	const char *end = strrchr(label, ',');
	size_t used = strlen(plot->y);

	plot->row = 0;
	plot->codes++;
	if (end && used < sizeof(plot->y))
		snprintf(plot->y + used, sizeof(plot->y) - used, "%s(%d) %.*s",
			 plot->codes == 1 ? ": " : ", ", plot->codes, (int)(end - label), label);
}

static struct sheet_row *plot_row(struct plot *plot, const char *label)
{
	struct sheet *sheet = &plot->sheet;
	const char *number = strrchr(label, '=');
	double x = number ? atof(number + 1) : sheet->nr_rows;

	if (sheet->kind == SHEET_BARS || !number)
		return sheet_add(sheet, x, "%s", label);
	if (!plot->codes || x <= sheet->rows[plot->row - 1].x)
		plot_code(plot, label);
	if (plot->row == sheet->nr_rows)
		sheet_add(sheet, x, "%s", number + 1);
	return &sheet->rows[plot->row++];
}

static void plot_add(struct plot *plot, const struct event_list *events, const struct job *job,
		     const struct outcome *outcome)
{
	struct sheet_row *row = plot_row(plot, job->label);
	struct sheet *sheet = &plot->sheet;
	int first = plot->codes ? (plot->codes - 1) * events->nr : 0;

	plot->measured |= !outcome->failed;
	for (int i = 0; i < events->nr && first + i < SHEET_COLUMNS; i++) {
		row->values[first + i] =
		    outcome->failed ? __builtin_nan("") : outcome->figures[i].value;
		if (first + i < sheet->nr_columns)
			continue;
		snprintf(plot->names[first + i], sizeof(plot->names[0]),
			 plot->codes > 1 ? "%s (%d)" : "%s", events->events[i].name, plot->codes);
		sheet->columns[first + i] = plot->names[first + i];
		sheet->nr_columns = first + i + 1;
	}
}

/* Names the codes if there is more than one. */
static void plot_end(struct plot *plot, const struct bench_options *options)
{
	size_t used;

	if (plot->codes > 1) {
		plot->sheet.y = plot->y;
		for (int i = 0; i < plot->sheet.nr_columns / plot->codes; i++) {
			used = strlen(plot->names[i]);
			snprintf(plot->names[i] + used, sizeof(plot->names[i]) - used, " (1)");
		}
	}
	if (plot->measured)
		sheet_plot(options, &plot->sheet);
}

/* Measures a job and prints its figures. */
static int run_job(const struct bench_options *options, const struct event_list *events,
		   const struct job *job, struct outcome *outcome)
{
	measure(options, events, job, outcome);
	if (options->ticks && !outcome->failed)
		measure_ticks(options, job, outcome);
	if (options->energy && !outcome->failed)
		energy_measure(options, job, outcome);
	if (!outcome->failed)
		outcome_conclude(options, events, job, outcome);
	print_outcome(stdout, options, events, job, outcome);
	fflush(stdout);
	return outcome->failed ? STATUS_OURS : 0;
}

static int run_jobs(const struct bench_options *options, const struct event_list *events)
{
	static struct plot plot = {
	    .sheet = {.title = "bench", .y = "events of one instance"},
	    .y = "events of one instance",
	};
	struct job job;
	int status = 0;

	plot.sheet.heading =
	    *options->variable ? "Events of one instance, by a variable" : "Events of one instance";
	plot.sheet.x = *options->variable ? options->variable : "code";
	plot.sheet.kind = *options->variable ? SHEET_LINES : SHEET_BARS;
	while (jobs_next(options, &job)) { /* a fault in one does not end the others */
		static struct outcome outcome;

		if (run_job(options, events, &job, &outcome))
			status = STATUS_OURS;
		plot_add(&plot, events, &job, &outcome);
		job_free(&job);
	}
	plot_end(&plot, options);
	return status;
}

static int run_file(const struct bench_options *options, const struct event_list *events)
{
	static struct outcome outcome;
	struct job job = {.label = ""};

	read_code(&job, options->code, options);
	if (options->init_code)
		job.init = read_piece(options->init_code);
	return run_job(options, events, &job, &outcome);
}

static void parse(struct bench_options *options, int argc, char **argv)
{
	char error[EVENT_ERROR_SIZE];
	int option;

	bench_defaults(options);
	while ((option = getopt_long(argc, argv, "v", bench_long_options, NULL)) != -1) {
		if (option == '?') {
			fputs(usage_text, stderr);
			exit(STATUS_OURS);
		}
		if (option == 'v')
			options->verbose = true;
		else if (bench_take(options, option, optarg, error))
			fail("%s", error);
	}
	options->suite = argv[optind];
	if (bench_check(options, error))
		fail("%s", error);
	if (options->assembly || options->init)
		fail("--asm and --init are the host command's: barepmu bench");
}

/* The request on the command line. */
struct request {
	struct bench_options options;
	struct event_list events;
};

static int run_codes(void *data)
{
	const struct request *request = data;

	return request->options.jobs ? run_jobs(&request->options, &request->events)
				     : run_file(&request->options, &request->events);
}

int main(int argc, char **argv)
{
	static struct request request;
	struct bench_options *options = &request.options;
	struct event_list *events = &request.events;
	char error[EVENT_ERROR_SIZE];
	int status;

	parse(options, argc, argv);
	if (event_parse(events, options->events, error))
		fail("%s", error);
	run_prepare(options);
	event_place_hybrid(events, sched_getcpu());
	event_classify(events);
	areas_make(options);
	prefetch_off(options);
	if (options->suite) {
		status = suite_run(options);
	} else {
		print_begin(stdout, options, events);
		status = guard_run(run_codes, &request);
	}
	prefetch_back();
	return fflush(stdout) ? STATUS_OURS : status;
}
