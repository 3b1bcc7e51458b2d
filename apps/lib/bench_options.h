/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of `bench`, which the host command checks before it starts a machine for them. */
#ifndef APPS_LIB_BENCH_OPTIONS_H
#define APPS_LIB_BENCH_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>

#include "apps/lib/event/event.h"

enum bench_aggregate { BENCH_MEDIAN, BENCH_MINIMUM, BENCH_MEAN };
enum bench_format { BENCH_TABLE, BENCH_CSV, BENCH_JSON };

/* The structures that are emptied before each run. */
enum bench_cold {
	BENCH_COLD_CODE = 1 << 0,
	BENCH_COLD_DATA = 1 << 1,
	BENCH_COLD_TLB = 1 << 2,
	BENCH_COLD_BRANCHES = 1 << 3,
};

#define BENCH_LIBRARIES  8
#define BENCH_POINTS_MAX 4096 /* of a sweep */
#define BENCH_MEMORY     (1ul << 20)
#define BENCH_EVENTS     "cycles,instructions"

struct bench_options {
	const char *assembly, *init;     /* --asm, --init: text or @FILE. NULL: none */
	const char *code, *init_code;    /* --code FILE, --init-code FILE */
	const char *function;            /* --call */
	const char *jobs;                /* --jobs FILE: what the host command has assembled */
	const char *suite;               /* the word after the options */
	int ring;                        /* 0 or 3 */
	int unroll, loop, warm_up, runs; /* loop 0: none */
	int cpu;                         /* -1: where it runs */
	enum bench_aggregate aggregate;
	bool basic; /* no subtraction */
	const char *events;
	uint64_t memory; /* bytes of R14's area, of a suite's memory; 0: as much as usual */
	bool aligned;
	uint64_t huge; /* bytes of the pages of that area; 0: small ones */
	bool flush, prefetch_off;
	int harness_offset; /* of the harness's data in its page, in bytes */
	bool verbose;       /* -v, which the host command passes on */
	const char
	    *list;   /* of the suite instructions: all, or a file of forms; NULL: the usual ones */
	bool energy; /* also joules */
	bool ticks;  /* also the time-stamp counter */
	const char *ports; /* of the suite instructions: "p0=EVENT,p1=EVENT"; NULL: none */
	const char *libraries[BENCH_LIBRARIES]; /* archives that code may need */
	int nr_libraries;
	unsigned cold;     /* enum bench_cold */
	char variable[32]; /* of --range; empty: none */
	long first, last, step;
	enum bench_format format;
	const char *plot; /* an SVG file. NULL: none */
	uint64_t given;   /* a bit of each option that was named, from BENCH_OPTION_FIRST on */
};

/* The first value of the long options for getopt_long(). */
#define BENCH_OPTION_FIRST 512
/* The long options, ended by a NULL name. */
extern const struct option bench_long_options[];

/* Sets the defaults. */
void bench_defaults(struct bench_options *options);
/* Parses one option. Returns 0, or -1 with one line in `error` (EVENT_ERROR_SIZE bytes). */
int bench_take(struct bench_options *options, int option, const char *argument, char *error);
/* Checks that the options agree. Returns as bench_take(). */
int bench_check(const struct bench_options *options, char *error);
/* Returns the number of points of the sweep; 1 without a sweep. */
int bench_points(const struct bench_options *options);

/* The names of the suites, ended by NULL. */
extern const char *const bench_suites[];

#endif
