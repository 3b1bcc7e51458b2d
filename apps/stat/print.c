/* SPDX-License-Identifier: BSD-2-Clause */
/* The three ways to print counts: perf stat's table, its CSV columns and its JSON lines. */
#include "apps/stat/stat.h"

#include <ctype.h>
#include <string.h>

#include "apps/lib/event/pmu_id.h"

#define METRIC_WIDTH 35 /* of "# ratio unit" in the table */
#define BLANK_WIDTH  28 /* in its place for what was not counted */

/* 1234567 -> "1,234,567": groups the digits before the point. */
static void group_digits(const char *plain, char *grouped)
{
	size_t digits = strspn(plain, "0123456789");

	for (size_t i = 0; plain[i]; i++) {
		if (i && i < digits && (digits - i) % 3 == 0)
			*grouped++ = ',';
		*grouped++ = plain[i];
	}
	*grouped = '\0';
}

static const char *not_a_count(const struct counts *counts)
{
	return counts->supported ? "<not counted>" : "<not supported>";
}

/* Clocks in milliseconds with two decimals, everything else as a whole number. */
static void format_value(const struct event *event, const struct counts *counts, char *text,
			 size_t size)
{
	if (stat_is_clock(event))
		snprintf(text, size, "%.2f", counts->value.mean / 1e6);
	else
		snprintf(text, size, "%.0f", counts->value.mean);
}

/* Percentage of the time that it was enabled in which it had a counter. */
static double running_percent(const struct counts *counts)
{
	return counts->enabled ? 100 * counts->running / counts->enabled : 100;
}

static void table_metric(FILE *out, struct metric metric)
{
	int n;

	if (!metric.format) {
		fprintf(out, "%*s", METRIC_WIDTH, "");
		return;
	}
	n = fprintf(out, " # ");
	n += fprintf(out, metric.format, metric.value);
	fprintf(out, " %-*s", METRIC_WIDTH - n - 1, metric.unit);
}

static void table_line(FILE *out, const struct options *options, const struct result *result,
		       int index)
{
	const struct event *event = &options->events.events[index];
	const struct counts *counts = &result->counts[index];
	char plain[48], grouped[64];

	if (!counts->counted) {
		fprintf(out, "%18s %-4s %-32s%*s\n", not_a_count(counts), "", event->name,
			BLANK_WIDTH, "");
		return;
	}
	format_value(event, counts, plain, sizeof(plain));
	group_digits(plain, grouped);
	fprintf(out, "%18s %-4s %-32s", grouped, stat_is_clock(event) ? "msec" : "", event->name);
	table_metric(out, stat_metric(&options->events, result, index));
	if (options->runs > 1 && counts->value.mean)
		fprintf(out, "  ( +-%6.2f%% )", series_spread_percent(&counts->value));
	if (counts->running < counts->enabled)
		fprintf(out, "  (%.2f%%)", running_percent(counts));
	fputc('\n', out);
}

/* How many decimals show two digits of `spread` (seconds): between 3 and 9. */
static int time_decimals(double spread)
{
	int decimals = 2;

	if (spread <= 0)
		return 9;
	for (; spread < 1 && decimals < 9; spread *= 10)
		decimals++;
	return decimals < 3 ? 3 : decimals;
}

static void table_times(FILE *out, const struct options *options, const struct result *result)
{
	double spread = series_spread(&result->elapsed);
	int decimals = time_decimals(spread);

	if (options->runs > 1) {
		fprintf(out, "\n %17.*f +- %.*f seconds time elapsed  ( +-%6.2f%% )\n", decimals,
			result->elapsed.mean, decimals, spread,
			series_spread_percent(&result->elapsed));
		return;
	}
	fprintf(out, "\n %17.9f seconds time elapsed\n", result->elapsed.mean);
	fprintf(out, "\n %17.9f seconds user\n %17.9f seconds sys\n", result->user, result->system);
}

static bool multiplexed(const struct options *options, const struct result *result)
{
	for (int i = 0; i < options->events.nr; i++) {
		if (result->counts[i].running < result->counts[i].enabled)
			return true;
	}
	return false;
}

/* Faults are the program's own affair, and counted as such; interrupts are said, because a program
 * that sleeps wants them. */
static void judge(const struct options *options, const struct result *result,
		  struct verdict *verdict)
{
	struct moment after = result->after;
	uint64_t came;

	*verdict = (struct verdict){.reasons = ""};
	after.faults = result->before.faults;
	came = after.interrupts.value - result->before.interrupts.value;
	after.interrupts = result->before.interrupts;
	verdict_compare(verdict, &result->before, &after);
	if (came)
		verdict_note(verdict, "%llu interrupt%s", (unsigned long long)came,
			     came == 1 ? "" : "s");
	if (multiplexed(options, result))
		verdict_reason(verdict, "events shared counters");
}

static void print_table(FILE *out, const struct options *options, const struct result *result)
{
	struct verdict verdict;
	char words[VERDICT_LINE];

	fprintf(out, "\n Performance counter stats for '");
	for (char **word = options->program; *word; word++)
		fprintf(out, "%s%s", word == options->program ? "" : " ", *word);
	fputc('\'', out);
	if (options->runs > 1)
		fprintf(out, " (%d runs)", options->runs);
	fprintf(out, ":\n\n");
	for (int i = 0; i < options->events.nr; i++)
		table_line(out, options, result, i);
	table_times(out, options, result);
	fprintf(out, "\n PMU: %s\n", pmu_line());
	judge(options, result, &verdict);
	verdict_line(&verdict, words);
	fprintf(out, " Verdict: %s\n", words);
	if (multiplexed(options, result))
		fprintf(out, " Counts with a percentage shared counters: they are scaled up from "
			     "that part of the time\n");
	fputc('\n', out);
}

static void csv_metric(FILE *out, const char *separator, struct metric metric)
{
	char text[48];
	size_t skip;

	if (!metric.format) {
		fprintf(out, "%s%s", separator, separator);
		return;
	}
	snprintf(text, sizeof(text), metric.format, metric.value);
	skip = strspn(text, " ");
	text[skip + strspn(text + skip, "0123456789.")] = '\0';
	fprintf(out, "%s%s%s%s", separator, text + skip, separator, metric.unit);
}

static void csv_line(FILE *out, const struct options *options, const struct result *result,
		     int index)
{
	const struct event *event = &options->events.events[index];
	const struct counts *counts = &result->counts[index];
	const char *separator = options->separator;
	char value[48];

	format_value(event, counts, value, sizeof(value));
	fprintf(out, "%s%s%s%s%s", counts->counted ? value : not_a_count(counts), separator,
		stat_is_clock(event) && counts->counted ? "msec" : "", separator, event->name);
	if (options->runs > 1)
		fprintf(out, "%s%.2f%%", separator, series_spread_percent(&counts->value));
	fprintf(out, "%s%.0f%s%.2f", separator,
		counts->value.n ? counts->running / counts->value.n : 0, separator,
		running_percent(counts));
	csv_metric(out, separator, stat_metric(&options->events, result, index));
	fputc('\n', out);
}

static void print_csv(FILE *out, const struct options *options, const struct result *result)
{
	struct verdict verdict;
	char words[VERDICT_LINE];

	judge(options, result, &verdict);
	verdict_line(&verdict, words);
	fprintf(out, "# PMU: %s\n# verdict: %s\n", pmu_line(), words);
	for (int i = 0; i < options->events.nr; i++)
		csv_line(out, options, result, i);
}

/* A JSON string with its quotes. */
static void json_string(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', out);
		if (!iscntrl((unsigned char)*text))
			fputc(*text, out);
	}
	fputc('"', out);
}

static void json_line(FILE *out, const struct options *options, const struct result *result,
		      int index)
{
	const struct event *event = &options->events.events[index];
	const struct counts *counts = &result->counts[index];
	struct metric metric = stat_metric(&options->events, result, index);
	double value = counts->value.mean;
	bool clock = stat_is_clock(event);

	if (counts->counted)
		fprintf(out, "{\"counter-value\" : \"%f\", ", clock ? value / 1e6 : value);
	else
		fprintf(out, "{\"counter-value\" : \"%s\", ", not_a_count(counts));
	fprintf(out, "\"unit\" : \"%s\", \"event\" : ", clock && counts->counted ? "msec" : "");
	json_string(out, event->name);
	if (options->runs > 1)
		fprintf(out, ", \"variance\" : %.2f", series_spread_percent(&counts->value));
	fprintf(out, ", \"event-runtime\" : %.0f, \"pcnt-running\" : %.2f",
		counts->value.n ? counts->running / counts->value.n : 0, running_percent(counts));
	fprintf(out, ", \"metric-value\" : %f, \"metric-unit\" : \"%s\"}\n",
		metric.format ? metric.value : 0, metric.unit);
}

static void print_json(FILE *out, const struct options *options, const struct result *result)
{
	struct pmu_id pmu;
	struct verdict verdict;
	char words[VERDICT_LINE];

	pmu_identify(&pmu);
	fprintf(out, "{\"pmu\" : ");
	json_string(out, pmu.name);
	fprintf(out, ", \"emulated\" : %s, \"exact\" : %s", pmu.emulated ? "true" : "false",
		pmu.exact || !pmu.emulated ? "true" : "false");
	judge(options, result, &verdict);
	verdict_line(&verdict, words);
	fprintf(out, ", \"valid\" : %s, \"verdict\" : ", *verdict.reasons ? "false" : "true");
	json_string(out, words);
	fprintf(out, "}\n");
	for (int i = 0; i < options->events.nr; i++)
		json_line(out, options, result, i);
}

void stat_print(FILE *out, const struct options *options, const struct result *result)
{
	if (options->format == STAT_CSV)
		print_csv(out, options, result);
	else if (options->format == STAT_JSON)
		print_json(out, options, result);
	else
		print_table(out, options, result);
}
