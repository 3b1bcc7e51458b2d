/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws what bench and stat measured as an SVG file: lines, bars, a heat map, panels over time. The
 * data come as lines of tabs (apps/bench/sheet.h); values that are no numbers were not measured. */
#include "host/plot.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/lib/xml.h"
#include "host/lib/array.h"
#include "host/lib/buffer.h"
#include "host/lib/report.h"
#include "host/machine/link/results.h"

#define WIDTH       900
#define HEIGHT      560
#define LEFT        70
#define RIGHT       30
#define TOP         70
#define BOTTOM      130
#define ACROSS      (WIDTH - LEFT - RIGHT)
#define DOWN        (HEIGHT - TOP - BOTTOM)
#define COLUMNS     16
#define TICKS       6
#define MAX_VALUES  64  /* more bars have no room for their values */
#define BAR_ROOM    1.1 /* the axis' end by the highest bar, above which its value is */
#define PANEL       70  /* the height of one */
#define APART       34  /* and the gap between two */
#define MIN_CELL    18  /* height of a row of a heat map, and the width of its columns */
#define MIN_WIDTH   56
#define LETTER      7.0 /* pixels of a letter */
#define NOTE_LETTER 6.2 /* and of the longest text, on average */
#define FAR_APART   50  /* a highest value above this is coloured by logarithms */

enum kind { LINES, BARS, HEAT, PANELS };

struct row {
	const char *label;
	double x, values[COLUMNS];
};

struct sheet {
	const char *title, *x, *y, *pmu;
	const char *rows_name; /* of a heat map: what the rows are; `x` are the columns */
	enum kind kind;
	bool log_x, log_y;
	const char *columns[COLUMNS];
	int nr_columns;
	struct row *rows;
	int nr_rows;
	double most; /* of all values */
};

static const char *const colours[] = {"#1f77b4", "#d62728", "#2ca02c", "#9467bd",
				      "#ff7f0e", "#8c564b", "#17becf", "#7f7f7f"};

/* ---- reading ---- */

static char *field(char **rest)
{
	char *text = *rest ? strsep(rest, "\t") : NULL;

	return text ? text : "";
}

static void read_row(struct sheet *s, char *line)
{
	struct row *row;

	s->rows = array_grow(s->rows, s->nr_rows, sizeof(*s->rows));
	row = &s->rows[s->nr_rows++];
	row->label = field(&line);
	row->x = atof(field(&line));
	for (int i = 0; i < s->nr_columns; i++) {
		row->values[i] = atof(field(&line));
		if (row->values[i] > s->most)
			s->most = row->values[i];
	}
}

static void read_sheet(struct sheet *s, char *text)
{
	char *line = strsep(&text, "\n"), *columns = strsep(&text, "\n");

	*s = (struct sheet){.title = field(&line)};
	s->x = field(&line);
	s->y = field(&line);
	s->kind = (enum kind)atoi(field(&line));
	s->log_x = atoi(field(&line));
	s->log_y = atoi(field(&line));
	s->pmu = field(&line);
	s->rows_name = field(&line);
	while (columns && s->nr_columns < COLUMNS)
		s->columns[s->nr_columns++] = field(&columns);
	while ((line = strsep(&text, "\n")))
		if (*line)
			read_row(s, line);
	if (!s->nr_rows || (s->kind == PANELS && s->rows[s->nr_rows - 1].x <= 0))
		die(STATUS_OURS, "nothing was measured that could be plotted");
}

/* ---- drawing ---- */

static void text_at(FILE *out, double x, double y, const char *how, const char *text)
{
	fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, how);
	xml_text(out, text);
	fprintf(out, "</text>\n");
}

/* Returns a round number at or above a sixth of the highest value. */
static double step_of(double most)
{
	double step = pow(10, floor(log10(most / TICKS)));

	if (most / step > 5 * TICKS)
		return 10 * step;
	return most / step > 2 * TICKS ? 5 * step : most / step > TICKS ? 2 * step : step;
}

static double y_of(const struct sheet *s, double value)
{
	if (s->log_y)
		return TOP + DOWN - DOWN * log2(1 + value) / log2(1 + s->most);
	return TOP + DOWN - DOWN * value / (s->kind == BARS ? BAR_ROOM * s->most : s->most);
}

static double scaled(const struct sheet *s, double x)
{
	return s->log_x && x > 0 ? log2(x) : x;
}

static double x_of(const struct sheet *s, int row)
{
	double first = scaled(s, s->rows[0].x), last = scaled(s, s->rows[s->nr_rows - 1].x);

	if (s->kind == BARS || last <= first)
		return LEFT + ACROSS * (row + 0.5) / s->nr_rows;
	return LEFT + ACROSS * (scaled(s, s->rows[row].x) - first) / (last - first);
}

static void draw_frame(FILE *out, const struct sheet *s)
{
	double step = step_of(s->most);
	char number[32];

	for (double value = 0; value <= s->most * 1.0001; value = !s->log_y ? value + step
								  : value   ? 4 * value
									    : 1) {
		fprintf(out,
			"<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>\n",
			LEFT, LEFT + ACROSS, y_of(s, value), y_of(s, value));
		snprintf(number, sizeof(number), "%g", value);
		text_at(out, LEFT - 8, y_of(s, value) + 4, "text-anchor=\"end\"", number);
	}
	fprintf(out,
		"<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" "
		"stroke=\"#333\"/>\n",
		LEFT, TOP, ACROSS, DOWN);
	text_at(out, LEFT + ACROSS, HEIGHT - 8, "text-anchor=\"end\"",
		s->x); /* beside slanted labels */
}

/* Draws as many labels as fit. */
static void draw_labels(FILE *out, const struct sheet *s)
{
	int every = s->kind == BARS ? 1 : (s->nr_rows + 19) / 20;

	for (int i = 0; i < s->nr_rows; i += every) {
		char how[96];
		double x = x_of(s, i);

		snprintf(how, sizeof(how), "text-anchor=\"end\" transform=\"rotate(-60 %.1f %d)\"",
			 x, TOP + DOWN + 16);
		text_at(out, x, TOP + DOWN + 16, how, s->rows[i].label);
	}
}

static void draw_key(FILE *out, const struct sheet *s)
{
	for (int i = 0; i < s->nr_columns; i++) {
		double x = LEFT + 140.0 * i;

		fprintf(out, "<rect x=\"%.1f\" y=\"52\" width=\"12\" height=\"12\" fill=\"%s\"/>\n",
			x, colours[i % 8]);
		text_at(out, x + 16, 62, "", s->columns[i]);
	}
}

/* The text that is shown at the pointer. */
static void title_of(FILE *out, const char *label, double value)
{
	fprintf(out, "<title>");
	xml_text(out, label);
	fprintf(out, ": %.4g</title>", value);
}

static void draw_lines(FILE *out, const struct sheet *s)
{
	for (int i = 0; i < s->nr_columns; i++) {
		fprintf(out, "<polyline fill=\"none\" stroke-width=\"2\" stroke=\"%s\" points=\"",
			colours[i % 8]);
		for (int r = 0; r < s->nr_rows; r++)
			if (isfinite(s->rows[r].values[i]))
				fprintf(out, "%.1f,%.1f ", x_of(s, r),
					y_of(s, s->rows[r].values[i]));
		fprintf(out, "\"/>\n");
		for (int r = 0; r < s->nr_rows; r++) {
			if (!isfinite(s->rows[r].values[i]))
				continue;
			fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\">",
				x_of(s, r), y_of(s, s->rows[r].values[i]), colours[i % 8]);
			title_of(out, s->rows[r].label, s->rows[r].values[i]);
			fprintf(out, "</circle>\n");
		}
	}
}

/* Writes the value upwards on its bar. */
static void draw_value(FILE *out, double x, double y, double value)
{
	char how[96], number[32];

	snprintf(how, sizeof(how),
		 "font-size=\"9\" fill=\"#333\" transform=\"rotate(-90 %.1f %.1f)\"", x + 3, y - 3);
	snprintf(number, sizeof(number), "%.3g", value);
	text_at(out, x + 3, y - 3, how, number);
}

static void draw_bars(FILE *out, const struct sheet *s)
{
	double width = 0.8 * ACROSS / s->nr_rows / s->nr_columns;

	for (int r = 0; r < s->nr_rows; r++)
		for (int i = 0; i < s->nr_columns; i++) {
			double y = y_of(s, s->rows[r].values[i]);

			if (!isfinite(y)) {
				text_at(out, x_of(s, r), TOP + DOWN - 4, "text-anchor=\"middle\"",
					"?");
				break;
			}
			fprintf(out,
				"<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
				"fill=\"%s\">",
				x_of(s, r) + width * (i - s->nr_columns / 2.0), y, width,
				TOP + DOWN - y, colours[i % 8]);
			title_of(out, s->rows[r].label, s->rows[r].values[i]);
			fprintf(out, "</rect>\n");
			if (s->nr_rows * s->nr_columns <= MAX_VALUES)
				draw_value(out,
					   x_of(s, r) + width * (i + 0.5 - s->nr_columns / 2.0), y,
					   s->rows[r].values[i]);
		}
}

/* 1234567 as "1.23M". */
static const char *short_number(char text[32], double value)
{
	static const char suffixes[] = " kMGT";
	int i = 0;

	for (; value >= 1000 && i < 4; i++)
		value /= 1000;
	snprintf(text, 32, "%.3g%.*s", value, i ? 1 : 0, &suffixes[i]);
	return text;
}

/* The cells of a heat map: squares that fit, or rows that can be read. */
static double cell_height(const struct sheet *s)
{
	return fmax(fmin((double)ACROSS / s->nr_columns, (double)DOWN / s->nr_rows), MIN_CELL);
}

static int heat_height(const struct sheet *s)
{
	return (int)fmax(HEIGHT, TOP + s->nr_rows * cell_height(s) + 20);
}

/* Returns where cells begin: behind the longest label. */
static double heat_left(const struct sheet *s)
{
	size_t longest = 0;

	for (int r = 0; r < s->nr_rows; r++)
		if (strlen(s->rows[r].label) > longest)
			longest = strlen(s->rows[r].label);
	return fmax(LEFT, 16 + LETTER * (double)longest);
}

/* Colours a cell by its share of the highest value, by logarithms where values are far apart. */
static double heat_share(const struct sheet *s, double value)
{
	if (s->most > FAR_APART)
		return log2(1 + fmax(value, 0)) / log2(1 + s->most);
	return fmax(value, 0) / s->most;
}

static void draw_cell(FILE *out, const struct sheet *s, const double at[4], double value)
{
	bool known = isfinite(value);
	double share = known ? heat_share(s, value) : 0;
	char number[32];

	fprintf(out,
		"<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
		"fill=\"rgb(%.0f,%.0f,%.0f)\"/>\n",
		at[0], at[1], at[2], at[3], 255.0, 255 - 155 * share, 255 - 225 * share);
	text_at(out, at[0] + at[2] / 2, at[1] + at[3] / 2 + 4, "text-anchor=\"middle\"",
		known ? short_number(number, value) : "?");
}

static void draw_heat(FILE *out, const struct sheet *s)
{
	double height = cell_height(s), left = heat_left(s),
	       width = fmin((LEFT + ACROSS - left) / s->nr_columns, fmax(height, MIN_WIDTH));

	for (int r = 0; r < s->nr_rows; r++) {
		text_at(out, left - 8, TOP + height * r + height / 2 + 4, "text-anchor=\"end\"",
			s->rows[r].label);
		for (int i = 0; i < s->nr_columns; i++)
			draw_cell(out, s,
				  (double[]){left + width * i, TOP + height * r, width, height},
				  s->rows[r].values[i]);
	}
	for (int i = 0; i < s->nr_columns; i++)
		text_at(out, left + width * (i + 0.5), TOP - 6, "text-anchor=\"middle\"",
			s->columns[i]);
	if (left + width * s->nr_columns + LETTER * (double)strlen(s->x) < WIDTH - RIGHT)
		text_at(out, left + width * s->nr_columns + 8, TOP - 6, "fill=\"#666\"", s->x);
	text_at(out, 8, TOP - 6, "fill=\"#666\"", s->rows_name);
}

/* ---- panels: each column by itself, over a time that the rows end at ---- */

static double panel_x(const struct sheet *s, double x)
{
	return LEFT + ACROSS * x / s->rows[s->nr_rows - 1].x;
}

static double begin_of(const struct sheet *s, int row)
{
	return row ? s->rows[row - 1].x : 0;
}

/* Fills the area below the values, each constant until the next time. */
static void draw_steps(FILE *out, const struct sheet *s, int column, double bottom, double most)
{
	fprintf(out,
		"<polyline fill=\"%s\" fill-opacity=\"0.25\" stroke=\"%s\" stroke-width=\"1.5\" "
		"points=\"%d,%.1f ",
		colours[column % 8], colours[column % 8], LEFT, bottom);
	for (int r = 0; r < s->nr_rows; r++) {
		double y = bottom - PANEL * s->rows[r].values[column] / most;

		fprintf(out, "%.1f,%.1f %.1f,%.1f ", panel_x(s, begin_of(s, r)), y,
			panel_x(s, s->rows[r].x), y);
	}
	fprintf(out, "%d,%.1f\"/>\n", LEFT + ACROSS, bottom);
	for (int r = 0; r < s->nr_rows; r++) {
		double x = panel_x(s, begin_of(s, r));

		fprintf(
		    out,
		    "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" fill-opacity=\"0\">"
		    "<title>%.6g to %.6g s: %.4g</title></rect>\n",
		    x, bottom - PANEL, panel_x(s, s->rows[r].x) - x, PANEL, begin_of(s, r),
		    s->rows[r].x, s->rows[r].values[column]);
	}
}

static void draw_panel(FILE *out, const struct sheet *s, int column)
{
	double bottom = TOP + column * (PANEL + APART) + PANEL, most = 0;
	char number[32];

	for (int r = 0; r < s->nr_rows; r++)
		most = fmax(most, s->rows[r].values[column]);
	text_at(out, LEFT, bottom - PANEL - 6, "font-weight=\"bold\"", s->columns[column]);
	for (int i = 0; i <= 2; i++) {
		double y = bottom - PANEL * i / 2.0;

		fprintf(out, "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>\n",
			LEFT, LEFT + ACROSS, y, y, i ? "#ddd" : "#333");
		text_at(out, LEFT - 8, y + 4, "text-anchor=\"end\"",
			short_number(number, most * i / 2));
	}
	draw_steps(out, s, column, bottom, most > 0 ? most : 1);
}

static int panels_height(const struct sheet *s)
{
	return TOP + s->nr_columns * (PANEL + APART) + 30;
}

static void draw_panels(FILE *out, const struct sheet *s)
{
	double end = s->rows[s->nr_rows - 1].x, step = step_of(end);
	double y = TOP + s->nr_columns * (PANEL + APART) - APART + 18;
	char number[32];

	for (int i = 0; i < s->nr_columns; i++)
		draw_panel(out, s, i);
	for (double x = 0; x <= end * 1.0001; x += step) {
		snprintf(number, sizeof(number), "%.4g", x);
		text_at(out, panel_x(s, x), y, "text-anchor=\"middle\"", number);
	}
	text_at(out, LEFT + ACROSS / 2, y + 20, "text-anchor=\"middle\"", s->x);
}

/* Begins the picture. A long one has a size in pixels, so that a browser does not shrink it. */
static void draw_begin(FILE *out, int height)
{
	fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" ", WIDTH,
		height);
	if (height > 2 * HEIGHT)
		fprintf(out, "width=\"%d\" height=\"%d\" ", WIDTH, height);
	fprintf(out, "font-family=\"sans-serif\" font-size=\"12\">\n"
		     "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n");
}

static void draw(FILE *out, const struct sheet *s)
{
	int height = s->kind == PANELS ? panels_height(s)
		     : s->kind == HEAT ? heat_height(s)
				       : HEIGHT;
	char note[512], how[64];

	draw_begin(out, height);
	snprintf(note, sizeof(note), "%s%s%s", s->y, *s->pmu ? "; " : "", s->pmu);
	text_at(out, LEFT, 22, "font-size=\"16\" font-weight=\"bold\"", s->title);
	snprintf(how, sizeof(how), "fill=\"#666\" font-size=\"%.1f\"",
		 fmin(12, 12 * (WIDTH - LEFT) / (NOTE_LETTER * (double)strlen(note))));
	text_at(out, LEFT, 40, how, note);
	if (s->kind == HEAT) {
		draw_heat(out, s);
	} else if (s->kind == PANELS) {
		draw_panels(out, s);
	} else {
		draw_key(out, s);
		draw_frame(out, s);
		draw_labels(out, s);
		s->kind == BARS ? draw_bars(out, s) : draw_lines(out, s);
	}
	fprintf(out, "</svg>\n");
}

void plot_text(char *text, const char *path)
{
	struct sheet sheet;
	FILE *out = results_open(path);

	if (!out)
		die(STATUS_OURS, "cannot write '%s': %s", path, strerror(errno));
	read_sheet(&sheet, text);
	if (sheet.most <= 0)
		sheet.most = 1;
	draw(out, &sheet);
	free(sheet.rows);
	if (!results_close(out))
		die(STATUS_OURS, "cannot write '%s': %s", path, strerror(errno));
}

void plot_file(const char *data, const char *path)
{
	struct buffer text = read_file(data);

	buffer_append(&text, "", 1);
	plot_text((char *)text.bytes, path);
	free(text.bytes);
}
