/* SPDX-License-Identifier: BSD-2-Clause */
/* bench: executes pieces of code in ring 0 or 3, and tells what events one instance of each is. */
#include "apps/bench/bench.h"

#include <errno.h>
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

static void read_code(struct job *job, const char *path, const char *function)
{
	job->code = read_piece(path);
	if (function)
		job->function = object_load(path, function);
	else if (object_is(job->code.bytes, job->code.size))
		fail("'%s' is an object file: --call names the function", path);
	else if (!job->code.size)
		fail("'%s' is empty: there is no code to measure", path);
}

/* A line of the host command's list: label, file of the code, of --init, of the source; tabs
 * between them, "-": none. */
static void read_job(const struct bench_options *options, struct job *job, char *line)
{
	char *field[4] = {"", "-", "-", "-"};
	size_t size;

	*job = (struct job){.label = ""};
	for (int i = 0; i < 4 && line; i++)
		field[i] = strsep(&line, "\t");
	snprintf(job->label, sizeof(job->label), "%s", field[0]);
	read_code(job, field[1], options->function);
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

/* The sweep as a sheet, for a plot. */
static void plot_add(struct sheet *sheet, const struct event_list *events, const struct job *job,
		     const struct outcome *outcome)
{
	const char *number = strrchr(job->label, '=');
	struct sheet_row *row = sheet_add(sheet, number ? atof(number + 1) : sheet->nr_rows, "%s",
					  number ? number + 1 : job->label);

	sheet->nr_columns = events->nr < SHEET_COLUMNS ? events->nr : SHEET_COLUMNS;
	for (int i = 0; i < sheet->nr_columns; i++) {
		sheet->columns[i] = events->events[i].name;
		row->values[i] = outcome->figures[i].value;
	}
}

static int run_jobs(const struct bench_options *options, const struct event_list *events)
{
	struct sheet sheet = {.title = "bench",
			      .x = *options->variable ? options->variable : "code",
			      .y = "events of one instance",
			      .kind = *options->variable ? SHEET_LINES : SHEET_BARS};
	struct job job;
	int status = 0;

	while (!status && jobs_next(options, &job)) {
		static struct outcome outcome;

		measure(options, events, &job, &outcome);
		print_outcome(stdout, options, events, &job, &outcome);
		status = outcome.failed ? STATUS_OURS : 0;
		plot_add(&sheet, events, &job, &outcome);
		job_free(&job);
	}
	sheet_plot(options, &sheet);
	return status;
}

static int run_file(const struct bench_options *options, const struct event_list *events)
{
	static struct outcome outcome;
	struct job job = {.label = ""};

	read_code(&job, options->code, options->function);
	if (options->init_code)
		job.init = read_piece(options->init_code);
	measure(options, events, &job, &outcome);
	print_outcome(stdout, options, events, &job, &outcome);
	return outcome.failed ? STATUS_OURS : 0;
}

static void parse(struct bench_options *options, int argc, char **argv)
{
	char error[EVENT_ERROR_SIZE];
	int option;

	bench_defaults(options);
	while ((option = getopt_long(argc, argv, "", bench_long_options, NULL)) != -1) {
		if (option == '?') {
			fputs(usage_text, stderr);
			exit(STATUS_OURS);
		}
		if (bench_take(options, option, optarg, error))
			fail("%s", error);
	}
	options->suite = argv[optind];
	if (bench_check(options, error))
		fail("%s", error);
	if (options->assembly || options->init)
		fail("--asm and --init are the host command's: barepmu bench");
}

int main(int argc, char **argv)
{
	static struct bench_options options;
	static struct event_list events;
	char error[EVENT_ERROR_SIZE];
	int status;

	parse(&options, argc, argv);
	if (event_parse(&events, options.events, error))
		fail("%s", error);
	run_prepare(&options);
	areas_make(&options);
	prefetch_off(&options);
	if (options.suite) {
		status = suite_run(&options);
	} else {
		print_begin(stdout, &options, &events);
		status = options.jobs ? run_jobs(&options, &events) : run_file(&options, &events);
	}
	prefetch_back();
	return fflush(stdout) ? STATUS_OURS : status;
}
