/* SPDX-License-Identifier: BSD-2-Clause */
/* report: prints the flat profile of a perf.data file: which functions the samples fell into. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apps/lib/perfdata.h"
#include "apps/lib/workload.h"
#include "apps/report/places.h"

/* Samples at one place: command, file, function. */
struct line {
	const char *command, *file, *function;
	char ring; /* 'k' or '.' as perf has it */
	uint64_t period, samples;
};

struct profile {
	struct line *lines;
	size_t nr, room;
	uint64_t period, samples, lost;
};

static void count_line(struct profile *profile, const struct line *found)
{
	struct line *line = profile->lines;

	profile->period += found->period;
	profile->samples++;
	for (; line < profile->lines + profile->nr; line++) {
		if (line->ring == found->ring && !strcmp(line->function, found->function) &&
		    !strcmp(line->file, found->file) && !strcmp(line->command, found->command)) {
			line->period += found->period;
			line->samples++;
			return;
		}
	}
	if (profile->nr == profile->room) {
		profile->room = profile->room ? profile->room * 2 : 64;
		profile->lines = realloc(profile->lines, profile->room * sizeof(*line));
		if (!profile->lines)
			exit(STATUS_OURS);
	}
	profile->lines[profile->nr] = *found;
	profile->lines[profile->nr++].samples = 1;
}

static void count_sample(struct profile *profile, const struct perfdata_reader *reader,
			 struct places *places, const struct perf_event_header *record)
{
	bool kernel = (record->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
	struct perfdata_sample sample;
	struct place place;

	perfdata_sample(reader, record, &sample);
	place = places_find(places, sample.pid, sample.ip, kernel);
	count_line(profile, &(struct line){place.command, place.file, place.function,
					   kernel ? 'k' : '.', sample.period, 1});
}

static void make_profile(struct profile *profile, const struct perfdata_reader *reader, int event)
{
	struct places *places = places_new();

	for (size_t i = 0; i < reader->nr_records; i++) {
		const struct perf_event_header *record = reader->records[i].header;

		if (record->type == PERF_RECORD_LOST)
			profile->lost += ((const uint64_t *)record)[2];
		if (record->type != PERF_RECORD_SAMPLE)
			places_learn(places, record);
		else if (perfdata_event_of(reader, record) == event)
			count_sample(profile, reader, places, record);
	}
}

static int by_period(const void *left, const void *right)
{
	const struct line *a = left, *b = right;

	if (a->period != b->period)
		return a->period > b->period ? -1 : 1;
	return strcmp(a->function, b->function);
}

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

static void print_profile(struct profile *profile, const struct perfdata_reader *reader, int event)
{
	int command = longest(profile, "Command", false),
	    file = longest(profile, "Shared Object", true);

	qsort(profile->lines, profile->nr, sizeof(*profile->lines), by_period);
	printf("# PMU: %s\n", perfdata_string(reader, PERFDATA_CPUDESC));
	printf("# Samples: %lu of event '%s'", (unsigned long)profile->samples,
	       perfdata_event_name(reader, event));
	if (profile->lost)
		printf(", %lu LOST", (unsigned long)profile->lost);
	printf("\n# Event count (approx.): %lu\n#\n", (unsigned long)profile->period);
	printf("# Overhead  Samples  %-*s  %-*s  Symbol\n", command, "Command", file,
	       "Shared Object");
	for (size_t i = 0; i < profile->nr; i++) {
		const struct line *line = &profile->lines[i];

		printf("%9.2f%%  %7lu  %-*s  %-*s  [%c] %s\n",
		       profile->period ? 100.0 * (double)line->period / (double)profile->period : 0,
		       (unsigned long)line->samples, command, line->command, file, line->file,
		       line->ring, line->function);
	}
	putchar('\n');
}

int main(int argc, char **argv)
{
	struct perfdata_reader reader;
	char error[EVENT_ERROR_SIZE];
	const char *path = "perf.data";
	int letter;

	while ((letter = getopt(argc, argv, "i:")) != -1) {
		if (letter != 'i') {
			fputs("usage: report [-i FILE]\n", stderr);
			return STATUS_OURS;
		}
		path = optarg;
	}
	if (perfdata_read(&reader, path, error)) {
		fprintf(stderr, "report: %s\n", error);
		return STATUS_OURS;
	}
	for (int event = 0; event < reader.nr_attrs; event++) {
		struct profile profile = {NULL, 0, 0, 0, 0, 0};

		make_profile(&profile, &reader, event);
		print_profile(&profile, &reader, event);
		free(profile.lines);
	}
	return fflush(stdout) ? STATUS_OURS : 0;
}
