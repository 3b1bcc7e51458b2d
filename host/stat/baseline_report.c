/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints and writes the comparison of counts. */
#include "host/stat/baseline_report.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "apps/lib/json.h"
#include "apps/lib/xml.h"
#include "host/lib/report.h"
#include "host/machine/link/results.h"

/* Describes the row's change, for people. */
static const char *describe(const struct baseline_row *row, char text[64])
{
	if (!row->now)
		return "not counted this time";
	if (isnan(row->change))
		return "no number";
	snprintf(text, 64, "%+.3f%%", row->change);
	return text;
}

void baseline_report_print(const struct baseline_report *report, FILE *out)
{
	char text[64];

	fprintf(out, "\n Compared with %s (tolerance %g%%):\n\n%18s %18s %12s\n", report->baseline,
		report->tolerance, "baseline", "now", "change");
	for (int i = 0; i < report->old->nr; i++) {
		const struct baseline_row *row = &report->rows[i];

		fprintf(out, "%18s %18s %12s  %-5s %s\n", row->was, row->now ? row->now : "-",
			describe(row, text), row->failed ? "FAIL" : "ok", row->event);
	}
	if (report->other_pmu)
		fprintf(out, "\n FAIL: the baseline is of another PMU: %s, not %s\n",
			report->old->pmu, report->now->pmu);
	fprintf(out, "\n %d of %d events differ by more than the tolerance\n\n", report->failed,
		report->old->nr);
}

static void write_attribute(FILE *out, const char *name, const char *value)
{
	fprintf(out, " %s=\"", name);
	xml_text(out, value);
	fputc('"', out);
}

static void write_case(FILE *out, const struct baseline_report *report,
		       const struct baseline_row *row)
{
	char text[64];

	fputs("<testcase", out);
	write_attribute(out, "classname", report->program);
	write_attribute(out, "name", row->event);
	fputs(">", out);
	if (row->failed) {
		fputs("<failure message=\"", out);
		xml_text(out, row->was);
		fputs(" became ", out);
		xml_text(out, row->now ? row->now : "nothing");
		fprintf(out, " (%s)\"/>", describe(row, text));
	}
	fputs("</testcase>\n", out);
}

static void write_junit(FILE *out, const struct baseline_report *report)
{
	fprintf(out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<testsuite name=\"barepmu stat\" tests=\"%d\" failures=\"%d\">\n",
		report->old->nr + 1, report->failed + report->other_pmu);
	fputs("<testcase", out);
	write_attribute(out, "classname", report->program);
	fputs(" name=\"PMU\">", out);
	if (report->other_pmu)
		fputs("<failure message=\"the baseline is of another PMU\"/>", out);
	fputs("</testcase>\n", out);
	for (int i = 0; i < report->old->nr; i++)
		write_case(out, report, &report->rows[i]);
	fputs("</testsuite>\n", out);
}

static void write_member(FILE *out, const char *name, const char *value)
{
	fprintf(out, "\"%s\": ", name);
	if (value)
		json_quoted(out, value);
	else
		fputs("null", out);
}

static void write_json(FILE *out, const struct baseline_report *report)
{
	fputc('{', out);
	write_member(out, "baseline", report->baseline);
	fprintf(out, ", \"tolerance\": %g, ", report->tolerance);
	write_member(out, "pmu", report->now->pmu);
	fprintf(out, ", \"same_pmu\": %s, \"failed\": %d, \"events\": [",
		report->other_pmu ? "false" : "true", report->failed);
	for (int i = 0; i < report->old->nr; i++) {
		const struct baseline_row *row = &report->rows[i];

		fprintf(out, "%s\n{", i ? "," : "");
		write_member(out, "event", row->event);
		fputs(", ", out);
		write_member(out, "baseline", row->was);
		fputs(", ", out);
		write_member(out, "now", row->now);
		if (isfinite(row->change))
			fprintf(out, ", \"change_percent\": %.6f", row->change);
		fprintf(out, ", \"ok\": %s}", row->failed ? "false" : "true");
	}
	fputs("\n]}\n", out);
}

void baseline_report_write(const struct baseline_report *report, const char *path)
{
	size_t length = strlen(path);
	FILE *out = results_open(path);

	if (!out)
		die(STATUS_OURS, "cannot write '%s': %s", path, strerror(errno));
	if (length > 4 && !strcmp(path + length - 4, ".xml"))
		write_junit(out, report);
	else
		write_json(out, report);
	if (!results_close(out))
		die(STATUS_OURS, "cannot write '%s': %s", path, strerror(errno));
}
