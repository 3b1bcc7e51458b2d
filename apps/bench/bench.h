/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared interface of the files of bench. */
#ifndef APPS_BENCH_H
#define APPS_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "abi/ring0.h"
#include "apps/lib/bench_options.h"
#include "apps/lib/verdict.h"

#define MOST_COUNTERS 16         /* that are read in one run */
#define COUNTER_TSC   UINT32_MAX /* in place of RDPMC's index: the time-stamp counter */

/* ---- bench.c ---- */

/* Prints the reason in one line on stderr and exits with 125. */
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Returns `bytes` zeroed bytes, or dies. */
void *need_memory(size_t bytes);

/* ---- guard.c ---- */

/* Runs the function, which may run arbitrary code; returns its status. If the code ended the
 * program, prints one line and exits with 125; if a signal did, ends by that signal. */
int guard_run(int (*run)(void *data), void *data);
/* Marks a regular exit of the program, for the exit handler. */
void guard_leave(void);

/* ---- areas.c: memory ---- */

/* Returns memory below 2 GiB, so that instructions can use 32-bit addresses. All pages are mapped
 * and executable. */
void *low_memory(size_t bytes);

/* Returns memory in huge pages of `page` bytes, whose pool root may enlarge, or exits. */
void *huge_memory(size_t bytes, uint64_t page);

#define AREA_BYTES (1ul << 20)
enum { AREA_R14, AREA_RDI, AREA_RSI, AREA_RBP, AREA_RSP, AREAS };

struct area {
	uint8_t *start;
	size_t bytes;
};
extern struct area areas[AREAS];

/* Maps the areas, once; exits when memory is short. */
void areas_make(const struct bench_options *options);
/* Returns the value of the area's register: its middle, or the start of an aligned area. */
uint64_t areas_register(const struct bench_options *options, int area);
/* Flushes lines from every cache. */
void flush_lines(const void *start, size_t bytes);

/* ---- object.c: relocatable object files and archives ---- */

/* Loads the object file at `path` with all sections that the function of the options needs, also
 * from their libraries. Returns the function's address, or exits. */
uint64_t object_load(const struct bench_options *options, const char *path);
/* True when the bytes begin an object file or an archive. */
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

/* The data of the generated code, at addresses below 2 GiB. */
struct block {
	uint64_t stack, rax, rcx, rdx;
	struct {
		uint64_t before, after;
	} counts[MOST_COUNTERS];
};

struct harness {
	struct block *block;
	uint8_t *code, *end, *room_end; /* from the entry on */
	uint8_t *init, *body;           /* where these begin */
	uint8_t *readings[2][2]; /* begin and end of the reading before the body, and after */
	uint8_t *branch;         /* that of --loop; NULL: none */
	uint64_t stack;          /* ring 0's, its end */
};

/* Generates a C function without arguments that executes `job` unroll times between two readings of
 * the counters. */
void harness_build(struct harness *harness, const struct bench_options *options,
		   const struct job *job, unsigned unroll, const uint32_t *counters, int nr);

/* ---- place.c ---- */

/* Prints on stderr which cache sets and branch addresses the harness uses between the readings of
 * `nr` counters. */
void place_print(const struct job *job, const struct harness *harness, int nr);

/* ---- counters.c: the events of one run ---- */

struct counters {
	int first, nr; /* of the event list */
	int fd[MOST_COUNTERS];
	void *page[MOST_COUNTERS];     /* perf_event_mmap_page */
	uint32_t index[MOST_COUNTERS]; /* RDPMC's index */
	uint64_t mask[MOST_COUNTERS];  /* the counter's bits */
};

/* True when this machine can count the event. */
bool counters_know(const struct bench_options *options, const struct event *event);
/* Opens as many events from `first` on as the PMU counts together, or exits. */
void counters_open(struct counters *counters, const struct bench_options *options,
		   const struct event_list *events, int first);
/* Adds a reason to the verdict if the events did not have their counters all the time. */
void counters_judge(const struct counters *counters, struct verdict *verdict);
void counters_close(struct counters *counters);

/* ---- run.c: one run, in its ring ---- */

/* How a run ended before the end of the code. */
struct end {
	bool ended;
	struct ring0_call call;
};

void run_prepare(const struct bench_options *options);
/* Runs the harness once. In ring 0 repeats it if an interrupt ended it. */
void run_once(const struct bench_options *options, const struct harness *harness, struct end *end);
/* True when all caches can be emptied at once; then they are empty. */
bool run_can_empty(void);
/* Empties the caches and predictors of --flush and --cold. */
void run_cool(const struct bench_options *options, const struct harness *harness);
/* Turns the prefetchers off by MSR 1A4H, and restores it. */
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
	struct figure ticks; /* --tsc: of an instance */
	double joules;       /* --energy: of an instance */
	int passes;          /* runs were made so often, for more events than counters */
	bool failed;
	struct end end;
	size_t offset; /* of the failing instruction, if it is in the code */
	bool in_code, in_init;
};

/* Runs the job; the verdict has the disturbances. */
void measure(const struct bench_options *options, const struct event_list *events,
	     const struct job *job, struct outcome *outcome);
/* Measures the time-stamp counter's ticks of an instance, in runs without other counters. */
void measure_ticks(const struct bench_options *options, const struct job *job,
		   struct outcome *outcome);
/* Returns the fewest equal runs of the outcome's `nr` events. */
int outcome_equal(const struct outcome *outcome, int nr);
/* Adds notes on the method to the outcome's verdict. */
void outcome_conclude(const struct bench_options *options, const struct event_list *events,
		      const struct job *job, struct outcome *outcome);

/* ---- energy.c ---- */

/* Measures the joules of an instance; the verdict says how sure they are. Exits when there is no
 * such counter. */
void energy_measure(const struct bench_options *options, const struct job *job,
		    struct outcome *outcome);

/* ---- untimed.c ---- */

/* The first instruction of the job's source whose time no simulated core knows, or NULL. */
const char *job_untimed(const struct job *job);

/* ---- print.c ---- */

void print_begin(FILE *out, const struct bench_options *options, const struct event_list *events);
void print_outcome(FILE *out, const struct bench_options *options, const struct event_list *events,
		   const struct job *job, const struct outcome *outcome);

/* ---- bench.c: the host command's list ---- */

/* Returns the next job of --jobs, which the caller frees; false at the end. */
bool jobs_next(const struct bench_options *options, struct job *job);
void job_free(struct job *job);

/* ---- suites.c ---- */

/* Runs the suite and prints its results. Returns the exit status. */
int suite_run(const struct bench_options *options);

#endif
