/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts samples by command, file and function, with their callees and callers. */
#include "apps/report/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/lib/workload.h"
#include "apps/report/places.h"
#include "apps/report/tree.h"

static void *grown(void *memory, size_t bytes)
{
	memory = realloc(memory, bytes);
	if (memory)
		return memory;
	fputs("report: out of memory\n", stderr);
	exit(STATUS_OURS);
}

/* Returns the line of the place, by the keys. Valid until the next call. */
static struct line *line_of(struct profile *profile, unsigned keys, struct place place, char ring)
{
	struct line wanted = {.command = keys & KEY_COMMAND ? place.command : "",
			      .file = keys & KEY_FILE ? place.file : "",
			      .function = keys & KEY_SYMBOL ? place.function : "",
			      .ring = keys & KEY_SYMBOL ? ring : ' '};

	for (struct line *line = profile->lines; line < profile->lines + profile->nr; line++)
		if (line->ring == wanted.ring && !strcmp(line->function, wanted.function) &&
		    !strcmp(line->file, wanted.file) && !strcmp(line->command, wanted.command))
			return line;
	if (profile->nr == profile->room) {
		profile->room = profile->room ? profile->room * 2 : 64;
		profile->lines = grown(profile->lines, profile->room * sizeof(wanted));
	}
	profile->lines[profile->nr] = wanted;
	return &profile->lines[profile->nr++];
}

static void count_caller(struct line *line, const char *function, uint64_t period)
{
	size_t i = 0;

	while (i < line->nr_callers && strcmp(line->callers[i].function, function))
		i++;
	if (i == line->nr_callers) {
		line->callers = grown(line->callers, (i + 1) * sizeof(*line->callers));
		line->callers[line->nr_callers++] = (struct caller){function, 0};
	}
	line->callers[i].period += period;
}

/* Counts a call chain: a function once, however often it is in the chain. */
static void count_chain(struct profile *profile, struct places *places,
			const struct perfdata_sample *sample, bool kernel,
			const struct table_options *options)
{
	struct frame frames[MOST_FRAMES];
	unsigned nr = frames_of(sample, kernel, frames);
	struct place place, next = {0};

	for (unsigned i = 0; i < nr; i++) {
		struct line *line;

		place = i ? next : places_find(places, sample->pid, frames[0].ip, frames[0].kernel);
		if (i + 1 < nr)
			next = places_find(places, sample->pid, frames[i + 1].ip - 1,
					   frames[i + 1].kernel);
		line = line_of(profile, options->keys, place, frames[i].kernel ? 'k' : '.');
		if (line->seen == profile->samples)
			continue;
		line->seen = profile->samples;
		line->children += sample->period;
		if (i + 1 < nr)
			count_caller(line, next.function, sample->period);
	}
}

static void count_sample(struct profile *profile, struct places *places,
			 const struct perf_event_header *record,
			 const struct perfdata_sample *sample, const struct table_options *options)
{
	bool kernel = (record->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
	struct line *line;

	profile->period += sample->period;
	profile->samples++;
	line = line_of(profile, options->keys, places_find(places, sample->pid, sample->ip, kernel),
		       kernel ? 'k' : '.');
	line->period += sample->period;
	line->samples++;
	if (options->children || options->callers)
		count_chain(profile, places, sample, kernel, options);
}

/* Returns how many events of `event` the sample represents: its period or, if it contains its
 * group's counts, the increase since the previous sample (in `last`). 0: no event of this kind. */
static uint64_t period_for(const struct perfdata_reader *reader,
			   const struct perf_event_header *record, int event, uint64_t period,
			   uint64_t last[PERFDATA_MAX_IDS])
{
	uint64_t which, value, since;

	if (!perfdata_count(reader, record, event, &which, &value))
		return perfdata_event_of(reader, record) == event ? period : 0;
	since = value - last[which];
	last[which] = value;
	return since;
}

static int compare(uint64_t a, uint64_t b)
{
	return a == b ? 0 : a > b ? -1 : 1;
}

/* Sorts by period; without call chains the first key is always 0. */
static int by_period(const void *left, const void *right)
{
	const struct line *a = left, *b = right;
	int order = compare(a->children, b->children);

	order = order ? order : compare(a->period, b->period);
	return order ? order : strcmp(a->function, b->function);
}

static int by_own_period(const void *left, const void *right)
{
	const struct line *a = left, *b = right;
	int order = compare(a->period, b->period);

	return order ? order : strcmp(a->function, b->function);
}

static int callers_by_period(const void *left, const void *right)
{
	const struct caller *a = left, *b = right;
	int order = compare(a->period, b->period);

	return order ? order : strcmp(a->function, b->function);
}

void profile_make(struct profile *profile, const struct perfdata_reader *reader, int event,
		  const struct table_options *options)
{
	struct places *places = places_new();
	uint64_t last[PERFDATA_MAX_IDS] = {0};
	struct perfdata_sample sample;

	for (size_t i = 0; i < reader->nr_records; i++) {
		const struct perf_event_header *record = reader->records[i].header;

		if (record->type == PERF_RECORD_LOST)
			profile->lost += ((const uint64_t *)record)[2];
		if (record->type != PERF_RECORD_SAMPLE) {
			places_learn(places, record);
			continue;
		}
		perfdata_sample(reader, record, &sample);
		sample.period = period_for(reader, record, event, sample.period, last);
		if (sample.period)
			count_sample(profile, places, record, &sample, options);
	}
	qsort(profile->lines, profile->nr, sizeof(*profile->lines),
	      options->children ? by_period : by_own_period);
}

void profile_free(struct profile *profile)
{
	for (size_t i = 0; i < profile->nr; i++)
		free(profile->lines[i].callers);
	free(profile->lines);
}

/* ---- the table ---- */

static int longest(const struct profile *profile, const char *heading, bool file)
{
	size_t width = strlen(heading);

	for (size_t i = 0; i < profile->nr; i++) {
		size_t length = strlen(file ? profile->lines[i].file : profile->lines[i].command);

		if (length > width)
			width = length;
	}
	return (int)width;
}

static double percent(const struct profile *profile, uint64_t period)
{
	return profile->period ? 100.0 * (double)period / (double)profile->period : 0;
}

static void print_callers(const struct profile *profile, struct line *line)
{
	if (line->nr_callers)
		qsort(line->callers, line->nr_callers, sizeof(*line->callers), callers_by_period);
	for (size_t i = 0; i < line->nr_callers; i++)
		printf("%22.2f%%  from %s\n", percent(profile, line->callers[i].period),
		       line->callers[i].function);
}

static void print_line(const struct profile *profile, const struct table_options *options,
		       const struct line *line, int command, int file)
{
	if (options->children)
		printf("%9.2f%% ", percent(profile, line->children));
	printf("%9.2f%%  %7lu", percent(profile, line->period), (unsigned long)line->samples);
	if (options->keys & KEY_COMMAND)
		printf("  %-*s", command, line->command);
	if (options->keys & KEY_FILE)
		printf("  %-*s", file, line->file);
	if (options->keys & KEY_SYMBOL)
		printf("  [%c] %s", line->ring, line->function);
	putchar('\n');
}

void profile_print(struct profile *profile, const struct perfdata_reader *reader, int event,
		   const struct table_options *options)
{
	int command = longest(profile, "Command", false),
	    file = longest(profile, "Shared Object", true);

	printf("# PMU: %s\n", perfdata_string(reader, PERFDATA_CPUDESC));
	printf("# Samples: %lu of event '%s'", (unsigned long)profile->samples,
	       perfdata_event_name(reader, event));
	if (profile->lost)
		printf(", %lu LOST", (unsigned long)profile->lost);
	printf("\n# Event count (approx.): %lu\n#\n", (unsigned long)profile->period);
	printf("#%s  Samples", options->children ? "  Children       Self" : " Overhead");
	if (options->keys & KEY_COMMAND)
		printf("  %-*s", command, "Command");
	if (options->keys & KEY_FILE)
		printf("  %-*s", file, "Shared Object");
	printf("%s\n", options->keys & KEY_SYMBOL ? "  Symbol" : "");
	for (size_t i = 0; i < profile->nr; i++) {
		struct line *line = &profile->lines[i];

		print_line(profile, options, line, command, file);
		if (options->callers)
			print_callers(profile, line);
	}
	putchar('\n');
}
