/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of bench share. */
#ifndef APPS_BENCH_H
#define APPS_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "abi/ring0.h"
#include "apps/lib/bench_options.h"
#include "apps/lib/verdict.h"

#define MOST_COUNTERS 16 /* that are read in one run */

/* ---- bench.c ---- */

/* Says why in one line on stderr and exits with 125. */
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Returns `bytes` zeroed bytes, or dies. */
void *need_memory(size_t bytes);

/* ---- guard.c ---- */

/* Runs the function, which may run arbitrary code; returns its status. If the code ended the
 * program, prints one line and exits with 125; if a signal did, ends by that signal. */
int guard_run(int (*run)(void *data), void *data);
/* The program is about to end because it wants to. */
void guard_leave(void);

/* ---- areas.c: memory ---- */

/* Below 2 GiB, so that instructions can name any address in it; its pages are there, and may be
 * executed. */
void *low_memory(size_t bytes);

/* In huge pages of `page` bytes, whose pool root may enlarge; or dies. */
void *huge_memory(size_t bytes, uint64_t page);

#define AREA_BYTES (1ul << 20)
enum { AREA_R14, AREA_RDI, AREA_RSI, AREA_RBP, AREA_RSP, AREAS };

struct area {
	uint8_t *start;
	size_t bytes;
};
extern struct area areas[AREAS];

/* Maps them, once; dies when there is not so much. */
void areas_make(const struct bench_options *options);
/* Where the area's register points: its middle; of an aligned one its start. */
uint64_t areas_register(const struct bench_options *options, int area);
/* Flushes lines out of every cache. */
void flush_lines(const void *start, size_t bytes);

/* ---- object.c: relocatable object files and archives ---- */

/* Loads the file at `path` with all that the function needs of it; returns the function's address,
 * or dies. */
uint64_t object_load(const char *path, const char *function);
/* Whether the bytes begin an object file or an archive. */
bool object_is(const uint8_t *bytes, size_t size);

/* ---- code.c: what is executed ---- */

struct piece {
	uint8_t *bytes;
	size_t size;
};

/* A measurement, and its preparation. */
struct job {
	char label[64]; /* "X=3", "add r64, r64"; empty: the only one */
	struct piece code, init;
	uint64_t function;     /* called instead of `code`; 0: none */
	char *lines;           /* "OFFSET TEXT" a line: the source of code. NULL: not known */
	void (*prepare)(void); /* called before each run; NULL: nothing */
};

/* The code's own data; all its addresses are below 2 GiB. */
struct block {
	uint64_t stack, rax, rcx, rdx;
	uint64_t before[MOST_COUNTERS], after[MOST_COUNTERS];
};

struct harness {
	struct block *block;
	uint8_t *code, *end, *room_end; /* from the entry on */
	uint8_t *init, *body;           /* where these begin */
	uint64_t stack;                 /* ring 0's, its end */
};

/* Builds code that executes `job` unroll times, between two readings of the counters; it is a
 * C function without arguments. */
void harness_build(struct harness *harness, const struct bench_options *options,
		   const struct job *job, unsigned unroll, const uint32_t *counters, int nr);

/* ---- counters.c: the events of one run ---- */

struct counters {
	int first, nr; /* of the event list */
	int fd[MOST_COUNTERS];
	void *page[MOST_COUNTERS];     /* perf_event_mmap_page */
	uint32_t index[MOST_COUNTERS]; /* RDPMC's index */
	uint64_t mask[MOST_COUNTERS];  /* the counter's bits */
};

/* Whether this machine counts the event at all. */
bool counters_know(const struct bench_options *options, const struct event *event);
/* Opens as many events from `first` on as the PMU counts together, or dies. */
void counters_open(struct counters *counters, const struct bench_options *options,
		   const struct event_list *events, int first);
/* Says so when they did not have their counters all the time. */
void counters_judge(const struct counters *counters, struct verdict *verdict);
void counters_close(struct counters *counters);

/* ---- run.c: one run, in its ring ---- */

/* How a run ended otherwise than by its end. */
struct end {
	bool ended;
	struct ring0_call call;
};

void run_prepare(const struct bench_options *options);
/* Runs the harness once. In ring 0 repeats it if an interrupt ended it. */
void run_once(const struct bench_options *options, const struct harness *harness, struct end *end);
/* Whether all caches can be emptied at once; they are, if so. */
bool run_can_empty(void);
/* Empties what --flush and --cold name. */
void run_cool(const struct bench_options *options, const struct harness *harness);
/* MSR 1A4H: off and as it was. */
void prefetch_off(const struct bench_options *options);
void prefetch_back(void);

/* ---- measure.c ---- */

/* One event of one job, by instance of its code. */
struct figure {
	double value, low, high;
	int equal, runs; /* the runs with the most frequent count */
};

struct outcome {
	struct figure figures[EVENT_MAX];
	struct verdict verdict;
	int passes; /* runs were made so often, for more events than counters */
	bool failed;
	struct end end;
	size_t offset; /* of the failing instruction, if it is in the code */
	bool in_code, in_init;
};

/* Runs it as asked; the verdict has what came in between. */
void measure(const struct bench_options *options, const struct event_list *events,
	     const struct job *job, struct outcome *outcome);
/* The fewest equal runs of its `nr` events. */
int outcome_equal(const struct outcome *outcome, int nr);
/* Adds to its verdict how it was measured. */
void outcome_conclude(const struct bench_options *options, const struct event_list *events,
		      struct outcome *outcome);

/* ---- print.c ---- */

void print_begin(FILE *out, const struct bench_options *options, const struct event_list *events);
void print_outcome(FILE *out, const struct bench_options *options, const struct event_list *events,
		   const struct job *job, const struct outcome *outcome);

/* ---- bench.c: the host command's list ---- */

/* The next one of --jobs, to be freed; false at the end. */
bool jobs_next(const struct bench_options *options, struct job *job);
void job_free(struct job *job);

/* ---- suites.c ---- */

/* Runs the suite and prints what it found; returns the status to exit with. */
int suite_run(const struct bench_options *options);

#endif
