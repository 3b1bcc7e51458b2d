/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Named regions, which may be nested and be in any thread, with a table at the end of the program:
 *
 *         barepmu_enter("sort");
 *         sort(list);
 *         barepmu_leave("sort");
 *
 * The environment decides: BAREPMU_EVENTS (cycles,instructions), BAREPMU_FORMAT (table, csv or
 * json), BAREPMU_OUTPUT (a file; stderr). A region inside of another is listed as "outer/inner",
 * and its events count for both. All functions may be called by any thread. One file of the program
 * includes this header with BAREPMU_REGIONS_HERE defined before it; the others only include it.
 */
#ifndef BAREPMU_REGIONS_H
#define BAREPMU_REGIONS_H

#include "barepmu.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Begins a region of the calling thread. `name` must stay in memory. */
void barepmu_enter(const char *name);
/* Ends the thread's innermost region of this name; without one it does nothing. */
void barepmu_leave(const char *name);
/* Reads the totals of a region ("outer/inner") of all threads: how often it ended, and the counts,
 * in the order of BAREPMU_EVENTS. Returns the number of events; 0: there is no such region. */
int barepmu_region_get(const char *path, uint64_t *calls, double *counts, int max);
/* Writes the regions that have ended so far. `format`: table, csv or json. */
void barepmu_regions_write(FILE *out, const char *format);
/* Forgets all counts. No other thread may be in a region. */
void barepmu_regions_reset(void);

#ifdef __cplusplus
}
#endif

#ifdef BAREPMU_REGIONS_HERE
#include <pthread.h>

#define BAREPMU_DEPTH 32

/* A region in its parent, of one thread. */
struct barepmu_region_ {
	const char *name;
	struct barepmu_region_ *parent, *children, *next;
	uint64_t calls, from[BAREPMU_COUNTERS], total[BAREPMU_COUNTERS];
};

struct barepmu_thread_ {
	struct barepmu pmu;
	struct barepmu_region_ root, *open[BAREPMU_DEPTH];
	int depth;
	uint64_t overhead[BAREPMU_COUNTERS];
	struct barepmu_thread_ *next;
};

static __thread struct barepmu_thread_ *barepmu_self_;
static struct barepmu_thread_ *barepmu_threads_;
static pthread_mutex_t barepmu_lock_ = PTHREAD_MUTEX_INITIALIZER;

/* Reads whole counts. */
static void barepmu_now_(struct barepmu *pmu, uint64_t *to)
{
	pmu->joined = 1; /* there is no region of barepmu_begin() to convert */
	barepmu_read_(pmu, to);
	for (int i = 0; i < pmu->nr && pmu->rdpmc; i++)
		to[i] = barepmu_whole_(pmu, i, to[i]);
}

static struct barepmu_region_ *barepmu_child_(struct barepmu_region_ *parent, const char *name)
{
	struct barepmu_region_ *region = parent->children;

	while (region && region->name != name && strcmp(region->name, name))
		region = region->next;
	if (!region) {
		region = (struct barepmu_region_ *)calloc(1, sizeof(*region));
		if (!region)
			abort();
		region->name = name;
		region->parent = parent;
		region->next = parent->children;
		/* Another thread may be reading the list. */
		__atomic_store_n(&parent->children, region, __ATOMIC_RELEASE);
	}
	return region;
}

static void barepmu_at_end_(void)
{
	const char *path = getenv("BAREPMU_OUTPUT"), *format = getenv("BAREPMU_FORMAT");
	FILE *out = path && *path ? fopen(path, "we") : stderr;

	if (!out)
		return;
	barepmu_regions_write(out, format ? format : "table");
	if (out != stderr)
		fclose(out);
}

/* Measures empty regions; the least of several is subtracted from each. */
static void barepmu_measure_overhead_(struct barepmu_thread_ *self)
{
	uint64_t least[BAREPMU_COUNTERS];

	memset(least, 0xff, sizeof(least));
	for (int tries = 0; tries < BAREPMU_TRIES; tries++) {
		struct barepmu_region_ *empty;

		barepmu_enter("");
		barepmu_leave("");
		empty = self->root.children;
		for (int i = 0; i < self->pmu.nr; i++) {
			if (empty->total[i] < least[i])
				least[i] = empty->total[i];
			empty->total[i] = 0;
		}
	}
	memcpy(self->overhead, least, sizeof(least));
	free(self->root.children);
	self->root.children = NULL;
}

/* Returns the calling thread's regions, opened at its first one. */
static struct barepmu_thread_ *barepmu_new_thread_(void)
{
	const char *events = getenv("BAREPMU_EVENTS");
	struct barepmu_thread_ *self = (struct barepmu_thread_ *)calloc(1, sizeof(*self));

	if (!self)
		abort();
	if (barepmu_open(&self->pmu, events && *events ? events : "cycles,instructions"))
		barepmu_error(&self->pmu); /* regions are counted without events */
	barepmu_self_ = self;
	barepmu_measure_overhead_(self);
	pthread_mutex_lock(&barepmu_lock_);
	if (!barepmu_threads_)
		atexit(barepmu_at_end_);
	self->next = barepmu_threads_;
	__atomic_store_n(&barepmu_threads_, self, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&barepmu_lock_);
	return self;
}

static inline struct barepmu_thread_ *barepmu_thread_of_(void)
{
	return barepmu_self_ ? barepmu_self_ : barepmu_new_thread_();
}

void barepmu_enter(const char *name)
{
	struct barepmu_thread_ *self = barepmu_thread_of_();
	struct barepmu_region_ *region;

	if (self->depth == BAREPMU_DEPTH)
		return;
	region = barepmu_child_(self->depth ? self->open[self->depth - 1] : &self->root, name);
	self->open[self->depth++] = region;
	barepmu_now_(&self->pmu, region->from);
}

void barepmu_leave(const char *name)
{
	struct barepmu_thread_ *self = barepmu_thread_of_();
	uint64_t to[BAREPMU_COUNTERS];
	int at = self->depth - 1;

	barepmu_now_(&self->pmu, to);
	while (at >= 0 && strcmp(self->open[at]->name, name))
		at--;
	if (at < 0)
		return;
	for (int i = 0; i < self->pmu.nr; i++) {
		uint64_t count = to[i] - self->open[at]->from[i];

		self->open[at]->total[i] +=
		    count > self->overhead[i] ? count - self->overhead[i] : 0;
	}
	__atomic_fetch_add(&self->open[at]->calls, 1, __ATOMIC_RELEASE);
	self->depth--;
	for (; at < self->depth; at++) /* regions that overlap end in any order */
		self->open[at] = self->open[at + 1];
}

/* A region of all threads. */
struct barepmu_sum_ {
	char path[128];
	uint64_t calls, threads;
	double counts[BAREPMU_COUNTERS];
	struct barepmu_sum_ *next;
};

static void barepmu_add_region_(struct barepmu_sum_ **list, const struct barepmu_region_ *region,
				const char *prefix, int nr)
{
	char path[128];
	struct barepmu_sum_ *sum;

	snprintf(path, sizeof(path), "%s%s%s", prefix, *prefix ? "/" : "", region->name);
	while (*list && strcmp((*list)->path, path))
		list = &(*list)->next;
	if (!*list) {
		*list = (struct barepmu_sum_ *)calloc(1, sizeof(**list));
		if (!*list)
			abort();
		snprintf((*list)->path, sizeof((*list)->path), "%s", path);
	}
	sum = *list;
	sum->calls += __atomic_load_n(&region->calls, __ATOMIC_ACQUIRE);
	sum->threads++;
	for (int i = 0; i < nr; i++)
		sum->counts[i] += (double)region->total[i];
	for (const struct barepmu_region_ *child = region->children; child; child = child->next)
		barepmu_add_region_(list, child, path, nr);
}

/* Adds up the regions of all threads, which have equal events. The caller frees the list. */
static struct barepmu_sum_ *barepmu_sums_(const struct barepmu **pmu)
{
	struct barepmu_thread_ *thread = __atomic_load_n(&barepmu_threads_, __ATOMIC_ACQUIRE);
	struct barepmu_sum_ *list = NULL;

	*pmu = thread ? &thread->pmu : NULL;
	for (; thread; thread = thread->next)
		for (struct barepmu_region_ *r = thread->root.children; r; r = r->next)
			barepmu_add_region_(&list, r, "", thread->pmu.nr);
	return list;
}

static void barepmu_free_sums_(struct barepmu_sum_ *list)
{
	while (list) {
		struct barepmu_sum_ *next = list->next;

		free(list);
		list = next;
	}
}

int barepmu_region_get(const char *path, uint64_t *calls, double *counts, int max)
{
	const struct barepmu *pmu;
	struct barepmu_sum_ *list = barepmu_sums_(&pmu), *sum = list;
	int nr = 0;

	while (sum && strcmp(sum->path, path))
		sum = sum->next;
	if (sum) {
		*calls = sum->calls;
		for (; nr < pmu->nr && nr < max; nr++)
			counts[nr] = pmu->modelled[nr] ? sum->counts[nr] : __builtin_nan("");
	}
	barepmu_free_sums_(list);
	return nr;
}

static void barepmu_write_head_(FILE *out, const struct barepmu *pmu, char format)
{
	if (format == 'j')
		return;
	fprintf(out, format == 'c' ? "region,calls,threads" : "%-32s %10s %7s", "region", "calls",
		"threads");
	for (int i = 0; i < pmu->nr; i++)
		fprintf(out, format == 'c' ? ",\"%s\"" : " %20s", pmu->name[i]);
	fputc('\n', out);
}

static void barepmu_write_row_(FILE *out, const struct barepmu *pmu, const struct barepmu_sum_ *sum,
			       char format)
{
	const char *row = format == 'j' ? "{\"region\": \"%s\", \"calls\": %llu, \"threads\": %llu"
			  : format == 'c' ? "\"%s\",%llu,%llu"
					  : "%-32s %10llu %7llu";

	fprintf(out, row, sum->path, (unsigned long long)sum->calls,
		(unsigned long long)sum->threads);
	for (int i = 0; i < pmu->nr; i++) {
		if (format == 'j')
			fprintf(out, ", \"%s\": ", pmu->name[i]);
		else if (format == 'c')
			fputc(',', out);
		if (pmu->modelled[i])
			fprintf(out, format == 't' ? " %20.0f" : "%.0f", sum->counts[i]);
		else
			fprintf(out,
				format == 't'   ? " %20s"
				: format == 'c' ? "%s"
						: "null",
				"<not counted>");
	}
	fprintf(out, format == 'j' ? "}\n" : "\n");
}

void barepmu_regions_write(FILE *out, const char *format)
{
	const struct barepmu *pmu;
	struct barepmu_sum_ *list = barepmu_sums_(&pmu);

	if (!list)
		return;
	barepmu_write_head_(out, pmu, *format);
	for (const struct barepmu_sum_ *sum = list; sum; sum = sum->next)
		barepmu_write_row_(out, pmu, sum, *format);
	barepmu_free_sums_(list);
}

static void barepmu_reset_region_(struct barepmu_region_ *region)
{
	region->calls = 0;
	memset(region->total, 0, sizeof(region->total));
	for (struct barepmu_region_ *child = region->children; child; child = child->next)
		barepmu_reset_region_(child);
}

void barepmu_regions_reset(void)
{
	for (struct barepmu_thread_ *t = barepmu_threads_; t; t = t->next)
		barepmu_reset_region_(&t->root);
}
#endif

#endif
