/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared interface of the files of `stat`: targets, counts, and printing. */
#ifndef APPS_STAT_STAT_H
#define APPS_STAT_STAT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "apps/lib/event/event.h"
#include "apps/lib/verdict.h"

enum stat_format { STAT_TABLE, STAT_CSV, STAT_JSON };

/* The subject of a line: everything, a core, a processor. */
enum stat_lines { LINES_ALL, LINES_CORE, LINES_CPU };

#define MAX_PLACES 64 /* processors or threads that events are opened on */
#define MAX_RUNS   1000

struct metric_row;

struct options {
	struct event_list events;
	int runs;
	enum stat_format format;
	const char *separator; /* CSV */
	const char *output;    /* file, or NULL: stderr */
	int detail;            /* number of -d options */
	unsigned warm_up;      /* uncounted runs, before the others */
	unsigned interval;     /* ms between lines; 0: once, at the end */
	const char *plot_path; /* for a plot of the intervals, or NULL */
	FILE *plot;            /* the open file of plot_path */
	bool everywhere;       /* -a: all processors, whoever runs there */
	const char *cpus;      /* -C: of these ("0,2-3"), or NULL: all */
	const char *pids;      /* -p: these processes; NULL: the program */
	enum stat_lines lines;
	bool plain_numbers;                   /* without commas */
	bool metric_only;                     /* no counts, only ratios */
	bool table;                           /* of each run's time */
	const struct metric_row *metrics[16]; /* -M */
	int nr_metrics;
	char **program; /* *program NULL: none */
};

/* Where events are opened: a thread, or a processor (then pid is -1). */
struct place {
	pid_t pid;
	int cpu;
	int line; /* which of `lines` it belongs to */
};

/* A line of the output. */
struct line {
	char name[24]; /* "S0-D0-C1", "CPU3"; empty for everything */
	int places;
};

struct targets {
	struct place places[MAX_PLACES];
	int nr_places;
	struct line lines[MAX_PLACES];
	int nr_lines;
};

/* Finds the targets of the options; `pid` is the held program. Returns 0, or -1 after a message. */
int targets_find(struct targets *targets, const struct options *options, pid_t pid);

/* Mean and spread of one figure over the runs (Welford's method). */
struct series {
	int n;
	double mean, m2;
};

/* One event's figures over all runs. */
struct counts {
	bool supported; /* it opened */
	bool counted;   /* it ran at least once, and something models it */
	struct series value;
	double enabled, running; /* ns, sums */
};

struct result {
	struct moment before, after; /* all runs */
	struct targets targets;
	struct counts counts[MAX_PLACES][EVENT_MAX]; /* by line */
	struct series elapsed;                       /* seconds */
	double times[MAX_RUNS];                      /* of the first runs, seconds */
	double user, system;                         /* seconds, of the last run */
	int runs;                                    /* finished */
};

void series_add(struct series *series, double value);
/* Returns the standard deviation of the mean. */
double series_spread(const struct series *series);
/* As series_spread(), in percent of the mean; 0 if the mean is 0. */
double series_spread_percent(const struct series *series);

/*
 * Runs the program once under the events and adds to `result`; prints on `out` at each interval.
 * Returns the program's status in the shell's form. If it cannot run, prints the reason and returns
 * 125, 126 or 127 with *failed set.
 */
int stat_run(const struct options *options, struct result *result, FILE *out, bool *failed);

/* The metric beside a count: "1.25 insn per cycle". */
struct metric {
	double value;
	const char *format; /* of the value in a table; NULL: there is no metric */
	const char *unit;
};
/* Returns the metric of event `index` for one line's counts, over `elapsed` seconds. */
struct metric stat_metric(const struct event_list *events, const struct counts *counts,
			  double elapsed, int index);

/* Adds the metric or group of this name, and its events (metrics.c: -M). Returns 0, or -1 with a
 * line in `error`. */
int metrics_add(struct options *options, const char *name, char error[EVENT_ERROR_SIZE]);
/* Lists the metrics that this PMU has events for. */
void metrics_show(FILE *out);
/* Computes metric `index` of -M; no format: not counted. */
struct metric metrics_value(const struct options *options, const struct counts *counts, int index);

/* One reading of the counts. */
struct look {
	const struct counts (*counts)[EVENT_MAX]; /* by line */
	double elapsed;                           /* seconds that they took */
	double at; /* seconds since the start, of an interval; negative: the end */
};

/* Prints the lines of one reading. */
void stat_lines(FILE *out, const struct options *options, const struct targets *targets,
		const struct look *look);
/* Prints the final table. */
void stat_print(FILE *out, const struct options *options, const struct result *result);
/* Prints the head of interval lines. */
void stat_interval_head(FILE *out, const struct options *options);

/* plot.c: writes the head of the plot's data, and one interval. */
void stat_plot_head(FILE *out, const struct options *options);
void stat_plot_row(FILE *out, const struct options *options, const struct targets *targets,
		   const struct look *look);

/* True for clocks in ns (task-clock, cpu-clock), which are shown in milliseconds. */
bool stat_is_clock(const struct event *event);

#endif
