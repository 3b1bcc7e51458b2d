/* SPDX-License-Identifier: BSD-2-Clause */
/* report: the profile of a perf.data file: which functions the samples fell into, as a table, a
 * flame graph or a page. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apps/lib/perfdata.h"
#include "apps/lib/workload.h"
#include "apps/report/flame.h"
#include "apps/report/page.h"
#include "apps/report/places.h"
#include "apps/report/profile.h"

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

struct options {
	const char *path, *flame, *html, *compare;
};

static const char usage_text[] =
    "usage: report [-i FILE] [--flame FILE.svg [--diff OLD]] [--html FILE.html] [--stdio] [FILE]\n"
    "  --flame FILE.svg   a flame graph that can be searched and zoomed\n"
    "  --diff OLD         red has grown since the profile OLD, blue has shrunk\n"
    "  --html FILE.html   one page: table, flame graph, samples over time, hottest addresses\n";

static FILE *create(const char *path)
{
	FILE *file = fopen(path, "we");

	if (file)
		return file;
	fprintf(stderr, "report: cannot write '%s': %s\n", path, strerror(errno));
	exit(STATUS_OURS);
}

static void finish(FILE *file, const char *path)
{
	if (!fclose(file))
		return;
	fprintf(stderr, "report: cannot write '%s': %s\n", path, strerror(errno));
	exit(STATUS_OURS);
}

static void open_profile(struct perfdata_reader *reader, const char *path)
{
	char error[EVENT_ERROR_SIZE];

	if (!perfdata_read(reader, path, error))
		return;
	fprintf(stderr, "report: %s\n", error);
	exit(STATUS_OURS);
}

/* The first event of the file; of the old one the event at the same place. */
static void write_flame(const struct options *options, const struct perfdata_reader *reader)
{
	struct node root = {.name = "all", .ring = '.'};
	struct perfdata_reader old;
	FILE *out = create(options->flame);
	char title[256];

	tree_add(&root, reader, 0, false);
	if (options->compare) {
		open_profile(&old, options->compare);
		tree_add(&root, &old, 0, true);
	}
	snprintf(title, sizeof(title), "%s%s, %s",
		 options->compare ? "red has grown, blue has shrunk: " : "",
		 perfdata_event_name(reader, 0), perfdata_string(reader, PERFDATA_CPUDESC));
	flame_write(out, &root, title, options->compare != NULL);
	finish(out, options->flame);
}

static void write_page(const struct options *options, const struct perfdata_reader *reader)
{
	struct profile profile = {NULL, 0, 0, 0, 0, 0};
	FILE *out = create(options->html);

	make_profile(&profile, reader, 0);
	qsort(profile.lines, profile.nr, sizeof(*profile.lines), by_period);
	page_write(out, reader, 0, &profile);
	finish(out, options->html);
	free(profile.lines);
}

static int usage(FILE *out, int status)
{
	fputs(usage_text, out);
	return status;
}

static int parse(struct options *options, int argc, char **argv)
{
	static const struct option longs[] = {
	    {"flame", required_argument, NULL, 'f'}, {"html", required_argument, NULL, 'H'},
	    {"diff", required_argument, NULL, 'd'},  {"stdio", no_argument, NULL, 's'},
	    {"help", no_argument, NULL, 'h'},        {NULL, 0, NULL, 0}};
	int letter;

	*options = (struct options){.path = "perf.data"};
	while ((letter = getopt_long(argc, argv, "i:", longs, NULL)) != -1) {
		const char **to = letter == 'i'   ? &options->path
				  : letter == 'f' ? &options->flame
				  : letter == 'H' ? &options->html
				  : letter == 'd' ? &options->compare
						  : NULL;

		if (letter == 'h')
			exit(usage(stdout, 0));
		if (!to && letter != 's')
			return usage(stderr, STATUS_OURS);
		if (to)
			*to = optarg;
	}
	if (argv[optind])
		options->path = argv[optind];
	if (options->compare && !options->flame) {
		fputs("report: --diff wants --flame FILE.svg\n", stderr);
		return STATUS_OURS;
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct perfdata_reader reader;
	struct options options;
	int status = parse(&options, argc, argv);

	if (status)
		return status;
	open_profile(&reader, options.path);
	if (options.flame)
		write_flame(&options, &reader);
	if (options.html)
		write_page(&options, &reader);
	for (int event = 0; !options.flame && !options.html && event < reader.nr_attrs; event++) {
		struct profile profile = {NULL, 0, 0, 0, 0, 0};

		make_profile(&profile, &reader, event);
		print_profile(&profile, &reader, event);
		free(profile.lines);
	}
	return fflush(stdout) ? STATUS_OURS : 0;
}
