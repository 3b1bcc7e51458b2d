/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares the JSON lines of two runs of `stat -j`: event by event, within a tolerance. */
#include "host/stat/baseline.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/lib/array.h"
#include "host/lib/buffer.h"
#include "host/lib/report.h"
#include "host/lib/text.h"
#include "host/machine/link/results.h"
#include "host/stat/baseline_report.h"

/* Returns the string that follows `"key" : ` in the line, which the caller frees; NULL: the line
 * has no such key. stat writes no escapes into these values. */
static char *value_of(const char *line, const char *key)
{
	char *mark = format_text("\"%s\" : \"", key);
	const char *at = strstr(line, mark), *value = at ? at + strlen(mark) : NULL;
	char *copy = value ? format_text("%.*s", (int)strcspn(value, "\"\n"), value) : NULL;

	free(mark);
	return copy;
}

static void add_count(struct baseline_counts *counts, const char *event, const char *count)
{
	counts->list = array_grow(counts->list, counts->nr, sizeof(*counts->list));
	counts->list[counts->nr++] = (struct baseline_count){event, count};
}

/* Cuts the decimals of a whole number, which stat -j writes as 12.000000. */
static char *short_count(char *count)
{
	char *decimals = strstr(count, ".000000");

	if (decimals)
		*decimals = '\0';
	return count;
}

/* Parses the lines of `stat -j`. Each line of an event counts (-I, -A). */
static struct baseline_counts parse_counts(const char *path)
{
	struct buffer file = read_file(path);
	struct baseline_counts counts = {.pmu = ""};
	char *text, *line;

	buffer_append(&file, "", 1);
	text = (char *)file.bytes;
	while ((line = strsep(&text, "\n"))) {
		char *event = value_of(line, "event"), *count = value_of(line, "counter-value");
		char *pmu = value_of(line, "pmu");

		if (pmu)
			counts.pmu = pmu;
		if (event && count)
			add_count(&counts, event, short_count(count));
	}
	free(file.bytes);
	return counts;
}

/* Returns the difference in percent of the baseline; 0 for equal texts. */
static double change_of(const char *old, const char *now)
{
	double was = strtod(old, NULL), is = strtod(now, NULL);

	if (!strcmp(old, now))
		return 0;
	return was != 0 ? 100 * (is - was) / was : is != 0 ? INFINITY : NAN;
}

/* Returns the count of the `nth` line of an event, or NULL. */
static const char *find_count(const struct baseline_counts *counts, const char *event, int nth)
{
	for (int i = 0; i < counts->nr; i++)
		if (!strcmp(counts->list[i].event, event) && !nth--)
			return counts->list[i].count;
	return NULL;
}

/* Returns how many lines before line `i` are of its event. */
static int lines_before(const struct baseline_counts *counts, int i)
{
	int nr = 0;

	for (int j = 0; j < i; j++)
		nr += !strcmp(counts->list[j].event, counts->list[i].event);
	return nr;
}

/* Compares line `i` of the baseline. */
static struct baseline_row row_of(const struct baseline_counts *old,
				  const struct baseline_counts *now, int i, double tolerance)
{
	const char *event = old->list[i].event;
	struct baseline_row row = {.event = event, .was = old->list[i].count};

	row.now = find_count(now, event, lines_before(old, i));
	row.change = row.now ? change_of(row.was, row.now) : NAN;
	row.failed = !(fabs(row.change) <= tolerance);
	return row;
}

static double tolerance_of(const struct options *options)
{
	char *end;
	double percent;

	if (!options->tolerance)
		return 0;
	percent = strtod(options->tolerance, &end);
	if (end == options->tolerance || percent < 0 || (*end && strcmp(end, "%")))
		die(STATUS_OURS, "--tolerance wants a percentage, as 0.5%%, not '%s'",
		    options->tolerance);
	return percent;
}

void baseline_prepare(struct options *options)
{
	if (!options->baseline) {
		if (options->tolerance || options->comparison)
			die(STATUS_OURS, "--tolerance and --report go with --baseline FILE");
		return;
	}
	tolerance_of(options);
	add_word(&options->pass, "-j");
	if (!options->output) {
		const char *directory = getenv("TMPDIR");
		char *path = format_text("%s/barepmu-XXXXXX", directory ? directory : P_tmpdir);
		int fd = mkstemp(path);

		if (fd < 0)
			die(STATUS_OURS, "cannot write '%s': %s", path, strerror(errno));
		close(fd);
		options->output = path;
		options->output_is_ours = true;
	}
}

/* Stores the counts as the baseline, without the date, so that equal counts are equal files. */
static void store(const struct options *options)
{
	struct buffer counts = read_file(options->output);
	FILE *file = results_open(options->baseline);
	char *text, *line;

	buffer_append(&counts, "", 1);
	text = (char *)counts.bytes;
	while (file && (line = strsep(&text, "\n")))
		if (*line == '{')
			fprintf(file, "%s\n", line);
	if (!file || !results_close(file))
		die(STATUS_OURS, "cannot write '%s': %s", options->baseline, strerror(errno));
	fprintf(stderr, "barepmu: '%s' is new: these counts are the baseline from now on\n",
		options->baseline);
	free(counts.bytes);
}

static int compare(const struct options *options)
{
	struct baseline_counts old = parse_counts(options->baseline),
			       now = parse_counts(options->output);
	struct baseline_report report = {.baseline = options->baseline,
					 .program = *options->program,
					 .tolerance = tolerance_of(options),
					 .old = &old,
					 .now = &now};

	if (!old.nr)
		die(STATUS_OURS, "'%s' has no counts: `barepmu stat -j -o FILE` writes a baseline",
		    options->baseline);
	report.rows = allocate((size_t)old.nr * sizeof(*report.rows));
	for (int i = 0; i < old.nr; i++) {
		report.rows[i] = row_of(&old, &now, i, report.tolerance);
		report.failed += report.rows[i].failed;
	}
	report.other_pmu = strcmp(old.pmu, now.pmu) != 0;
	baseline_report_print(&report, stderr);
	if (options->comparison)
		baseline_report_write(&report, options->comparison);
	return report.failed || report.other_pmu ? STATUS_CHANGED : 0;
}

int baseline_check(const struct options *options, int status)
{
	if (!options->baseline)
		return status;
	if (!status && access(options->baseline, F_OK)) /* counts of a failure are no baseline */
		store(options);
	else if (!status)
		status = compare(options);
	if (options->output_is_ours)
		unlink(options->output);
	return status;
}
