/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints counts in three formats: perf stat's table, its CSV columns and its JSON lines. */
#include "apps/stat/stat.h"

#include <string.h>

#include "apps/lib/event/pmu_id.h"
#include "apps/lib/json.h"

#define METRIC_WIDTH 35 /* of "# ratio unit" in the table */
#define BLANK_WIDTH  28 /* in its place if the event was not counted */

/* Groups the digits before the point: 1234567 -> "1,234,567". */
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

/* Prints the time of an interval, "     1.000123456" and the separator; nothing for the final
 * counts. */
static void print_time(FILE *out, const struct look *look, const char *separator)
{
	if (look->at >= 0)
		fprintf(out, "%16.9f%s", look->at, separator);
}

/* Prints the line's core or processor, as wide as perf does. */
static void table_place(FILE *out, const struct options *options, const struct line *line)
{
	if (options->lines == LINES_CORE)
		fprintf(out, "%-15s %4d ", line->name, line->places);
	else if (options->lines == LINES_CPU)
		fprintf(out, "%-10s ", line->name);
}

static const char *not_a_count(const struct counts *counts)
{
	return counts->supported ? "<not counted>" : "<not supported>";
}

/* Returns the unit of the event's counts; empty: they are plain numbers. */
static const char *unit_of(const struct event *event)
{
	return stat_is_clock(event) ? "msec" : event->unit;
}

/* Formats clocks in milliseconds with two decimals, scaled counts with enough of them, everything
 * else as a whole number. */
static void format_value(const struct event *event, const struct counts *counts, char *text,
			 size_t size)
{
	if (stat_is_clock(event))
		snprintf(text, size, "%.2f", counts->value.mean / 1e6);
	else if (event->scale)
		snprintf(text, size, counts->value.mean < 1 ? "%.6f" : "%.2f", counts->value.mean);
	else
		snprintf(text, size, "%.0f", counts->value.mean);
}

/* Returns the percentage of the enabled time in which the event had a counter. */
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

static void table_count(FILE *out, const struct options *options, const struct look *look,
			const struct counts *all, int index)
{
	const struct event *event = &options->events.events[index];
	const struct counts *counts = &all[index];
	char plain[48], grouped[64];

	if (!counts->counted) {
		fprintf(out, "%18s %-4s %-32s%*s\n", not_a_count(counts), "", event->name,
			BLANK_WIDTH, "");
		return;
	}
	format_value(event, counts, plain, sizeof(plain));
	group_digits(plain, grouped);
	fprintf(out, "%18s %-4s %-32s", options->plain_numbers ? plain : grouped, unit_of(event),
		event->name);
	table_metric(out, stat_metric(&options->events, all, look->elapsed, index));
	if (look->at < 0 && options->runs > 1 && counts->value.mean)
		fprintf(out, "  ( +-%6.2f%% )", series_spread_percent(&counts->value));
	if (counts->running < counts->enabled)
		fprintf(out, "  (%.2f%%)", running_percent(counts));
	fputc('\n', out);
}

static void table_named(FILE *out, struct metric metric)
{
	fprintf(out, "%18s %-4s %-32s", metric.format ? "" : "<not counted>", "", "");
	table_metric(out, metric.format ? metric : (struct metric){0, "%.0s", metric.unit});
	fputc('\n', out);
}

/* Returns the number of decimals that show two digits of `spread` (seconds), between 3 and 9. */
static int time_decimals(double spread)
{
	int decimals = 2;

	if (spread <= 0)
		return 9;
	for (; spread < 1 && decimals < 9; spread *= 10)
		decimals++;
	return decimals < 3 ? 3 : decimals;
}

/* Prints --table: each run's time, and a mark for each percent of deviation. */
static void table_runs(FILE *out, const struct result *result, int decimals)
{
	double mean = result->elapsed.mean;

	fprintf(out, "\n%11s# Table of individual measurements:\n", "");
	for (int i = 0; i < result->runs && i < MAX_RUNS; i++) {
		double off = result->times[i] - mean;
		int marks = (int)((off < 0 ? -off : off) / mean * 100 + 0.5);

		fprintf(out, "%11s%.*f (%+.*f) ", "", decimals, result->times[i], decimals, off);
		for (int n = 0; n < marks && n < 50; n++)
			fputc('#', out);
		fputc('\n', out);
	}
	fprintf(out, "\n%11s# Final result:", "");
}

static void table_times(FILE *out, const struct options *options, const struct result *result)
{
	double spread = series_spread(&result->elapsed);
	int decimals = time_decimals(spread);

	if (options->table && options->runs > 1)
		table_runs(out, result, decimals);
	if (options->runs > 1) {
		fprintf(out, "\n %17.*f +- %.*f seconds time elapsed  ( +-%6.2f%% )\n", decimals,
			result->elapsed.mean, decimals, spread,
			series_spread_percent(&result->elapsed));
		return;
	}
	fprintf(out, "\n %17.9f seconds time elapsed\n", result->elapsed.mean);
	if (!options->everywhere && !options->pids)
		fprintf(out, "\n %17.9f seconds user\n %17.9f seconds sys\n", result->user,
			result->system);
}

static bool multiplexed(const struct options *options, const struct result *result)
{
	for (int line = 0; line < result->targets.nr_lines; line++)
		for (int i = 0; i < options->events.nr; i++)
			if (result->counts[line][i].running < result->counts[line][i].enabled)
				return true;
	return false;
}

/* Judges the measurement. Faults belong to the program, and are counted as such; interrupts are
 * only noted, because a program that sleeps needs them. */
static void judge(const struct options *options, const struct result *result,
		  struct verdict *verdict)
{
	struct moment after = result->after;
	struct pmu_id pmu;
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
	pmu_identify(&pmu);
	verdict_emulated(verdict, &pmu, &options->events);
}

/* Prints the target of the counts. */
static void print_heading(FILE *out, const struct options *options)
{
	fprintf(out, "\n Performance counter stats for ");
	if (options->everywhere && options->cpus)
		fprintf(out, "'CPU(s) %s'", options->cpus);
	else if (options->everywhere)
		fprintf(out, "'system wide'");
	else if (options->pids)
		fprintf(out, "process id '%s'", options->pids);
	else
		fputc('\'', out);
	for (char **word = options->program; !options->everywhere && !options->pids && *word;
	     word++)
		fprintf(out, "%s%s%s", word == options->program ? "" : " ", *word,
			word[1] ? "" : "'");
	if (options->runs > 1)
		fprintf(out, " (%d runs)", options->runs);
	fprintf(out, ":\n\n");
}

static void print_table(FILE *out, const struct options *options, const struct result *result)
{
	struct look look = {result->counts, result->elapsed.mean, -1};
	struct verdict verdict;
	char words[VERDICT_LINE];

	if (!options->interval) {
		print_heading(out, options);
		stat_lines(out, options, &result->targets, &look);
		table_times(out, options, result);
	}
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

static void csv_place(FILE *out, const struct options *options, const struct line *line)
{
	if (options->lines == LINES_CORE)
		fprintf(out, "%s%s%d%s", line->name, options->separator, line->places,
			options->separator);
	else if (options->lines == LINES_CPU)
		fprintf(out, "%s%s", line->name, options->separator);
}

static void csv_count(FILE *out, const struct options *options, const struct look *look,
		      const struct counts *all, int index)
{
	const struct event *event = &options->events.events[index];
	const struct counts *counts = &all[index];
	const char *separator = options->separator;
	char value[48];

	format_value(event, counts, value, sizeof(value));
	fprintf(out, "%s%s%s%s%s", counts->counted ? value : not_a_count(counts), separator,
		counts->counted ? unit_of(event) : "", separator, event->name);
	if (look->at < 0 && options->runs > 1)
		fprintf(out, "%s%.2f%%", separator, series_spread_percent(&counts->value));
	fprintf(out, "%s%.0f%s%.2f", separator,
		counts->value.n ? counts->running / counts->value.n : 0, separator,
		running_percent(counts));
	csv_metric(out, separator, stat_metric(&options->events, all, look->elapsed, index));
	fputc('\n', out);
}

/* Prints the columns of a line without a count. */
static void csv_named(FILE *out, const struct options *options, struct metric metric)
{
	for (int i = 0; i < 4; i++)
		fputs(options->separator, out);
	csv_metric(out, options->separator, metric);
	fputc('\n', out);
}

static void print_csv(FILE *out, const struct options *options, const struct result *result)
{
	struct look look = {result->counts, result->elapsed.mean, -1};
	struct verdict verdict;
	char words[VERDICT_LINE];

	judge(options, result, &verdict);
	verdict_line(&verdict, words);
	fprintf(out, "# PMU: %s\n# verdict: %s\n", pmu_line(), words);
	if (!options->interval)
		stat_lines(out, options, &result->targets, &look);
}

static void json_place(FILE *out, const struct options *options, const struct look *look,
		       const struct line *line)
{
	fputc('{', out);
	if (look->at >= 0)
		fprintf(out, "\"interval\" : %.9f, ", look->at);
	if (options->lines == LINES_CORE)
		fprintf(out, "\"core\" : \"%s\", \"aggregate-number\" : %d, ", line->name,
			line->places);
	else if (options->lines == LINES_CPU)
		fprintf(out, "\"cpu\" : \"%s\", ", line->name + strlen("CPU"));
}

static void json_count(FILE *out, const struct options *options, const struct look *look,
		       const struct counts *all, int index)
{
	const struct event *event = &options->events.events[index];
	const struct counts *counts = &all[index];
	struct metric metric = stat_metric(&options->events, all, look->elapsed, index);
	double value = counts->value.mean;
	bool clock = stat_is_clock(event);

	if (counts->counted)
		fprintf(out, "\"counter-value\" : \"%f\", ", clock ? value / 1e6 : value);
	else
		fprintf(out, "\"counter-value\" : \"%s\", ", not_a_count(counts));
	fprintf(out, "\"unit\" : \"%s\", \"event\" : ", counts->counted ? unit_of(event) : "");
	json_quoted(out, event->name);
	if (look->at < 0 && options->runs > 1)
		fprintf(out, ", \"variance\" : %.2f", series_spread_percent(&counts->value));
	fprintf(out, ", \"event-runtime\" : %.0f, \"pcnt-running\" : %.2f",
		counts->value.n ? counts->running / counts->value.n : 0, running_percent(counts));
	fprintf(out, ", \"metric-value\" : %f, \"metric-unit\" : \"%s\", \"class\" : \"%s\"}\n",
		metric.format ? metric.value : 0, metric.unit,
		event_class_name(counts->supported ? event->class : CLASS_UNKNOWN));
}

static void json_named(FILE *out, struct metric metric)
{
	fprintf(out, "\"metric-value\" : %f, \"metric-unit\" : \"%s\"}\n",
		metric.format ? metric.value : 0, metric.unit);
}

static void print_json(FILE *out, const struct options *options, const struct result *result)
{
	struct look look = {result->counts, result->elapsed.mean, -1};
	struct pmu_id pmu;
	struct verdict verdict;
	char words[VERDICT_LINE];

	pmu_identify(&pmu);
	fprintf(out, "{\"pmu\" : ");
	json_quoted(out, pmu.name);
	fprintf(out, ", \"emulated\" : %s, \"exact\" : %s", pmu.emulated ? "true" : "false",
		pmu.exact || !pmu.emulated ? "true" : "false");
	judge(options, result, &verdict);
	verdict_line(&verdict, words);
	fprintf(out, ", \"valid\" : %s, \"verdict\" : ", *verdict.reasons ? "false" : "true");
	json_quoted(out, words);
	fprintf(out, "}\n");
	if (!options->interval)
		stat_lines(out, options, &result->targets, &look);
}

/* Prints one event's count (index below the number of events), or one metric of -M. */
static void print_one(FILE *out, const struct options *options, const struct line *line,
		      const struct look *look, const struct counts *all, int index)
{
	int named = index - options->events.nr;
	struct metric metric = {0, NULL, ""};

	if (named >= 0)
		metric = metrics_value(options, all, named);
	else if (options->metric_only) {
		metric = stat_metric(&options->events, all, look->elapsed, index);
		if (!metric.format)
			return;
		named = 0; /* printed as one of -M, without the count */
	}
	if (options->format == STAT_JSON) {
		json_place(out, options, look, line);
		if (named >= 0)
			json_named(out, metric);
		else
			json_count(out, options, look, all, index);
	} else if (options->format == STAT_CSV) {
		print_time(out, look, options->separator);
		csv_place(out, options, line);
		if (named >= 0)
			csv_named(out, options, metric);
		else
			csv_count(out, options, look, all, index);
	} else {
		print_time(out, look, " ");
		table_place(out, options, line);
		if (named >= 0)
			table_named(out, metric);
		else
			table_count(out, options, look, all, index);
	}
}

void stat_lines(FILE *out, const struct options *options, const struct targets *targets,
		const struct look *look)
{
	for (int line = 0; line < targets->nr_lines; line++)
		for (int i = 0; i < options->events.nr + options->nr_metrics; i++)
			print_one(out, options, &targets->lines[line], look, look->counts[line], i);
}

void stat_interval_head(FILE *out, const struct options *options)
{
	static const char *const places[] = {
	    [LINES_ALL] = "", [LINES_CORE] = " core            cpus", [LINES_CPU] = " CPU        "};

	if (options->format == STAT_TABLE)
		fprintf(out, "#           time%s             counts unit events\n",
			places[options->lines]);
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
