/* SPDX-License-Identifier: BSD-2-Clause */
/* Which part of a program is simulated, and which is measured. */
#include "emulator/sim/experiment/region.h"

void region_start(struct region *r, const struct region_config *config)
{
	*r = (struct region){.config = *config, .state = REGION_WAITS};
}

static unsigned simulate(struct region *r)
{
	if (r->simulates)
		return 0;
	r->simulates = true;
	return REGION_SIMULATE;
}

/* The present point is measured: the next one follows at once, or after a skip. */
static unsigned next_point(struct region *r)
{
	const struct region_config *c = &r->config;

	r->part = 0;
	r->state = ++r->point < c->nr_points ? REGION_SKIPS : REGION_ENDED;
	if (r->state == REGION_SKIPS && c->points[r->point] <= r->done + c->warm_up)
		return REGION_PAUSE;
	r->simulates = false;
	return REGION_PAUSE | REGION_STOP;
}

static unsigned advance_points(struct region *r)
{
	const struct region_config *c = &r->config;
	unsigned events = 0;

	if (r->state == REGION_MEASURES && r->part >= c->measure)
		events |= next_point(r);
	if (r->state == REGION_SKIPS && c->points[r->point] <= r->done + c->warm_up) {
		r->state = REGION_WARMS;
		events |= simulate(r);
	}
	if (r->state == REGION_WARMS && c->points[r->point] <= r->done) {
		r->state = REGION_MEASURES;
		events |= REGION_BEGIN;
	}
	return events;
}

/* Enters the first state whose instructions are not done. */
static unsigned advance(struct region *r)
{
	const struct region_config *c = &r->config;
	unsigned events = 0;

	if (c->points)
		return advance_points(r);
	if (r->state == REGION_SKIPS && r->done >= c->skip) {
		r->state = REGION_WARMS;
		r->done = 0;
		events |= simulate(r);
	}
	if (r->state == REGION_WARMS && r->done >= c->warm_up) {
		r->state = REGION_MEASURES;
		r->done = 0;
		events |= REGION_BEGIN;
	}
	if (r->state == REGION_MEASURES && c->measure && r->measured >= c->measure) {
		r->state = REGION_ENDED;
		r->simulates = false;
		events |= REGION_PAUSE | REGION_STOP;
	}
	return events;
}

static unsigned begin(struct region *r)
{
	if (r->state != REGION_WAITS)
		return 0;
	/* Later parts of a region in several are neither skipped nor warmed up. */
	r->state = r->measured ? REGION_WARMS : REGION_SKIPS;
	r->done = r->measured ? r->config.warm_up : 0;
	return advance(r) | (r->config.warm_all ? simulate(r) : 0);
}

/* Waits for the next part; the simulation continues, so that it finds all warm. */
static unsigned pause_region(struct region *r)
{
	bool measured = r->state == REGION_MEASURES;

	if (r->state == REGION_ENDED || r->state == REGION_WAITS)
		return 0;
	r->state = REGION_WAITS;
	r->done = 0;
	return measured ? REGION_PAUSE : 0;
}

unsigned region_mark(struct region *r, bool begins)
{
	if (!r->config.by_marks)
		return 0;
	return begins ? begin(r) : pause_region(r);
}

/* A function's call begins at its first instruction, and ends at its return address. */
static unsigned follow_function(struct region *r, uint64_t start)
{
	if (start == r->config.function) {
		if (!r->depth++)
			r->return_to = r->last_end;
		return begin(r);
	}
	if (r->depth && start == r->return_to) {
		r->depth = 0;
		return pause_region(r);
	}
	return 0;
}

unsigned region_block(struct region *r, uint64_t start, uint64_t end, unsigned nr)
{
	unsigned events = 0;

	if (r->config.function)
		events |= follow_function(r, start);
	else if (r->state == REGION_WAITS && !r->config.by_marks)
		events |= begin(r);
	if (r->config.warm_all && r->state != REGION_ENDED)
		events |= simulate(r);
	events |= advance(r);
	r->last_end = end;
	r->done += nr;
	if (r->state != REGION_MEASURES)
		return events;
	r->measured += nr;
	r->part += nr;
	if (r->config.interval && r->measured - r->reported > r->config.interval) {
		r->reported += r->config.interval;
		events |= REGION_INTERVAL;
	}
	return events;
}
