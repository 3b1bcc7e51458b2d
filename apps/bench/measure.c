/* SPDX-License-Identifier: BSD-2-Clause */
/* Measures one piece of code by warm-ups and runs of two unrollings, whose difference is the code's
 * alone. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "apps/bench/bench.h"
#include "apps/lib/event/pmu_id.h"

#define STACK_BYTES 65536
#define STACK_STEP  4096

/* The counts of all runs, [counter][run], and the machine's state before and after them. */
struct runs {
	uint64_t *counts[MOST_COUNTERS];
	struct moment from, to;
};

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Returns the aggregate of the sorted counts. The mean leaves out the highest and the lowest fifth,
 * as nanoBench does. */
static double aggregate(const uint64_t *counts, int nr, enum bench_aggregate how)
{
	double sum = 0;
	int skip = nr / 5;

	if (how == BENCH_MINIMUM)
		return (double)counts[0];
	if (how == BENCH_MEDIAN)
		return ((double)counts[nr / 2] + (double)counts[(nr - 1) / 2]) / 2;
	for (int i = skip; i < nr - skip; i++)
		sum += (double)counts[i];
	return sum / (nr - 2 * skip);
}

/* Returns how often the most frequent of the sorted counts occurs. */
static int most_equal(const uint64_t *counts, int nr)
{
	int most = 0;

	for (int i = 0, first = 0; i < nr; i++) {
		if (counts[i] != counts[first])
			first = i;
		if (i - first + 1 > most)
			most = i - first + 1;
	}
	return most;
}

static void keep_counts(struct runs *runs, const struct counters *counters,
			const struct block *block, int run, struct verdict *verdict)
{
	for (int i = 0; i < counters->nr; i++) {
		uint64_t count =
		    (block->counts[i].after - block->counts[i].before) & counters->mask[i];

		verdict_count(verdict, count, counters->mask[i]);
		runs->counts[i][run] = count;
	}
}

/* Finds the position in the measured code where it ended. */
static void locate(struct outcome *outcome, const struct harness *harness, const struct job *job)
{
	const uint8_t *rip = (const uint8_t *)outcome->end.call.rip;

	outcome->failed = true;
	outcome->in_init = rip >= harness->init && rip < harness->init + job->init.size;
	outcome->in_code = !job->function && rip >= harness->body && rip < harness->end;
	if (outcome->in_init)
		outcome->offset = (size_t)(rip - harness->init);
	else if (outcome->in_code)
		outcome->offset = (size_t)(rip - harness->body) % job->code.size;
}

/* The instances of the longer of the two codes. */
static unsigned most_instances(const struct bench_options *options)
{
	return (unsigned)options->unroll * (options->basic ? 1 : 2);
}

/* Runs one unrolling. False: the code ended early. */
static bool run_all(const struct bench_options *options, const struct job *job,
		    const struct counters *counters, unsigned unroll, struct runs *runs,
		    struct outcome *outcome)
{
	struct harness harness;
	int cpu = sched_getcpu();

	harness_build(&harness, options, job, unroll, counters->index, counters->nr);
	if (options->verbose && unroll == most_instances(options) && !counters->first)
		place_print(job, &harness, counters->nr);
	for (int run = -options->warm_up; run < options->runs; run++) {
		if (run == (options->warm_up ? -1 : 0)) /* the last warm-up forgets what it did */
			moment_read(&runs->from, cpu);
		run_cool(options, &harness);
		if (job->prepare)
			job->prepare();
		run_once(options, &harness, &outcome->end);
		if (outcome->end.ended) {
			locate(outcome, &harness, job);
			return false;
		}
		if (run >= 0)
			keep_counts(runs, counters, harness.block, run, &outcome->verdict);
	}
	moment_read(&runs->to, cpu);
	verdict_compare(&outcome->verdict, &runs->from, &runs->to);
	return true;
}

static void sort_runs(struct runs *runs, int nr, int length)
{
	for (int i = 0; i < nr; i++)
		qsort(runs->counts[i], (size_t)length, sizeof(uint64_t), by_value);
}

/* Returns the figure of one counter from two sorted series; `once` is NULL when nothing is
 * subtracted. */
static struct figure figure_of(const struct bench_options *options, const uint64_t *twice,
			       const uint64_t *once)
{
	double instances = (double)options->unroll * (options->loop ? options->loop : 1);
	double base = once ? aggregate(once, options->runs, options->aggregate) : 0;
	struct figure f = {
	    .value = (aggregate(twice, options->runs, options->aggregate) - base) / instances,
	    .low = ((double)twice[0] - base) / instances,
	    .high = ((double)twice[options->runs - 1] - base) / instances,
	    .equal = most_equal(twice, options->runs),
	    .runs = options->runs,
	};

	if (once && most_equal(once, options->runs) < f.equal)
		f.equal = most_equal(once, options->runs);
	return f;
}

static void make_runs(struct runs *runs, int nr, int length)
{
	memset(runs, 0, sizeof(*runs));
	for (int i = 0; i < nr; i++) {
		runs->counts[i] = malloc((size_t)length * sizeof(uint64_t));
		if (!runs->counts[i])
			fail("no memory for %d runs", length);
		memset(runs->counts[i], 1, (size_t)length * sizeof(uint64_t)); /* no faults later */
	}
}

static void free_runs(struct runs *runs)
{
	for (int i = 0; i < MOST_COUNTERS; i++)
		free(runs->counts[i]);
}

/* Measures one pass: the events that have counters together. */
static bool pass(const struct bench_options *options, const struct event_list *events,
		 const struct job *job, struct counters *counters, struct outcome *outcome)
{
	struct runs once, twice;
	unsigned unroll = (unsigned)options->unroll;
	bool done;

	make_runs(&once, counters->nr, options->runs);
	make_runs(&twice, counters->nr, options->runs);
	done = (options->basic || run_all(options, job, counters, unroll, &once, outcome)) &&
	       run_all(options, job, counters, most_instances(options), &twice, outcome);
	sort_runs(&once, counters->nr, options->runs);
	sort_runs(&twice, counters->nr, options->runs);
	for (int i = 0; done && i < counters->nr; i++) {
		int event = counters->first + i;

		outcome->figures[event] =
		    figure_of(options, twice.counts[i], options->basic ? NULL : once.counts[i]);
		verdict_spread(&outcome->verdict, events->events[event].name, twice.counts[i],
			       options->runs);
	}
	if (done && !options->basic)
		verdict_frequency(&outcome->verdict, &once.from, &twice.from, &twice.to);
	if (done)
		counters_judge(counters, &outcome->verdict);
	free_runs(&once);
	free_runs(&twice);
	return done;
}

void measure_ticks(const struct bench_options *options, const struct job *job,
		   struct outcome *outcome)
{
	const struct counters tsc = {.nr = 1, .index = {COUNTER_TSC}, .mask = {UINT64_MAX}};
	unsigned unroll = (unsigned)options->unroll;
	struct runs once, twice;

	make_runs(&once, tsc.nr, options->runs);
	make_runs(&twice, tsc.nr, options->runs);
	if ((options->basic || run_all(options, job, &tsc, unroll, &once, outcome)) &&
	    run_all(options, job, &tsc, most_instances(options), &twice, outcome)) {
		sort_runs(&once, tsc.nr, options->runs);
		sort_runs(&twice, tsc.nr, options->runs);
		outcome->ticks =
		    figure_of(options, twice.counts[0], options->basic ? NULL : once.counts[0]);
		verdict_spread(&outcome->verdict, "tsc", twice.counts[0], options->runs);
	}
	free_runs(&once);
	free_runs(&twice);
}

int outcome_equal(const struct outcome *outcome, int nr)
{
	int fewest = outcome->figures[0].equal;

	for (int i = 1; i < nr; i++)
		if (outcome->figures[i].equal < fewest)
			fewest = outcome->figures[i].equal;
	return fewest;
}

void outcome_conclude(const struct bench_options *options, const struct event_list *events,
		      const struct job *job, struct outcome *outcome)
{
	struct verdict *verdict = &outcome->verdict;
	double instances = (double)options->unroll * (options->loop ? options->loop : 1);
	struct pmu_id pmu;

	verdict_note(verdict, "%d of %d runs equal", outcome_equal(outcome, events->nr),
		     options->runs);
	verdict_note(verdict, options->basic ? "overhead not subtracted" : "overhead subtracted");
	verdict_note(verdict, "resolution %.2g", 1 / instances);
	if (outcome->passes > 1)
		verdict_note(verdict, "%d events in %d passes", events->nr, outcome->passes);
	pmu_identify(&pmu);
	if (*pmu.core && job_untimed(job))
		verdict_reason(verdict, "the time of %s is not modelled", job_untimed(job));
	verdict_emulated(verdict, &pmu, events);
}

/* Touches the stack as deep as calls between two snapshots reach: how far its pages extend by then
 * depends on arguments and environment. */
static void touch_stack(void)
{
	volatile char room[STACK_BYTES];

	for (size_t i = sizeof(room); i >= STACK_STEP; i -= STACK_STEP)
		room[i - STACK_STEP] = 0;
}

void measure(const struct bench_options *options, const struct event_list *events,
	     const struct job *job, struct outcome *outcome)
{
	struct counters counters;
	struct moment warm;
	bool done = true;

	memset(outcome, 0, sizeof(*outcome));
	touch_stack();
	moment_read(&warm, sched_getcpu()); /* its own pages are there afterwards */
	for (int first = 0; done && first < events->nr; first += counters.nr) {
		counters_open(&counters, options, events, first);
		done = pass(options, events, job, &counters, outcome);
		counters_close(&counters);
		outcome->passes++;
	}
}
