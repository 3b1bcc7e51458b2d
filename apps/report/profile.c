/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts samples by command, file and function, with their callees and callers. */
#include "apps/report/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/lib/workload.h"
#include "apps/lib/xml.h"
#include "apps/report/hash.h"
#include "apps/report/memory.h"
#include "apps/report/names.h"
#include "apps/report/places/places.h"
#include "apps/report/tree.h"

static bool same_line(const struct line *a, const struct line *b)
{
	return a->ring == b->ring && !strcmp(a->function, b->function) &&
	       !strcmp(a->file, b->file) && !strcmp(a->command, b->command);
}

/* The slot of a line in the table of hashes: 1 + its index, 0: there is no such line yet. */
static uint32_t *slot_of(struct profile *profile, const struct line *line)
{
	uint64_t hash =
	    hash_text(hash_text(hash_text(HASH_BEGIN, line->function), line->file), line->command);
	size_t i = hash % (2 * profile->room);

	while (profile->slots[i] && !same_line(&profile->lines[profile->slots[i] - 1], line))
		i = (i + 1) % (2 * profile->room);
	return &profile->slots[i];
}

/* Doubles the room for lines and rebuilds their table. */
static void make_room(struct profile *profile)
{
	profile->room = profile->room ? profile->room * 2 : 64;
	profile->lines = report_grow(profile->lines, profile->room * sizeof(*profile->lines));
	profile->slots = report_grow(profile->slots, 2 * profile->room * sizeof(*profile->slots));
	memset(profile->slots, 0, 2 * profile->room * sizeof(*profile->slots));
	for (size_t i = 0; i < profile->nr; i++)
		*slot_of(profile, &profile->lines[i]) = (uint32_t)i + 1;
}

/* The line of the place, by the keys. Valid until the next call. */
static struct line *line_of(struct profile *profile, unsigned keys, struct place place, char ring)
{
	struct line wanted = {.command = keys & KEY_COMMAND ? place.command : "",
			      .file = keys & KEY_FILE ? place.file : "",
			      .function = keys & KEY_SYMBOL ? place.function : "",
			      .ring = keys & KEY_SYMBOL ? ring : ' '};
	uint32_t *slot;

	if (profile->nr == profile->room)
		make_room(profile);
	slot = slot_of(profile, &wanted);
	if (!*slot) {
		profile->lines[profile->nr] = wanted;
		*slot = (uint32_t)++profile->nr;
	}
	return &profile->lines[*slot - 1];
}

static void count_caller(struct line *line, const char *function, uint64_t period)
{
	size_t i = 0;

	while (i < line->nr_callers && strcmp(line->callers[i].function, function))
		i++;
	if (i == line->nr_callers) {
		line->callers = report_grow(line->callers, (i + 1) * sizeof(*line->callers));
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
	unsigned nr = frames_of(places, sample, kernel, frames);
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
	struct place place = places_find(places, sample->pid, sample->ip, kernel);
	struct line *line;

	profile->period += sample->period;
	profile->samples++;
	if (options->children || options->callers)
		count_chain(profile, places, sample, kernel, options);
	line = line_of(profile, options->keys, place, kernel ? 'k' : '.');
	line->period += sample->period;
	line->samples++;
	/* A precise sample's chain begins where the interrupt came, which may be another function.
	 */
	if (line->seen != profile->samples)
		line->children += sample->period;
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
	struct places *places = places_new(reader);
	uint64_t last[PERFDATA_MAX_IDS] = {0};
	struct perfdata_sample sample;

	for (size_t i = 0; i < reader->nr_records; i++) {
		const struct perf_event_header *record = reader->records[i].header;

		if (record->type == PERF_RECORD_LOST && record->size >= 3 * sizeof(uint64_t))
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
	free(profile->slots);
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

/* Writes a text of the file's to the terminal, without characters that control it, and fills up to
 * the width. */
static void print_text(const char *text, int width)
{
	for (; *text; width--) {
		unsigned bytes = xml_character(text);

		if (bytes)
			fwrite(text, 1, bytes, stdout);
		else
			putchar('?');
		text += bytes ? bytes : 1;
	}
	if (width > 0)
		printf("%*s", width, "");
}

static void print_callers(const struct profile *profile, struct line *line)
{
	if (line->nr_callers)
		qsort(line->callers, line->nr_callers, sizeof(*line->callers), callers_by_period);
	for (size_t i = 0; i < line->nr_callers; i++) {
		printf("%22.2f%%  from ", percent(profile, line->callers[i].period));
		print_text(line->callers[i].function, 0);
		putchar('\n');
	}
}

/* Prints the function last in its line; on a terminal it gets what is left of the width. */
static void print_symbol(const struct line *line, const struct table_options *options, int command,
			 int file)
{
	int used = 26 + (options->children ? 11 : 0) +
		   (options->keys & KEY_COMMAND ? command + 2 : 0) +
		   (options->keys & KEY_FILE ? file + 2 : 0);
	int left = options->width - used;
	char text[512];

	printf("  [%c] ", line->ring);
	if (options->width && left < (int)sizeof(text))
		print_text(name_cut(text, left > 20 ? (unsigned)left : 20, line->function), 0);
	else
		print_text(line->function, 0);
}

static void print_line(const struct profile *profile, const struct table_options *options,
		       const struct line *line, int command, int file)
{
	if (options->children)
		printf("%9.2f%% ", percent(profile, line->children));
	printf("%9.2f%%  %7lu", percent(profile, line->period), (unsigned long)line->samples);
	if (options->keys & KEY_COMMAND) {
		printf("  ");
		print_text(line->command, command);
	}
	if (options->keys & KEY_FILE) {
		printf("  ");
		print_text(line->file, file);
	}
	if (options->keys & KEY_SYMBOL)
		print_symbol(line, options, command, file);
	putchar('\n');
}

void profile_print(struct profile *profile, const struct perfdata_reader *reader, int event,
		   const struct table_options *options)
{
	int command = longest(profile, "Command", false),
	    file = longest(profile, "Shared Object", true);

	printf("# PMU: ");
	print_text(perfdata_string(reader, PERFDATA_CPUDESC), 0);
	printf("\n# Samples: %lu of event '", (unsigned long)profile->samples);
	print_text(perfdata_event_name(reader, event), 0);
	putchar('\'');
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
