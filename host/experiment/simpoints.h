/* SPDX-License-Identifier: BSD-2-Clause */
/* The intervals that SimPoint has chosen, and their weights. */
#ifndef HOST_EXPERIMENT_SIMPOINTS_H
#define HOST_EXPERIMENT_SIMPOINTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct simpoint {
	uint64_t interval; /* its number, from 0 on */
	double weight;     /* of all instructions */
};

struct simpoints {
	size_t nr;
	struct simpoint at[]; /* in order of intervals */
};

/* Reads the files of SimPoint's -saveSimpoints and -saveSimpointWeights: lines of an interval, or a
 * weight, and the number of its cluster. Ends the command on an error. */
struct simpoints *simpoints_read(const char *points, const char *weights);

/* Adds each point's weight to its counts in the statistics, which must be as many. Returns false
 * if they are not: the program ended before. */
bool simpoints_weigh(const struct simpoints *points, json_t *statistics);

#endif
