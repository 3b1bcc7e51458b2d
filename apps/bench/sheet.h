/* SPDX-License-Identifier: BSD-2-Clause */
/* The results of a suite or a sweep: rows of an x and some values. They are printed as a table, CSV
 * or JSON, and plotted by the host command. */
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
	const char *heading;       /* of the picture; NULL: the title */
	const char *columns_name;  /* of a heat map: its columns; `x` are the rows */
	enum sheet_kind kind;
	bool log_x, log_y;
	const char *columns[SHEET_COLUMNS];
	int nr_columns;
	struct sheet_row *rows;
	int nr_rows, printed;
	struct verdict verdict; /* of all */
	int equal, runs;        /* of each measurement's runs at least so many were; 0: no runs */
};

/* Adds a row with all values 0. */
struct sheet_row *sheet_add(struct sheet *sheet, double x, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Prints the rows that are complete and were not printed yet, the first time after a head. */
void sheet_rows(FILE *out, const struct bench_options *options, struct sheet *sheet);
/* Prints the remaining rows, and the verdict. */
void sheet_print(FILE *out, const struct bench_options *options, struct sheet *sheet);
/* Writes the sheet for the host command (--plot). */
void sheet_plot(const struct bench_options *options, const struct sheet *sheet);
/* Adds the reasons and notes of a measurement's verdict. */
void sheet_judge(struct sheet *sheet, const struct verdict *verdict);
/* Records that `equal` of a measurement's runs were equal. */
void sheet_equal(struct sheet *sheet, int equal, int runs);
/* Adds notes that hold for all measurements with these events. */
void sheet_conclude(struct sheet *sheet, const struct event_list *events);

#endif
