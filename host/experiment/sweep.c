/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `barepmu sweep --core 'NAME,WORD={A,B}' -- PROGRAM`: runs the program once for each core of the
 * product, on all host processors. A run whose result is there already is not repeated.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "apps/report/hash.h"
#include "host/experiment/compare.h"
#include "host/experiment/statistics.h"
#include "host/lib/report.h"
#include "host/lib/text.h"
#include "host/lib/words.h"
#include "host/machine/link/results.h"
#include "host/plot.h"

enum { RUNS_MAX = 10000, JOBS_MAX = 256 };

struct sweep {
	const char *core, *directory, *csv, *json, *plot;
	unsigned jobs, part,
	    parts;            /* of `parts` parts of the product this is the `part`-th, from 1 on */
	struct words options; /* passed on to `run` */
	char **program;
	char *cores[RUNS_MAX];
	unsigned nr, done, failed;
	struct {
		pid_t pid;
		unsigned run;
	} running[JOBS_MAX];
};

/* ---- the product ---- */

/* Appends each text in which the first {A,B,...} is one of its alternatives, and so on. */
static void expand(struct sweep *s, const char *text)
{
	const char *open = strchr(text, '{'), *close = open ? strchr(open, '}') : NULL;

	if (!open) {
		if (s->nr == RUNS_MAX)
			die(STATUS_OURS, "sweep: more than %d runs", RUNS_MAX);
		s->cores[s->nr++] = format_text("%s", text);
		return;
	}
	if (!close)
		die(STATUS_OURS, "sweep: '{' without '}' in '%s'", text);
	for (const char *at = open + 1;; at++) {
		size_t length = strcspn(at, ",}");
		char *one =
		    format_text("%.*s%.*s%s", (int)(open - text), text, (int)length, at, close + 1);

		expand(s, one);
		free(one);
		at += length;
		if (at == close)
			break;
	}
}

/* ---- results ---- */

/* Returns the name of a run's result: its core and its program, by a hash. */
static char *result_of(const struct sweep *s, unsigned run)
{
	uint64_t hash = HASH_BEGIN;

	for (char **word = s->program; *word; word++)
		hash = hash_text(hash_text(hash, *word), "\n");
	for (int i = 0; i < s->options.nr; i++)
		hash = hash_text(hash, s->options.word[i]);
	hash = hash_text(hash, s->cores[run]);
	return format_text("%s/%016llx.json", s->directory, (unsigned long long)hash);
}

static bool is_done(const struct sweep *s, unsigned run)
{
	char *path = result_of(s, run);
	bool done = !access(path, R_OK);

	free(path);
	return done;
}

/* ---- running ---- */

static const char *own_path(void)
{
	static char path[4096];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);

	return length > 0 ? path : "barepmu";
}

/* In the child: `barepmu run --core CORE --stats FILE OPTIONS -- PROGRAM`. The result takes its
 * name when it is whole. */
static _Noreturn void become_run(const struct sweep *s, unsigned run)
{
	char *result = result_of(s, run), *log = format_text("%s.log", result);
	struct words words = {.nr = 0};
	int fd = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0666);

	add_word(&words, own_path());
	add_word(&words, "run");
	/* Counts depend on its size, which differs between machines. */
	add_word(&words, "--ignore-environment");
	add_word(&words, "--core");
	add_word(&words, s->cores[run]);
	add_word(&words, "--stats");
	add_word(&words, format_text("%s.part.json", result));
	for (int i = 0; i < s->options.nr; i++)
		add_word(&words, s->options.word[i]);
	add_word(&words, "--");
	for (char **word = s->program; *word; word++)
		add_word(&words, *word);
	add_word(&words, NULL);
	dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
	dup2(fd, STDOUT_FILENO);
	dup2(fd, STDERR_FILENO);
	execv(own_path(), (char **)words.word);
	_exit(STATUS_NOT_FOUND);
}

static void show_progress(const struct sweep *s)
{
	fprintf(stderr, "%s%u of %u runs%s", isatty(STDERR_FILENO) ? "\r" : "", s->done, s->nr,
		isatty(STDERR_FILENO) && s->done < s->nr ? "" : "\n");
}

/* Waits for one run, and gives its result the name. */
static void take_one(struct sweep *s)
{
	int status;
	pid_t pid = waitpid(-1, &status, 0);

	for (unsigned i = 0; i < s->jobs; i++) {
		char *result, *part;

		if (s->running[i].pid != pid || pid <= 0)
			continue;
		s->running[i].pid = 0;
		result = result_of(s, s->running[i].run);
		part = format_text("%s.part.json", result);
		if (WIFEXITED(status) && !access(part, R_OK) && !rename(part, result)) {
			unlink(format_text("%s.log", result));
		} else {
			s->failed++;
			fprintf(stderr, "%s: failed; see %s.log\n", s->cores[s->running[i].run],
				result);
		}
		s->done++;
		show_progress(s);
	}
}

static void start_one(struct sweep *s, unsigned run)
{
	for (unsigned i = 0; i < s->jobs; i++) {
		if (s->running[i].pid)
			continue;
		s->running[i].run = run;
		fflush(NULL);
		s->running[i].pid = fork();
		if (!s->running[i].pid)
			become_run(s, run);
		if (s->running[i].pid < 0)
			die(STATUS_OURS, "cannot start a run: %s", strerror(errno));
		return;
	}
}

static void run_all(struct sweep *s)
{
	unsigned active = 0;
	bool started = false; /* otherwise nothing else shows that all are done */

	for (unsigned run = 0; run < s->nr; run++) {
		if (is_done(s, run) || run % s->parts != s->part - 1) {
			s->done++;
			continue;
		}
		if (active == s->jobs) {
			take_one(s);
			active--;
		}
		start_one(s, run);
		started = true;
		active++;
	}
	for (; active; active--)
		take_one(s);
	if (!started)
		show_progress(s);
}

/* ---- the table ---- */

/* Columns of the CSV: ratios of every run. */
static const char *const columns[] = {"ipc",          "branch-mpki",    "l1i-mpki", "l1d-load-mpki",
				      "l2-load-mpki", "last-load-mpki", "dtlb-mpki"};

enum { COLUMNS = sizeof(columns) / sizeof(columns[0]) };

static void write_table(const struct sweep *s)
{
	FILE *file = s->csv ? results_open(s->csv) : stdout;

	if (!file)
		die(STATUS_OURS, "cannot write '%s': %s", s->csv, strerror(errno));
	fputs("core", file);
	for (unsigned i = 0; i < COLUMNS; i++)
		fprintf(file, ",%s", columns[i]);
	fputc('\n', file);
	for (unsigned run = 0; run < s->nr; run++) {
		json_t *statistics;

		if (!is_done(s, run))
			continue;
		statistics = statistics_read(result_of(s, run));
		fprintf(file, "\"%s\"", s->cores[run]);
		for (unsigned i = 0; i < COLUMNS; i++)
			fprintf(file, ",%.6f", statistics_ratio(statistics, columns[i]));
		fputc('\n', file);
		json_decref(statistics);
	}
	if (s->csv && !results_close(file))
		die(STATUS_OURS, "cannot write '%s': %s", s->csv, strerror(errno));
}

/* All results in one array, a run each, with its core. */
static void write_json(const struct sweep *s)
{
	FILE *file = results_open(s->json);
	json_t *all = json_array();

	for (unsigned run = 0; run < s->nr; run++)
		if (is_done(s, run)) {
			json_t *statistics = statistics_read(result_of(s, run));

			json_object_set_new(statistics, "asked", json_string(s->cores[run]));
			json_array_append_new(all, statistics);
		}
	if (!file || json_dumpf(all, file, JSON_INDENT(1)) || !results_close(file))
		die(STATUS_OURS, "cannot write '%s': %s", s->json, strerror(errno));
	json_decref(all);
}

static void write_plot(const struct sweep *s)
{
	char *text = NULL;
	size_t bytes;
	FILE *sheet = open_memstream(&text, &bytes);

	if (!sheet)
		die(STATUS_OURS, "out of memory");
	fprintf(sheet, "%s\t\tIPC\t1\t0\t0\t\nIPC\n", s->program[0]);
	for (unsigned run = 0; run < s->nr; run++)
		if (is_done(s, run))
			fprintf(sheet, "%s\t%u\t%.6f\n", s->cores[run], run,
				statistics_ratio(statistics_read(result_of(s, run)), "ipc"));
	fclose(sheet);
	plot_text(text, s->plot);
	free(text);
}

/* ---- arguments ---- */

/* Takes one of the sweep's own options with its value; false: `run` has it. */
static bool own_option(struct sweep *s, const char *name, const char *value)
{
	const struct {
		const char *name, **to;
	} own[] = {{"--core", &s->core},
		   {"--dir", &s->directory},
		   {"--csv", &s->csv},
		   {"--json", &s->json},
		   {"--plot", &s->plot}};

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (!strcmp(name, own[i].name)) {
			*own[i].to = value;
			return true;
		}
	if (!strcmp(name, "--part")) {
		if (sscanf(value, "%u/%u", &s->part, &s->parts) != 2 || !s->part ||
		    s->part > s->parts)
			die(STATUS_OURS, "sweep --part takes I/N, as 1/8, not '%s'", value);
		return true;
	}
	if (strcmp(name, "-j"))
		return false;
	s->jobs = (unsigned)strtoul(value, NULL, 10);
	if (!s->jobs || s->jobs > JOBS_MAX)
		die(STATUS_OURS, "sweep -j takes a number from 1 to %d, not '%s'", JOBS_MAX, value);
	return true;
}

static void parse(struct sweep *s, char **arguments)
{
	s->directory = "sweep";
	s->part = s->parts = 1;
	s->jobs = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	for (; *arguments && strcmp(*arguments, "--"); arguments++) {
		if (arguments[1] && own_option(s, *arguments, arguments[1]))
			arguments++;
		else
			add_word(&s->options, *arguments);
	}
	s->program = *arguments ? arguments + 1 : arguments;
	if (!s->core || !*s->program)
		die(STATUS_OURS, "sweep wants --core and a PROGRAM: barepmu sweep --core "
				 "'skylake,l2={256K/4,1M/16}' -- PROGRAM");
	if (s->jobs > JOBS_MAX)
		s->jobs = JOBS_MAX;
}

int sweep_runs(char **arguments)
{
	static struct sweep s;

	parse(&s, arguments);
	expand(&s, s.core);
	if (mkdir(s.directory, 0777) && errno != EEXIST)
		die(STATUS_OURS, "cannot make '%s': %s", s.directory, strerror(errno));
	run_all(&s);
	write_table(&s);
	if (s.json)
		write_json(&s);
	if (s.plot)
		write_plot(&s);
	return s.failed ? STATUS_OURS : 0;
}
