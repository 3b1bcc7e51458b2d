/* SPDX-License-Identifier: BSD-2-Clause */
/* The input of `bench` in the image: assembled code, files, and a list of jobs. */
#include "host/bench/bench.h"
#include "host/instructions/instructions.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "host/bench/assemble.h"
#include "host/bench/library.h"
#include "host/instructions/ports.h"
#include "host/lib/report.h"
#include "host/lib/text.h"

/* Memory beside the area of --memory, which may be mapped twice. */
#define AREAS_MIB 512
#define DIRECTORY "/.barepmu/bench"

static void add_file(struct options *options, char *path, struct buffer content)
{
	struct extra *extra = allocate(sizeof(*extra));

	*extra = (struct extra){.path = path, .content = content, .next = options->extra};
	options->extra = extra;
}

static void add_line(struct buffer *jobs, const char *label, const char *code, const char *init,
		     const char *lines)
{
	char *line = format_text("%s\t%s\t%s\t%s\n", label, code, init, lines);

	for (size_t i = 0; label[i]; i++) /* it is one field of one line */
		if (line[i] == '\t' || line[i] == '\n')
			line[i] = ' ';
	buffer_append(jobs, line, strlen(line));
	free(line);
}

void bench_add_job(struct options *options, struct buffer *jobs, const char *label,
		   const char *text, const char *init, const char *define)
{
	static int number;
	char *code_path = format_text(DIRECTORY "/code%d", number);
	char *lines_path = format_text(DIRECTORY "/lines%d", number), *init_path = "-";
	struct buffer lines, unused, code = assemble("--asm", text, define, &lines);

	number++;
	if (!code.size)
		die(STATUS_OURS, "--asm '%s' is no code: there is nothing to measure", text);
	if (init) {
		init_path = format_text("%s.init", code_path);
		add_file(options, init_path, assemble("--init", init, define, &unused));
	}
	add_line(jobs, label, code_path, init_path, lines_path);
	add_file(options, code_path, code);
	add_file(options, lines_path, lines);
}

/* Returns the label of a row: the code's text, the sweep's value; empty in a table of one row. */
static char *label_of(const struct options *options, const char *text, const char *point)
{
	bool many = options->assembly.nr > 1 || (!*point && options->bench.format != BENCH_TABLE);

	return format_text("%s%s%s", many ? text : "", many && *point ? ", " : "", point);
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* True when `text`, or its file, contains this word or includes other files. */
static bool names(const char *text, const char *word)
{
	struct buffer file = {NULL, 0, 0};
	size_t length = strlen(word);
	bool found;

	if (!text)
		return false;
	if (*text == '@') {
		file = read_file(text + 1);
		buffer_append(&file, "", 1);
		text = (const char *)file.bytes;
	}
	found = strstr(text, "%include") != NULL;
	for (const char *at = text; !found && (at = strstr(at, word)); at++)
		found = (at == text || !is_word(at[-1])) && !is_word(at[length]);
	free(file.bytes);
	return found;
}

/* Adds a job for each point of the sweep. */
static void add_assembly(struct options *options, struct buffer *jobs, const char *text)
{
	const struct bench_options *bench = &options->bench;

	if (*bench->variable && !names(text, bench->variable) &&
	    !names(bench->init, bench->variable))
		die(STATUS_OURS, "--range: neither --asm '%s' nor --init names %s", text,
		    bench->variable);
	for (int i = 0; i < bench_points(bench); i++) {
		char *point = *bench->variable ? format_text("%s=%ld", bench->variable,
							     bench->first + i * bench->step)
					       : format_text("%s", "");

		bench_add_job(options, jobs, label_of(options, text, point), text, bench->init,
			      *point ? format_text("-D%s", point) : "-DBAREPMU");
		free(point);
	}
}

/* Adds an archive: a path, or as to a linker m for libm.a. */
static void bench_add_library(struct options *options, const char *name, int number)
{
	char *host = library_find(name), *path = format_text(DIRECTORY "/library%d.a", number);

	add_file(options, path, read_file(host));
	add_word(&options->pass, format_text("--library=%s", path));
	free(host);
}

static void add_code(struct options *options, struct buffer *jobs)
{
	const struct bench_options *bench = &options->bench;
	const char *slash = strrchr(bench->code, '/'), *name = slash ? slash + 1 : bench->code;
	char *path = format_text(DIRECTORY "/files/%s", name);
	struct buffer lines;
	const char *init = "-";

	if (bench->init) {
		init = DIRECTORY "/init";
		add_file(options, DIRECTORY "/init",
			 assemble("--init", bench->init, "-DBAREPMU", &lines));
	} else if (bench->init_code) {
		init = DIRECTORY "/init";
		add_file(options, DIRECTORY "/init", read_file(bench->init_code));
	}
	add_file(options, path, read_file(bench->code));
	for (int i = 0; i < bench->nr_libraries; i++)
		bench_add_library(options, bench->libraries[i], i);
	add_line(jobs,
		 bench->format == BENCH_TABLE ? ""
		 : bench->function            ? bench->function
					      : name,
		 path, init, "-");
}

/* Memory beyond 2 GiB is above the first four: whole GiB of it are free at start. */
static int needed_mib(const struct bench_options *bench)
{
	int area = (int)(bench->memory >> 20) * 2, giants = (area + 1024) / 1024;

	return bench->huge == 1ul << 30 ? 2048 + AREAS_MIB + 1024 * giants : AREAS_MIB + area;
}

void bench_prepare(struct options *options)
{
	struct bench_options *bench = &options->bench;
	struct buffer jobs = {NULL, 0, 0};
	char error[EVENT_ERROR_SIZE];

	if (bench_check(bench, error))
		die(STATUS_OURS, "%s", error);
	if (options->memory < needed_mib(bench))
		options->memory = needed_mib(bench);
	if (bench->plot)
		add_word(&options->pass, "--plot=/out/plot.txt");
	if (options->verbosity > 0)
		add_word(&options->pass, "-v");
	if (bench->suite)
		add_word(&options->pass, bench->suite);
	if (bench->suite && strcmp(bench->suite, "instructions"))
		return;
	if (bench->suite)
		bench_add_instructions(options, &jobs);
	if (bench->ports)
		add_word(&options->pass, format_text("--ports=%s", ports_events(options->pmu)));
	for (int i = 0; i < options->assembly.nr; i++)
		add_assembly(options, &jobs, options->assembly.word[i]);
	if (bench->code)
		add_code(options, &jobs);
	add_file(options, DIRECTORY "/jobs", jobs);
	add_word(&options->pass, "--jobs=" DIRECTORY "/jobs");
}

/* True for the host's own options: the image only gets their results. */
static bool is_ours(const char *name)
{
	static const char *const ours[] = {"asm",  "init", "code",    "init-code", "plot",
					   "jobs", "list", "library", "ports"};

	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		if (!strcmp(name, ours[i]))
			return true;
	return false;
}

void bench_letter(struct options *options, int letter, const char *argument)
{
	const char *name = letter == 'e' ? "events" : "library";
	const struct option *row = bench_long_options;

	while (strcmp(row->name, name))
		row++;
	bench_option(options, row, argument);
}

void bench_option(struct options *options, const struct option *option, const char *argument)
{
	char error[EVENT_ERROR_SIZE];

	if (!strcmp(option->name, "jobs"))
		die(STATUS_OURS, "--jobs is for the program in the image");
	if (bench_take(&options->bench, option->val, argument, error))
		die(STATUS_OURS, "%s", error);
	if (!strcmp(option->name, "asm"))
		add_word(&options->assembly, argument);
	if (is_ours(option->name))
		return;
	add_word(&options->pass, argument ? format_text("--%s=%s", option->name, argument)
					  : format_text("--%s", option->name));
}
