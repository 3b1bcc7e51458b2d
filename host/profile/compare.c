/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes amounts as JSON with a row in each line, reads them back, and compares two. */
#include "host/profile/compare.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/lib/json.h"
#include "host/lib/array.h"
#include "host/lib/buffer.h"
#include "host/lib/text.h"
#include "host/machine/link/results.h"
#include "host/profile/summary.h"

#define FORMAT    "barepmu-boot-1"
#define ROWS      20
#define NAME_SIZE 192
#define SMALL     0.001 /* of the whole: a new row of less is no increase, unless 0% are allowed */

/* ---- writing ---- */

static void put_amount(FILE *out, const struct amount *amount, bool timed)
{
	json_number(out, "instructions", (long long)amount->instructions[0]);
	json_number(out, "instructions waiting", (long long)amount->instructions[1]);
	if (!timed)
		return;
	json_number(out, "cycles", (long long)amount->cycles[0]);
	json_number(out, "cycles waiting", (long long)amount->cycles[1]);
}

static void put_phase(FILE *out, const struct profile *profile, const struct phase *phase)
{
	fputs("  {", out);
	json_first(out, "phase", phase->name);
	json_number(out, "ns", (long long)(phase->end.ns - phase->start.ns));
	put_amount(out, &phase->amount, profile->head->timed);
	if (profile->head->timed) {
		json_number(out, "branches", (long long)phase->counts[COUNT_BRANCHES]);
		json_number(out, "branch-misses", (long long)phase->counts[COUNT_MISPREDICTED]);
		json_number(out, "L1-dcache-load-misses",
			    (long long)phase->counts[COUNT_L1D_MISSES]);
		json_number(out, "cache-misses", (long long)phase->counts[COUNT_LAST_MISSES]);
	}
	fputs("}", out);
}

static void put_rows(FILE *out, const struct profile *profile)
{
	struct summary summary;

	summary_make(&summary, profile, SUMMARY_PHASES, true);
	for (size_t i = 0; i < summary.nr; i++) {
		fputs(i ? ",\n  {" : "  {", out);
		json_first(out, "phase", profile->phases[summary.rows[i].phase].name);
		json_text(out, "image", summary.rows[i].name);
		put_amount(out, &summary.rows[i].amount, summary.timed);
		fputs("}", out);
	}
	free(summary.rows);
}

bool json_write(const struct profile *profile, const char *path)
{
	FILE *out = results_open(path);
	const char *separator = "";

	if (!out)
		return false;
	fprintf(out,
		"{\"format\" : \"%s\", \"counted\" : \"%s\", \"complete\" : %s,\n \"phases\" : [\n",
		FORMAT, profile->head->timed ? "cycles" : "instructions",
		profile->end ? "true" : "false");
	for (size_t i = 0; i < profile->nr_phases; i++) {
		if (!phase_ran(&profile->phases[i]))
			continue;
		fputs(separator, out);
		put_phase(out, profile, &profile->phases[i]);
		separator = ",\n";
	}
	fputs("\n ],\n \"images\" : [\n", out);
	put_rows(out, profile);
	fputs("\n ]\n}\n", out);
	return results_close(out);
}

/* ---- reading ---- */

struct row {
	char name[2 * NAME_SIZE]; /* phase, and image unless it is the phase's own row */
	double value[2];          /* before, now; with or without waits */
	bool has[2], whole;
};

struct rows {
	struct row *row;
	size_t nr;
	double total[2];
};

/* Copies the text of a member in a line; false: it has none, or one too long. */
static bool text_member(const char *line, const char *member, char text[NAME_SIZE])
{
	char *key = format_text("\"%s\" : \"", member);
	const char *at = strstr(line, key), *end;

	if (at)
		at += strlen(key);
	free(key);
	end = at ? strchr(at, '"') : NULL;
	if (!end || end - at >= NAME_SIZE)
		return false;
	memcpy(text, at, (size_t)(end - at));
	text[end - at] = '\0';
	return true;
}

static double number_member(const char *line, const char *member)
{
	char *key = format_text("\"%s\" : ", member);
	const char *at = strstr(line, key);
	double value = at ? strtod(at + strlen(key), NULL) : 0;

	free(key);
	return value;
}

static struct row *find_row(struct rows *rows, const char *name)
{
	for (size_t i = 0; i < rows->nr; i++)
		if (!strcmp(rows->row[i].name, name))
			return &rows->row[i];
	rows->row = array_grow(rows->row, rows->nr, sizeof(*rows->row));
	rows->row[rows->nr] = (struct row){.name = ""};
	snprintf(rows->row[rows->nr].name, sizeof(rows->row[0].name), "%s", name);
	return &rows->row[rows->nr++];
}

/* Takes a line of the file; `which`: 0 before, 1 now. */
static void take_row(struct rows *rows, const char *line, const char *counted, unsigned which,
		     bool waits)
{
	char phase[NAME_SIZE], image[NAME_SIZE], *name,
	    *waiting = format_text("%s waiting", counted);
	bool has_image = text_member(line, "image", image);
	double value = number_member(line, counted);
	struct row *row;

	if (waits)
		value += number_member(line, waiting);
	free(waiting);
	if (!text_member(line, "phase", phase))
		return;
	name = has_image ? format_text("%s  %s", phase, image) : format_text("%s", phase);
	row = find_row(rows, name);
	row->value[which] += value;
	row->has[which] = true;
	row->whole = !has_image;
	if (!has_image)
		rows->total[which] += value;
	free(name);
}

static bool read_rows(struct rows *rows, const char *path, unsigned which, bool waits,
		      char counted[NAME_SIZE])
{
	struct buffer file = read_file(path);
	char *line, *rest, format[NAME_SIZE];

	buffer_append(&file, "", 1);
	line = strtok_r((char *)file.bytes, "\n", &rest);
	if (!line || !text_member(line, "format", format) || strcmp(format, FORMAT) ||
	    !text_member(line, "counted", counted)) {
		fprintf(stderr, "barepmu: '%s' is not what boot --json writes\n", path);
		free(file.bytes);
		return false;
	}
	while ((line = strtok_r(NULL, "\n", &rest)))
		take_row(rows, line, counted, which, waits);
	free(file.bytes);
	return true;
}

/* ---- comparison ---- */

static int by_change(const void *a, const void *b)
{
	const struct row *left = a, *right = b;
	double x = fabs(left->value[1] - left->value[0]),
	       y = fabs(right->value[1] - right->value[0]);

	return x != y ? (x < y ? 1 : -1) : strcmp(left->name, right->name);
}

static bool exceeds(const struct rows *rows, const struct row *row, double tolerance)
{
	if (row->value[1] <= row->value[0] * (1 + tolerance / 100))
		return false;
	return tolerance == 0 || row->value[1] - row->value[0] > SMALL * rows->total[0] ||
	       row->value[0] > SMALL * rows->total[0];
}

static void print_row(const struct row *row, bool marked)
{
	char change[32] = "new";

	if (row->value[0] > 0)
		snprintf(change, sizeof(change), "%+.2f%%",
			 100 * (row->value[1] - row->value[0]) / row->value[0]);
	printf("%c %-44s %16.0f %16.0f %9s\n", marked ? '!' : ' ', row->name, row->value[0],
	       row->value[1], row->has[1] ? change : "gone");
}

int json_compare(const char *before, const char *now, double tolerance, bool waits)
{
	struct rows rows = {NULL, 0, {0, 0}};
	char counted[2][NAME_SIZE];
	int marked = 0;

	if (!read_rows(&rows, before, 0, waits, counted[0]) ||
	    !read_rows(&rows, now, 1, waits, counted[1]))
		return -1;
	if (strcmp(counted[0], counted[1])) {
		fprintf(stderr, "barepmu: '%s' has %s, the other boot %s\n", before, counted[0],
			counted[1]);
		return -1;
	}
	qsort(rows.row, rows.nr, sizeof(*rows.row), by_change);
	printf("  %-44s %16s %16s %9s\n", counted[0], "before", "now", "change");
	for (size_t i = 0; i < rows.nr; i++) {
		bool mark = exceeds(&rows, &rows.row[i], tolerance);

		marked += mark;
		if (mark || (i < ROWS && rows.row[i].value[0] != rows.row[i].value[1]))
			print_row(&rows.row[i], mark);
	}
	printf("  %-44s %16.0f %16.0f\n", "all", rows.total[0], rows.total[1]);
	free(rows.row);
	return marked;
}
