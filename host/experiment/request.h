/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of experiments: statistics of the simulated core, a region of the program, a
 * trace. */
#ifndef HOST_EXPERIMENT_REQUEST_H
#define HOST_EXPERIMENT_REQUEST_H

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>

struct options;

enum {
	EXPERIMENT_OPTION_FIRST = 2000,
	EXPERIMENT_STATS = EXPERIMENT_OPTION_FIRST,
	EXPERIMENT_SKIP,
	EXPERIMENT_WARM,
	EXPERIMENT_MEASURE,
	EXPERIMENT_INTERVAL,
	EXPERIMENT_ROI,
	EXPERIMENT_BBV,
	EXPERIMENT_SIMPOINTS,
	EXPERIMENT_WEIGHTS,
	EXPERIMENT_REUSE,
	EXPERIMENT_TRACE,
	EXPERIMENT_FORMAT,
	EXPERIMENT_DUMP,
	EXPERIMENT_OPTION_LAST
};

struct experiment_request {
	const char *stats; /* a host path; NULL: none */
	const char *plot;  /* of the intervals */
	uint64_t skip, warm_up, measure, interval;
	bool warm_all;
	bool reuse; /* the statistics have reuse distances */
	/* SimPoint's files: numbers of intervals of `point` instructions, and their weights. */
	const char *simpoints, *weights;
	struct simpoints *points; /* the contents of both */
	uint64_t point;           /* instructions of an interval */
	bool dump;                /* print the core, and run nothing */
	const char *roi;          /* "marks" or a function's name; NULL: the whole program */
	const char *bbv;          /* a host path */
	uint64_t vector;
	const char *trace; /* a host path */
	const char *format;
	/* Descriptors that QEMU inherits; 0: not opened. */
	int stats_fd, trace_fd, bbv_fd;
	int packer; /* the process that packs the trace; 0: none */
};

/* The long options of `run`. */
extern const struct option experiment_long_options[];

/* Takes one option; ends the command on a bad value. */
void experiment_take(struct options *options, int option, const char *argument);

/* True if the simulated core must write something. */
bool experiment_wanted(const struct experiment_request *request);

/* True if the program's own marks begin and end the region. */
bool experiment_by_marks(const struct experiment_request *request);

/* Checks that the options go together, and opens the files. Ends the command on an error. */
void experiment_prepare(struct options *options);

/* Returns the plugin's options, each with a comma before it. */
char *experiment_words(const struct options *options);

/* After the machine: writes the statistics, and waits for the packer. */
void experiment_finish(const struct options *options);

#endif
