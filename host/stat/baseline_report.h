/* SPDX-License-Identifier: BSD-2-Clause */
/* The result of stat --baseline as a table, as JUnit's XML and as JSON. */
#ifndef HOST_STAT_BASELINE_REPORT_H
#define HOST_STAT_BASELINE_REPORT_H

#include <stdbool.h>
#include <stdio.h>

/* A line of `stat -j`. */
struct baseline_count {
	const char *event, *count;
};

struct baseline_counts {
	const char *pmu;
	struct baseline_count *list;
	int nr;
};

struct baseline_row {
	const char *event, *was, *now; /* now NULL: it was not counted this time */
	double change;                 /* percent; NAN: it cannot be said */
	bool failed;
};

struct baseline_report {
	const char *baseline, *program;
	double tolerance; /* percent */
	const struct baseline_counts *old, *now;
	struct baseline_row *rows; /* one for each of `old` */
	int failed;
	bool other_pmu;
};

/* Prints the rows as a table. */
void baseline_report_print(const struct baseline_report *report, FILE *out);
/* Writes the rows as JUnit's XML if the file's name ends in .xml, else as JSON; ends the command if
 * it cannot be written. */
void baseline_report_write(const struct baseline_report *report, const char *path);

#endif
