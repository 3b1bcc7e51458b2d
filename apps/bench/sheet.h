/* SPDX-License-Identifier: BSD-2-Clause */
/* What a suite or a sweep found: rows of an x and some values, printed as a table, CSV or JSON, and
 * handed to the host command for a plot. */
#ifndef APPS_BENCH_SHEET_H
#define APPS_BENCH_SHEET_H

#include <stdio.h>

#include "apps/lib/bench_options.h"
#include "apps/lib/verdict.h"

#define SHEET_COLUMNS 16

enum sheet_kind { SHEET_LINES, SHEET_BARS, SHEET_HEAT };

struct sheet_row {
	char label[64]; /* also in place of x */
	double x;
	double values[SHEET_COLUMNS];
};

struct sheet {
	const char *title, *x, *y; /* y: what the values are */
	enum sheet_kind kind;
	bool log_x, log_y;
	const char *columns[SHEET_COLUMNS];
	int nr_columns;
	struct sheet_row *rows;
	int nr_rows;
	struct verdict verdict; /* of all */
	int equal, runs;        /* of each measurement's runs at least so many were; 0: no runs */
};

/* A new row, its values 0. */
struct sheet_row *sheet_add(struct sheet *sheet, double x, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void sheet_print(FILE *out, const struct bench_options *options, const struct sheet *sheet);
/* For the host command: docs/bench.md, "Plots". */
void sheet_plot(const struct bench_options *options, const struct sheet *sheet);
/* Takes over what a measurement's verdict says. */
void sheet_judge(struct sheet *sheet, const struct verdict *verdict);
/* Records that `equal` of a measurement's runs were equal. */
void sheet_equal(struct sheet *sheet, int equal, int runs);
/* Says what holds for all measurements, which counted these events. */
void sheet_conclude(struct sheet *sheet, const struct event_list *events);

#endif
