/* SPDX-License-Identifier: BSD-2-Clause */
/* The plugin's options for experiments. They come from the host command, which has checked them. */
#include "emulator/sim/experiment/options.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct experiment_options experiment_options;

static const struct number_option {
	const char *name;
	size_t offset;
} numbers[] = {
    {"skip=", offsetof(struct experiment_options, region.skip)},
    {"warm=", offsetof(struct experiment_options, region.warm_up)},
    {"measure=", offsetof(struct experiment_options, region.measure)},
    {"interval=", offsetof(struct experiment_options, region.interval)},
    {"function=", offsetof(struct experiment_options, region.function)},
    {"vector=", offsetof(struct experiment_options, vector)},
};

static const struct text_option {
	const char *name;
	size_t offset;
} texts[] = {
    {"stats=", offsetof(struct experiment_options, stats)},
    {"trace=", offsetof(struct experiment_options, trace)},
    {"vectors=", offsetof(struct experiment_options, vectors)},
};

static const char *const formats[] = {
    [TRACE_CHAMPSIM] = "format=champsim",
    [TRACE_BRANCHES] = "format=branches",
    [TRACE_BT9] = "format=bt9",
    [TRACE_TEXT] = "format=text",
};

static bool take_number(const char *word)
{
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		size_t length = strlen(numbers[i].name);

		if (strncmp(word, numbers[i].name, length))
			continue;
		*(uint64_t *)((char *)&experiment_options + numbers[i].offset) =
		    strtoull(word + length, NULL, 0);
		return true;
	}
	return false;
}

static bool take_text(const char *word)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		size_t length = strlen(texts[i].name);

		if (strncmp(word, texts[i].name, length))
			continue;
		*(const char **)((char *)&experiment_options + texts[i].offset) = word + length;
		return true;
	}
	return false;
}

/* points=INSTRUCTIONS[:INSTRUCTIONS...], ascending */
static bool take_points(const char *word)
{
	static const char name[] = "points=";
	struct region_config *region = &experiment_options.region;
	const char *at = word + sizeof(name) - 1;
	size_t nr = 1;
	char *end;

	if (strncmp(word, name, sizeof(name) - 1))
		return false;
	for (const char *c = at; *c; c++)
		nr += *c == ':';
	region->points = calloc(nr, sizeof(*region->points));
	for (; region->points && region->nr_points < nr; at = end + 1)
		region->points[region->nr_points++] = strtoull(at, &end, 10);
	return region->points;
}

bool experiment_option(const char *word)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (!strcmp(word, formats[i])) {
			experiment_options.format = (enum trace_format)i;
			return true;
		}
	if (!strcmp(word, "marks=on")) {
		experiment_options.region.by_marks = true;
		return true;
	}
	if (!strcmp(word, "reuse=on")) {
		experiment_options.reuse = true;
		return true;
	}
	if (!strcmp(word, "warm-all=on")) {
		experiment_options.region.warm_all = true;
		return true;
	}
	return take_points(word) || take_number(word) || take_text(word);
}

bool experiment_on(void)
{
	return experiment_options.stats || experiment_options.trace || experiment_options.vectors;
}
