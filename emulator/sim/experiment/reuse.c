/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reuse distances by a tree of partial sums over time, in which each line's last access is one
 * (Bennett and Kruskal, LRU stack processing, 1975; Fenwick's tree). When the times are used up the
 * lines get new ones, in their order.
 */
#include "emulator/sim/experiment/reuse.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/sim/config/mix.h"

enum { TIMES_FIRST = 1 << 16 };

struct used {
	uint64_t line; /* plus 1; 0: no line */
	uint32_t time;
};

struct reuse {
	struct used *lines; /* a hash table, open, with `times` places */
	uint32_t *sums;     /* of the times from 1 on */
	uint32_t times, now, nr;
	uint64_t bins[REUSE_BINS], first;
};

static bool reuse_allocate(struct reuse *r, uint32_t times)
{
	r->lines = calloc(times, sizeof(*r->lines));
	r->sums = calloc(times + 1, sizeof(*r->sums));
	r->times = times;
	r->now = r->nr = 0;
	return r->lines && r->sums;
}

struct reuse *reuse_new(void)
{
	struct reuse *r = calloc(1, sizeof(*r));

	if (r && !reuse_allocate(r, TIMES_FIRST)) {
		reuse_free(r);
		return NULL;
	}
	return r;
}

void reuse_free(struct reuse *r)
{
	if (!r)
		return;
	free(r->lines);
	free(r->sums);
	free(r);
}

static struct used *find_line(const struct reuse *r, uint64_t line)
{
	uint32_t at = (uint32_t)(line * MIX_FIRST >> 32) & (r->times - 1);

	while (r->lines[at].line && r->lines[at].line != line + 1)
		at = (at + 1) & (r->times - 1);
	return &r->lines[at];
}

static void add_at(struct reuse *r, uint32_t time, uint32_t n)
{
	for (; time <= r->times; time += time & -time)
		r->sums[time] += n;
}

/* Returns the lines whose last access was at `time` or before. */
static uint32_t until(const struct reuse *r, uint32_t time)
{
	uint32_t sum = 0;

	for (; time; time -= time & -time)
		sum += r->sums[time];
	return sum;
}

static int by_time(const void *a, const void *b)
{
	const struct used *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

static void put_last(struct reuse *r, struct used *place, uint64_t line)
{
	*place = (struct used){line + 1, ++r->now};
	r->nr++;
	add_at(r, r->now, 1);
}

/* Gives the lines new times; the tables double when they are more than a quarter full. Returns
 * false if there is no memory: nothing has changed. */
static bool renumber(struct reuse *r)
{
	struct reuse old = *r;
	uint32_t nr = 0;

	if (!reuse_allocate(r, old.nr > old.times / 4 ? old.times * 2 : old.times)) {
		free(r->lines);
		free(r->sums);
		*r = old;
		return false;
	}
	for (uint32_t i = 0; i < old.times; i++)
		if (old.lines[i].line)
			old.lines[nr++] = old.lines[i];
	qsort(old.lines, nr, sizeof(*old.lines), by_time);
	for (uint32_t i = 0; i < nr; i++)
		put_last(r, find_line(r, old.lines[i].line - 1), old.lines[i].line - 1);
	free(old.lines);
	free(old.sums);
	return true;
}

static unsigned bin_of(uint32_t distance)
{
	return distance ? 32 - (unsigned)__builtin_clz(distance) : 0;
}

void reuse_access(struct reuse *r, uint64_t line)
{
	struct used *place;

	if (r->now == r->times && !renumber(r))
		return;
	place = find_line(r, line);
	if (!place->line) {
		r->first++;
		put_last(r, place, line);
		return;
	}
	if (place->time == r->now) {
		r->bins[0]++;
		return;
	}
	r->bins[bin_of(r->nr - until(r, place->time))]++;
	add_at(r, place->time, (uint32_t)-1);
	place->time = ++r->now;
	add_at(r, r->now, 1);
}

const uint64_t *reuse_bins(const struct reuse *r)
{
	return r->bins;
}

uint64_t reuse_first(const struct reuse *r)
{
	return r->first;
}
