/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the rows of a sheet. */
#include "apps/bench/sheet.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "apps/bench/bench.h"
#include "apps/lib/event/pmu_id.h"

struct sheet_row *sheet_add(struct sheet *sheet, double x, const char *format, ...)
{
	struct sheet_row *row;
	va_list arguments;

	sheet->rows = realloc(sheet->rows, (size_t)(sheet->nr_rows + 1) * sizeof(*sheet->rows));
	if (!sheet->rows)
		fail("no memory for the rows of %s", sheet->title);
	row = &sheet->rows[sheet->nr_rows++];
	memset(row, 0, sizeof(*row));
	row->x = x;
	va_start(arguments, format);
	vsnprintf(row->label, sizeof(row->label), format, arguments);
	va_end(arguments);
	return row;
}

void sheet_judge(struct sheet *sheet, const struct verdict *verdict)
{
	if (*verdict->reasons)
		verdict_reason(&sheet->verdict, "%s: %s", sheet->rows[sheet->nr_rows - 1].label,
			       verdict->reasons);
	if (*verdict->notes)
		verdict_note(&sheet->verdict, "%s", verdict->notes);
}

void sheet_equal(struct sheet *sheet, int equal, int runs)
{
	if (!sheet->runs || equal < sheet->equal)
		sheet->equal = equal;
	sheet->runs = runs;
}

void sheet_conclude(struct sheet *sheet, const struct event_list *events)
{
	struct pmu_id pmu;

	verdict_note(&sheet->verdict, "%d of %d runs equal", sheet->equal, sheet->runs);
	pmu_identify(&pmu);
	verdict_emulated(&sheet->verdict, &pmu, events);
}

static void print_head(FILE *out, const struct bench_options *options, const struct sheet *s)
{
	const char *between = options->format == BENCH_CSV ? "," : " ";

	if (options->format == BENCH_JSON)
		return;
	fprintf(out, "# PMU: %s\n", pmu_line());
	if (options->format == BENCH_TABLE)
		fprintf(out, "# %s: %s\n%-28s", s->title, s->y, s->x);
	else
		fputs(s->x, out);
	for (int i = 0; i < s->nr_columns; i++)
		fprintf(out, options->format == BENCH_TABLE ? "%s%14s" : "%s%s", between,
			s->columns[i]);
	fputc('\n', out);
}

static void print_row(FILE *out, const struct bench_options *options, const struct sheet *s,
		      const struct sheet_row *row)
{
	static const char *const labels[] = {
	    [BENCH_TABLE] = "%-28s", [BENCH_CSV] = "\"%s\"", [BENCH_JSON] = "\"%s\""};
	static const char *const values[] = {
	    [BENCH_TABLE] = " %14.2f", [BENCH_CSV] = ",%.4f", [BENCH_JSON] = "%.4f"};

	static const char *const faults[] = {/* not a number: the code ended by a fault */
					     [BENCH_TABLE] = "          fault",
					     [BENCH_CSV] = ",",
					     [BENCH_JSON] = "null"};

	if (options->format == BENCH_JSON)
		fprintf(out, "{\"%s\": ", s->x);
	fprintf(out, labels[options->format], row->label);
	for (int i = 0; i < s->nr_columns; i++) {
		if (options->format == BENCH_JSON)
			fprintf(out, ", \"%s\": ", s->columns[i]);
		if (row->values[i] == row->values[i])
			fprintf(out, values[options->format], row->values[i]);
		else
			fputs(faults[options->format], out);
	}
	fprintf(out, options->format == BENCH_JSON ? "}\n" : "\n");
}

void sheet_rows(FILE *out, const struct bench_options *options, struct sheet *sheet)
{
	if (!sheet->printed)
		print_head(out, options, sheet);
	for (; sheet->printed < sheet->nr_rows; sheet->printed++)
		print_row(out, options, sheet, &sheet->rows[sheet->printed]);
	fflush(out);
}

void sheet_print(FILE *out, const struct bench_options *options, struct sheet *sheet)
{
	char line[VERDICT_LINE];

	sheet_rows(out, options, sheet);
	verdict_line(&sheet->verdict, line);
	if (options->format == BENCH_JSON)
		fprintf(out, "{\"valid\": %s, \"verdict\": \"%s\"}\n",
			*sheet->verdict.reasons ? "false" : "true", line);
	else
		fprintf(out, "%sverdict: %s\n", options->format == BENCH_CSV ? "# " : "", line);
}

static FILE *create(const char *path)
{
	FILE *file = fopen(path, "we");

	if (!file)
		fail("cannot write '%s'", path);
	return file;
}

/* Writes a plot, divided by tabs: first a line of title, x, y, kind, whether x and y are
 * logarithmic, the PMU, and the rows' name; then the columns; then the rows. */
void sheet_plot(const struct bench_options *options, const struct sheet *s)
{
	FILE *out;

	if (!options->plot)
		return;
	out = create(options->plot);
	fprintf(out, "%s\t%s\t%s\t%d\t%d\t%d\t%s\t%s\n", s->heading ? s->heading : s->title,
		s->columns_name ? s->columns_name : s->x, s->y, s->kind, s->log_x, s->log_y,
		pmu_line(), s->x);
	for (int i = 0; i < s->nr_columns; i++)
		fprintf(out, "%s%s", i ? "\t" : "", s->columns[i]);
	fputc('\n', out);
	for (int r = 0; r < s->nr_rows; r++) {
		fprintf(out, "%s\t%g", s->rows[r].label, s->rows[r].x);
		for (int i = 0; i < s->nr_columns; i++)
			fprintf(out, "\t%g", s->rows[r].values[i]);
		fputc('\n', out);
	}
	if (fclose(out))
		fail("cannot write '%s'", options->plot);
}
