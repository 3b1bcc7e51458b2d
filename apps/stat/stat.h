/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of `stat` share: the counts of the runs and how they are to be printed. */
#ifndef APPS_STAT_STAT_H
#define APPS_STAT_STAT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "apps/lib/event/event.h"
#include "apps/lib/verdict.h"

enum stat_format { STAT_TABLE, STAT_CSV, STAT_JSON };

struct options {
	struct event_list events;
	int runs;
	enum stat_format format;
	const char *separator; /* CSV */
	const char *output;    /* file, or NULL: stderr */
	char **program;
};

/* Mean and spread of one figure over the runs (Welford's method). */
struct series {
	int n;
	double mean, m2;
};

/* One event's figures over all runs. */
struct counts {
	bool supported; /* it opened */
	bool counted;   /* it ran at least once */
	struct series value;
	double enabled, running; /* ns, sums */
};

struct result {
	struct moment before, after; /* all runs */
	struct counts counts[EVENT_MAX];
	struct series elapsed; /* seconds */
	double user, system;   /* seconds, of the last run */
	int runs;              /* finished */
};

void series_add(struct series *series, double value);
/* Standard deviation of the mean. */
double series_spread(const struct series *series);
/* The same in percent of the mean; 0 when the mean is 0. */
double series_spread_percent(const struct series *series);

/*
 * Runs the program once under the events and adds to `result`. Returns the program's status as a
 * shell has it; on failure to run it at all says so and returns 125, 126 or 127 with *failed set.
 */
int stat_run(const struct options *options, struct result *result, bool *failed);

/* What is shown beside a count: "1.25 insn per cycle". */
struct metric {
	double value;
	const char *format; /* of the value in a table; NULL: there is no metric */
	const char *unit;
};
struct metric stat_metric(const struct event_list *events, const struct result *result, int index);

/* Prints everything in the format that was asked for. */
void stat_print(FILE *out, const struct options *options, const struct result *result);

/* Nanosecond clocks (task-clock, cpu-clock) are shown in milliseconds. */
bool stat_is_clock(const struct event *event);

#endif
