/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws the timeline of a boot: its phases, and below them when the dearest images ran. */
#include "host/profile/html.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/lib/xml.h"
#include "host/lib/text.h"
#include "host/machine/link/results.h"
#include "host/profile/summary.h"

#define ROWS       14
#define COLUMNS    400
#define COLUMN     2 /* pixels */
#define LEFT       180
#define BAR        26
#define ROW        16
#define TOP        52
#define AXIS       24 /* below the rows */
#define TICKS      4
#define LABEL_MIN  40 /* pixels of a phase with a name in it */
#define TABLE_ROWS 40
#define FAINT      0.02 /* share of a column that is not drawn */

static const char *const colours[] = {"#4e79a7", "#f28e2b", "#59a14f", "#b07aa1",
				      "#e15759", "#76b7b2", "#9c755f", "#edc948"};

#define NR_COLOURS (sizeof(colours) / sizeof(colours[0]))

struct timeline {
	const struct profile *profile;
	struct summary units;
	uint64_t whole;              /* the axis: cycles or instructions */
	double share[ROWS][COLUMNS]; /* of a row's unit in a column */
};

static uint64_t position(const struct timeline *line, const struct profile_when *when)
{
	return line->units.timed ? when->cycles : when->instructions;
}

static size_t column_of(const struct timeline *line, uint64_t position)
{
	double at = line->whole ? (double)position / (double)line->whole * COLUMNS : 0;

	return at < 0 ? 0 : at >= COLUMNS ? COLUMNS - 1 : (size_t)at;
}

/* Returns the row of a unit, ROWS: none. */
static size_t row_of(const struct timeline *line, const struct unit *unit)
{
	for (size_t i = 0; unit && i < ROWS && i < line->units.nr; i++)
		if (!strcmp(line->units.rows[i].name, unit->name))
			return i;
	return ROWS;
}

/* Spreads a block's amount in a slice over the slice's columns. */
static void add_row(struct timeline *line, const struct slice *slice, const struct profile_row *row)
{
	const struct block *block = &line->profile->blocks[row->block];
	size_t to = row_of(line, block->unit),
	       first = column_of(line, position(line, &slice->start)),
	       last = column_of(line, position(line, &slice->record->when));
	double amount = 0, column = (double)line->whole / COLUMNS;

	for (unsigned w = 0; w < 2; w++)
		amount += line->units.timed ? (double)row->cycles[w]
					    : (double)(row->runs[w] * block_length(block));
	for (size_t i = first; to < ROWS && column > 0 && i <= last; i++)
		line->share[to][i] += amount / (double)(last - first + 1) / column;
}

static void collect(struct timeline *line)
{
	for (size_t i = 0; i < line->profile->nr_slices; i++) {
		const struct slice *slice = &line->profile->slices[i];

		for (uint32_t r = 0; r < slice->record->nr; r++)
			if (slice->rows[r].block < line->profile->nr_blocks)
				add_row(line, slice, &slice->rows[r]);
	}
}

static void draw_phase(FILE *out, const struct timeline *line, size_t n)
{
	const struct phase *phase = &line->profile->phases[n];
	double scale = line->whole ? (double)COLUMNS * COLUMN / (double)line->whole : 0,
	       left = LEFT + scale * (double)position(line, &phase->start),
	       width =
		   scale * (double)(position(line, &phase->end) - position(line, &phase->start));

	fprintf(out, "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"><title>",
		left, TOP, width, BAR, colours[n % NR_COLOURS]);
	xml_text(out, phase->name);
	fprintf(out, "</title></rect>\n");
	if (width < LABEL_MIN)
		return;
	fprintf(out, "<text x=\"%.1f\" y=\"%d\" fill=\"white\">", left + 4, TOP + BAR - 8);
	xml_text(out, phase->name);
	fprintf(out, "</text>\n");
}

static void draw_row(FILE *out, const struct timeline *line, size_t n)
{
	int top = TOP + BAR + 8 + (int)n * ROW;

	fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">", LEFT - 6, top + ROW - 4);
	xml_text(out, line->units.rows[n].name);
	fprintf(out, "</text>\n");
	for (size_t i = 0; i < COLUMNS; i++) {
		double share = line->share[n][i] > 1 ? 1 : line->share[n][i];

		if (share > FAINT)
			fprintf(out,
				"<rect x=\"%zu\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#333\" "
				"fill-opacity=\"%.2f\"/>\n",
				LEFT + i * COLUMN, top, COLUMN, ROW - 3, share);
	}
}

/* Writes how far the boot is, in millions, below the rows. */
static void draw_axis(FILE *out, const struct timeline *line, size_t rows)
{
	size_t y = TOP + BAR + 8 + rows * ROW + AXIS / 2;

	for (int i = 0; i <= TICKS; i++)
		fprintf(out, "<text x=\"%d\" y=\"%zu\" text-anchor=\"%s\">%.4g%s</text>\n",
			LEFT + i * COLUMNS * COLUMN / TICKS, y, i < TICKS ? "middle" : "end",
			(double)line->whole / 1e6 * i / TICKS, i < TICKS ? "" : " million");
}

static void draw(FILE *out, struct timeline *line)
{
	size_t rows = line->units.nr < ROWS ? line->units.nr : ROWS;

	fprintf(
	    out,
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%zu\" "
	    "font-family=\"sans-serif\" font-size=\"11\">\n"
	    "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
	    "<text x=\"%d\" y=\"22\" font-size=\"16\" font-weight=\"bold\">Boot by phase</text>\n"
	    "<text x=\"%d\" y=\"40\" font-size=\"12\" fill=\"#666\">%.1f million %s from the reset "
	    "on; below, images: the darker, the larger their share</text>\n",
	    LEFT + COLUMNS * COLUMN + 10, TOP + BAR + 8 + rows * ROW + AXIS, LEFT, LEFT,
	    (double)line->whole / 1e6, line->units.timed ? "cycles" : "instructions");
	draw_axis(out, line, rows);
	for (size_t i = 0; i < line->profile->nr_phases; i++)
		if (phase_ran(&line->profile->phases[i]))
			draw_phase(out, line, i);
	for (size_t i = 0; i < rows; i++)
		draw_row(out, line, i);
	fprintf(out, "</svg>\n");
}

/* ---- tables ---- */

static void put_row(FILE *out, const struct summary *summary, const struct summary_row *row,
		    uint64_t whole)
{
	uint64_t value = summary_value(summary, &row->amount);

	fputs("<tr><td>", out);
	xml_text(out, row->function ? row->function : row->name);
	fprintf(out, "</td><td class=\"n\">%llu</td><td class=\"n\">%.2f%%</td><td>",
		(unsigned long long)value, whole ? 100.0 * (double)value / (double)whole : 0);
	xml_text(out, row->function ? row->name : "");
	fputs("</td></tr>\n", out);
}

static void put_table(FILE *out, const struct profile *profile, enum summary_kind kind,
		      const char *title, bool waits)
{
	struct summary summary;

	summary_make(&summary, profile, kind, waits);
	fprintf(out, "<h2>%s</h2>\n<table>\n", title);
	for (size_t i = 0; i < summary.nr && i < TABLE_ROWS; i++)
		put_row(out, &summary, &summary.rows[i], summary_value(&summary, &profile->total));
	fputs("</table>\n", out);
	free(summary.rows);
}

static void put_page(FILE *out, struct timeline *line, bool waits)
{
	fputs("<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>A boot</title>\n"
	      "<style>body{font-family:sans-serif} td{padding:0 12px 0 0} .n{text-align:right}"
	      "</style></head><body>\n<h1>A boot</h1>\n",
	      out);
	draw(out, line);
	put_table(out, line->profile, SUMMARY_UNITS, "Images", waits);
	put_table(out, line->profile, SUMMARY_FUNCTIONS, "Functions", waits);
	fputs("</body></html>\n", out);
}

bool html_write(const struct profile *profile, const char *path, bool waits)
{
	struct timeline *line = allocate(sizeof(*line));
	size_t length = strlen(path);
	FILE *out = results_open(path);

	if (!out)
		return false;
	line->profile = profile;
	summary_make(&line->units, profile, SUMMARY_UNITS, true);
	line->whole = summary_value(&line->units, &profile->total);
	collect(line);
	if (length > 4 && !strcmp(path + length - 4, ".svg"))
		draw(out, line);
	else
		put_page(out, line, waits);
	free(line->units.rows);
	free(line);
	return results_close(out);
}
