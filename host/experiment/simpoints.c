/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads SimPoint's choice of intervals. Its format: SimPoint 3.2, README. */
#include "host/experiment/simpoints.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/lib/report.h"

enum { POINTS_MAX = 1000, LINE_SIZE = 256 };

#define ROUNDING 0.01 /* weights have six digits */

struct line {
	double value;
	unsigned long cluster;
};

/* Returns how many lines of a number and a cluster the file has. */
static size_t read_lines(const char *path, struct line *lines)
{
	FILE *file = fopen(path, "r");
	char text[LINE_SIZE];
	size_t nr = 0;

	if (!file)
		die(STATUS_OURS, "cannot read '%s': %s", path, strerror(errno));
	while (fgets(text, sizeof(text), file)) {
		char *end, *last;

		if (nr == POINTS_MAX)
			die(STATUS_OURS, "'%s': more than %d points", path, POINTS_MAX);
		lines[nr].value = strtod(text, &end);
		lines[nr].cluster = strtoul(end, &last, 10);
		if (end == text || last == end || *last != '\n' || !(lines[nr].value >= 0))
			die(STATUS_OURS, "'%s': line %zu is no number and cluster", path, nr + 1);
		nr++;
	}
	fclose(file);
	if (!nr)
		die(STATUS_OURS, "'%s' is empty", path);
	return nr;
}

static double weight_of(const char *path, const struct line *weights, size_t nr,
			unsigned long cluster)
{
	for (size_t i = 0; i < nr; i++)
		if (weights[i].cluster == cluster)
			return weights[i].value;
	die(STATUS_OURS, "'%s' has no weight for cluster %lu", path, cluster);
}

static int by_interval(const void *a, const void *b)
{
	const struct simpoint *x = a, *y = b;

	return (x->interval > y->interval) - (x->interval < y->interval);
}

struct simpoints *simpoints_read(const char *path, const char *weights_path)
{
	struct line *lines = calloc(POINTS_MAX, sizeof(*lines)),
		    *weights = calloc(POINTS_MAX, sizeof(*weights));
	struct simpoints *points = malloc(sizeof(*points) + POINTS_MAX * sizeof(points->at[0]));
	size_t nr_weights;
	double sum = 0;

	if (!lines || !weights || !points)
		die(STATUS_OURS, "out of memory");
	points->nr = read_lines(path, lines);
	nr_weights = read_lines(weights_path, weights);
	for (size_t i = 0; i < points->nr; i++) {
		points->at[i] = (struct simpoint){
		    (uint64_t)lines[i].value,
		    weight_of(weights_path, weights, nr_weights, lines[i].cluster)};
		sum += points->at[i].weight;
	}
	if (fabs(sum - 1) > ROUNDING)
		die(STATUS_OURS, "'%s': the points' weights are %g in all, not 1", weights_path,
		    sum);
	qsort(points->at, points->nr, sizeof(points->at[0]), by_interval);
	free(lines);
	free(weights);
	return points;
}

bool simpoints_weigh(const struct simpoints *points, json_t *statistics)
{
	json_t *counts = json_object_get(statistics, "points"), *point;
	size_t i;

	if (json_array_size(counts) != points->nr)
		return false;
	json_array_foreach(counts, i, point)
	{
		json_object_set_new(point, "interval",
				    json_integer((json_int_t)points->at[i].interval));
		json_object_set_new(point, "weight", json_real(points->at[i].weight));
	}
	return true;
}
