/* SPDX-License-Identifier: BSD-2-Clause */
/* The flat profile: the number of events in each function, and its table. */
#ifndef APPS_REPORT_PROFILE_H
#define APPS_REPORT_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apps/lib/perfdata/perfdata.h"

/* The fields that distinguish lines. */
enum { KEY_COMMAND = 1, KEY_FILE = 2, KEY_SYMBOL = 4, KEY_ALL = 7 };

struct table_options {
	unsigned keys;
	bool children; /* including callees */
	bool callers;
	int width; /* columns of the terminal, which cut names; 0: names stay whole */
};

/* A caller of the line's function. */
struct caller {
	const char *function;
	uint64_t period;
};

/* Samples with equal command, file and function; "" for a field that is no key. */
struct line {
	const char *command, *file, *function;
	char ring; /* 'k' or '.' as perf has it */
	uint64_t period, samples;
	uint64_t children; /* events in it and in what it called */
	uint64_t seen;     /* by which sample it was counted there last: once in each */
	struct caller *callers;
	size_t nr_callers;
};

struct profile {
	struct line *lines; /* the largest first */
	size_t nr, room;
	uint32_t *slots; /* 2 * room: the lines by hash, 1 + index */
	uint64_t period, samples, lost;
};

/* Counts the samples of event `event` (an index of attrs) into an empty profile. */
void profile_make(struct profile *profile, const struct perfdata_reader *reader, int event,
		  const struct table_options *options);
/* Prints the profile as perf report --stdio does. */
void profile_print(struct profile *profile, const struct perfdata_reader *reader, int event,
		   const struct table_options *options);
void profile_free(struct profile *profile);

#endif
