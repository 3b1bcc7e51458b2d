/* SPDX-License-Identifier: BSD-2-Clause */
/* Statistics of the simulated core: ratios, and files for users. */
#include "host/experiment/statistics.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/experiment/function.h"
#include "host/experiment/simpoints.h"
#include "host/lib/report.h"
#include "host/lib/text.h"
#include "host/machine/link/results.h"
#include "host/options.h"

#define THOUSAND 1000.0

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), tail = strlen(end);

	return length >= tail && !strcmp(text + length - tail, end);
}

void statistics_check(const char *path)
{
	if (!ends_with(path, ".json") && !ends_with(path, ".csv") && !ends_with(path, ".txt"))
		die(STATUS_OURS, "--stats: '%s' does not end with .json, .csv or .txt", path);
}

/* ---- ratios ---- */

static double total(const json_t *statistics, const char *name);
static double grouped(const json_t *statistics, const char *group, const char *name);

/* Returns a number of SimPoint's points, each by its weight: as total(), or with a group as
 * grouped(). */
static double weighted(const json_t *points, const char *group, const char *name)
{
	const json_t *point;
	double sum = 0;
	size_t i;

	json_array_foreach(points, i, point)
	{
		sum += json_number_value(json_object_get(point, "weight")) *
		       (group ? grouped(point, group, name) : total(point, name));
	}
	return sum;
}

/* Returns a quantity of all processors and both rings. */
static double total(const json_t *statistics, const char *name)
{
	const json_t *points = json_object_get(statistics, "points");

	const json_t *processors = json_object_get(statistics, "processors"), *processor;
	double sum = 0;
	size_t i;

	if (points)
		return weighted(points, NULL, name);
	json_array_foreach(processors, i, processor)
	{
		sum += json_number_value(json_object_get(json_object_get(processor, "user"), name));
		sum +=
		    json_number_value(json_object_get(json_object_get(processor, "kernel"), name));
	}
	return sum;
}

/* Returns a number of a group, or of a group's level ("prefetch.l2"), of all processors. */
static double grouped(const json_t *statistics, const char *group, const char *name)
{
	const json_t *processors = json_object_get(statistics, "processors"), *processor;
	const json_t *points = json_object_get(statistics, "points");
	const char *dot = strchr(group, '.');
	double sum = 0;
	size_t i;

	if (points)
		return weighted(points, group, name);
	json_array_foreach(processors, i, processor)
	{
		const json_t *from =
		    dot ? json_object_get(json_object_get(processor, "prefetch"), dot + 1)
			: json_object_get(processor, group);

		sum += json_number_value(json_object_get(from, name));
	}
	return sum;
}

static double prefetches(const json_t *statistics, const char *level, const char *name)
{
	char group[32];

	snprintf(group, sizeof(group), "prefetch.%s", level);
	return grouped(statistics, group, name);
}

/* Ratios of two quantities. */
static const struct ratio {
	const char *name, *above, *below;
	double factor;
} ratios[] = {
    {"ipc", "instructions", "cycles", 1},
    {"branch-mpki", "mispredicted", "instructions", THOUSAND},
    {"conditional-mpki", "mispredicted-conditional", "instructions", THOUSAND},
    {"indirect-jump-mpki", "mispredicted-jumps-indirect", "instructions", THOUSAND},
    {"indirect-call-mpki", "mispredicted-calls-indirect", "instructions", THOUSAND},
    {"return-mpki", "mispredicted-returns", "instructions", THOUSAND},
    {"branch-miss-rate", "mispredicted", "branches", 1},
    {"l1i-mpki", "l1i-misses", "instructions", THOUSAND},
    {"l1d-load-mpki", "l1d-load-misses", "instructions", THOUSAND},
    {"l1d-store-mpki", "l1d-store-misses", "instructions", THOUSAND},
    {"l2-load-mpki", "l2-load-misses", "instructions", THOUSAND},
    {"last-load-mpki", "last-load-misses", "instructions", THOUSAND},
    {"last-mpki", "last-misses", "instructions", THOUSAND},
    {"dtlb-mpki", "dtlb-load-walks", "instructions", THOUSAND},
    {"itlb-mpki", "itlb-walks", "instructions", THOUSAND},
    {"mlp", "outstanding-l1d", "pending-cycles-l1d", 1},
    {"rob-occupancy", "rob-entries", "cycles", 1},
    {"load-buffer-occupancy", "load-entries", "cycles", 1},
    {"store-buffer-occupancy", "store-entries", "cycles", 1},
};

static void add_dram_ratios(const json_t *statistics, json_t *to)
{
	double reads = grouped(statistics, "dram", "reads"),
	       all = reads + grouped(statistics, "dram", "writes");

	if (all > 0)
		json_object_set_new(to, "dram-row-hit-rate",
				    json_real(grouped(statistics, "dram", "row-hits") / all));
	if (reads > 0)
		json_object_set_new(to, "dram-wait-cycles",
				    json_real(grouped(statistics, "dram", "wait-cycles") / reads));
}

static void add_prefetch_ratios(const json_t *statistics, json_t *to)
{
	static const char *const levels[] = {"l1i", "l1d", "l2", "l3", "tlb"};
	static const char *const misses[] = {"l1i-misses", "l1d-load-misses", "l2-load-misses",
					     "last-load-misses", "dtlb-load-walks"};

	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		double issued = prefetches(statistics, levels[i], "issued"),
		       useful = prefetches(statistics, levels[i], "useful"),
		       late = prefetches(statistics, levels[i], "late"),
		       missed = total(statistics, misses[i]);

		if (!issued)
			continue;
		json_object_set_new(to, format_text("%s-prefetch-accuracy", levels[i]),
				    json_real(useful / issued));
		if (useful + missed > 0)
			json_object_set_new(to, format_text("%s-prefetch-coverage", levels[i]),
					    json_real(useful / (useful + missed)));
		if (useful > 0)
			json_object_set_new(to, format_text("%s-prefetch-timeliness", levels[i]),
					    json_real(1 - late / useful));
	}
}

void statistics_add_ratios(json_t *statistics)
{
	json_t *to = json_object();

	for (size_t i = 0; i < sizeof(ratios) / sizeof(ratios[0]); i++) {
		double below = total(statistics, ratios[i].below);

		if (below > 0)
			json_object_set_new(to, ratios[i].name,
					    json_real(ratios[i].factor *
						      total(statistics, ratios[i].above) / below));
	}
	add_prefetch_ratios(statistics, to);
	add_dram_ratios(statistics, to);
	json_object_set_new(statistics, "ratios", to);
}

double statistics_ratio(const json_t *statistics, const char *name)
{
	const json_t *value = json_object_get(json_object_get(statistics, "ratios"), name);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

/* ---- reading ---- */

json_t *statistics_read(const char *path)
{
	json_error_t error;
	json_t *statistics = json_load_file(path, 0, &error);

	if (!statistics)
		die(STATUS_OURS, "'%s': %s", path, error.text);
	if (!json_is_array(json_object_get(statistics, "processors")) ||
	    !json_is_object(json_object_get(statistics, "ratios")))
		die(STATUS_OURS, "'%s' has no statistics of `run --stats`", path);
	return statistics;
}

/* Names the branches of the program. */
static void add_names(const struct options *options, json_t *statistics)
{
	const json_t *processors = json_object_get(statistics, "processors");
	json_t *processor, *branch;
	size_t i, j;

	json_array_foreach(processors, i, processor)
	{
		json_array_foreach(json_object_get(processor, "branches"), j, branch)
		{
			const char *pc = json_string_value(json_object_get(branch, "pc"));
			char *name = pc ? function_at(options, strtoull(pc, NULL, 16)) : NULL;

			if (name)
				json_object_set_new(branch, "name", json_string(name));
			free(name);
		}
	}
}

/* Adds the command and the region, so that a file is complete by itself. */
static void add_command(const struct options *options, json_t *statistics)
{
	const struct experiment_request *r = &options->experiment;
	json_t *command = json_array(), *region = json_object();

	for (char **word = options->program; *word; word++)
		json_array_append_new(command, json_string(*word));
	json_object_set_new(statistics, "command", command);
	json_object_set_new(region, "skip", json_integer((json_int_t)r->skip));
	if (r->warm_all)
		json_object_set_new(region, "warm-up", json_string("all"));
	else
		json_object_set_new(region, "warm-up", json_integer((json_int_t)r->warm_up));
	json_object_set_new(region, "measure", json_integer((json_int_t)r->measure));
	json_object_set_new(region, "interval", json_integer((json_int_t)r->interval));
	if (r->points)
		json_object_set_new(region, "simpoints", json_string(r->simpoints));
	if (r->roi)
		json_object_set_new(region, "roi", json_string(r->roi));
	json_object_set_new(statistics, "region", region);
}

void statistics_finish(const struct options *options, int fd, const char *path)
{
	json_error_t error;
	json_t *statistics;

	lseek(fd, 0, SEEK_SET);
	statistics = json_loadfd(fd, 0, &error);
	if (!statistics)
		die(STATUS_OURS, "the simulator left no statistics: %s", error.text);
	add_command(options, statistics);
	add_names(options, statistics);
	if (options->experiment.points && !simpoints_weigh(options->experiment.points, statistics))
		die(STATUS_OURS, "the program ended before the last point of '%s'",
		    options->experiment.simpoints);
	statistics_add_ratios(statistics);
	statistics_write(statistics, path);
	json_decref(statistics);
}

/* ---- writing ---- */

/* A way to write one value. */
typedef void write_value(FILE *file, const char *name, const json_t *value);

static void write_column(FILE *file, const char *name, const json_t *value)
{
	if (json_is_integer(value))
		fprintf(file, "%s,%lld\n", name, (long long)json_integer_value(value));
	else if (json_is_real(value))
		fprintf(file, "%s,%.6f\n", name, json_real_value(value));
	else
		fprintf(file, "%s,\"%s\"\n", name, json_string_value(value));
}

static void write_line(FILE *file, const char *name, const json_t *value)
{
	if (json_is_integer(value))
		fprintf(file, "%16lld  %s\n", (long long)json_integer_value(value), name);
	else if (json_is_real(value))
		fprintf(file, "%16.6f  %s\n", json_real_value(value), name);
	else
		fprintf(file, "%16s  %s\n", json_string_value(value), name);
}

/* Writes every value below `value`, by the path of its names. */
static void write_below(FILE *file, write_value *write, const char *name, const json_t *value)
{
	const char *key;
	const json_t *part;
	size_t i;

	if (json_is_object(value)) {
		json_object_foreach((json_t *)value, key, part)
		{
			char *path =
			    *name ? format_text("%s.%s", name, key) : format_text("%s", key);

			write_below(file, write, path, part);
			free(path);
		}
	} else if (json_is_array(value)) {
		json_array_foreach(value, i, part)
		{
			char *path = format_text("%s.%zu", name, i);

			write_below(file, write, path, part);
			free(path);
		}
	} else {
		write(file, name, value);
	}
}

void statistics_write(const json_t *statistics, const char *path)
{
	FILE *file = results_open(path);
	bool good = file;

	if (file && ends_with(path, ".json"))
		good = !json_dumpf(statistics, file, JSON_INDENT(1) | JSON_REAL_PRECISION(9)) &&
		       fputc('\n', file) != EOF;
	else if (file && ends_with(path, ".csv"))
		write_below(file, write_column, "", statistics);
	else if (file)
		write_below(file, write_line, "", statistics);
	if (!file || !good || !results_close(file))
		die(STATUS_OURS, "cannot write '%s': %s", path, strerror(errno));
}
