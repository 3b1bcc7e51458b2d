/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The built-in prefetchers: four of data and one of code. None crosses a page of 4 KiB.
 * Source: Intel 64 and IA-32 Optimization Reference Manual, 2.x "Data Prefetching".
 */
#include <stdlib.h>

#include "emulator/sim/memory/prefetch.h"

enum {
	LINES = SIM_PAGE_SIZE / SIM_LINE_SIZE,
	SURE = 2,
	DEGREE = 2,
	NEAR = 8,
	STEP_MAX = 2048,
	STREAMS = 32,
	STRIDES = 256
};

/* A prefetcher without a state of its own. */
struct plain {
	const struct sim_host *host;
};

static void *plain_create(const struct sim_host *host, const uint64_t *parameters,
			  uint64_t *statistics)
{
	struct plain *p = malloc(sizeof(*p));

	(void)parameters;
	(void)statistics;
	if (p)
		p->host = host;
	return p;
}

static bool same_page(uint64_t address, uint64_t other)
{
	return address / SIM_PAGE_SIZE == other / SIM_PAGE_SIZE;
}

/* ---- the line after an ascending run, into L1D ---- */

static void next_access(void *self, const struct sim_access *access)
{
	const struct sim_host *host = ((struct plain *)self)->host;
	uint64_t address = access->address, next = address + SIM_LINE_SIZE;

	if (access->type == SIM_LOAD && same_page(address, next) && address % SIM_PAGE_SIZE &&
	    host->holds(host, address - SIM_LINE_SIZE))
		host->prefetch(host, next);
}

static const struct sim_prefetcher next_prefetcher = {.access = next_access};

static const struct sim_component component_next = {
    .version = SIM_VERSION,
    .kind = SIM_PREFETCHER,
    .levels = 1 << SIM_L1D,
    .name = "next",
    .shows = "the line after an ascending run",
    .create = plain_create,
    .destroy = free,
    .prefetcher = &next_prefetcher,
};

/* ---- the stride of one load instruction, into L1D ---- */

/* The steps of one load instruction. */
struct step {
	uint64_t ip, last;
	int32_t step; /* bytes */
	uint8_t sure;
};

struct stride {
	const struct sim_host *host;
	struct step steps[STRIDES];
};

static void *stride_create(const struct sim_host *host, const uint64_t *parameters,
			   uint64_t *statistics)
{
	struct stride *s = calloc(1, sizeof(*s));

	(void)parameters;
	(void)statistics;
	if (s)
		s->host = host;
	return s;
}

static void stride_access(void *self, const struct sim_access *access)
{
	struct stride *stride = self;
	struct step *s = &stride->steps[access->pc % STRIDES];
	int64_t step = (int64_t)(access->vaddr - s->last);
	uint64_t next = access->address + ((access->vaddr + (uint64_t)step) / SIM_LINE_SIZE -
					   access->vaddr / SIM_LINE_SIZE) *
					      SIM_LINE_SIZE;

	if (access->type != SIM_LOAD)
		return;
	if (s->ip != access->pc) {
		*s = (struct step){.ip = access->pc, .last = access->vaddr};
		return;
	}
	s->last = access->vaddr;
	if (step != s->step || !step) {
		s->step = step > STEP_MAX || step < -STEP_MAX ? 0 : (int32_t)step;
		s->sure = 0;
		return;
	}
	if (s->sure < SURE)
		s->sure++;
	if (s->sure == SURE && same_page(next, access->address))
		stride->host->prefetch(stride->host, next);
}

static const struct sim_prefetcher stride_prefetcher = {.access = stride_access};

static const struct sim_component component_stride = {
    .version = SIM_VERSION,
    .kind = SIM_PREFETCHER,
    .levels = 1 << SIM_L1D,
    .name = "stride",
    .shows = "by the stride of one load instruction",
    .create = stride_create,
    .destroy = free,
    .prefetcher = &stride_prefetcher,
};

/* ---- ahead of a run of lines within a page, into L2 ---- */

/* The state for a page. */
struct stream {
	uint64_t page;      /* of 4 KiB */
	uint64_t used;      /* 0: the entry is free */
	int8_t last, ahead; /* lines of the page: the last asked for, the farthest fetched */
	int8_t direction;   /* 1 or -1; 0: unknown */
	uint8_t sure;       /* steps in that direction, up to 3 */
};

struct streamer {
	const struct sim_host *host;
	int distance; /* lines that it is ahead, at most */
	uint64_t uses;
	struct stream streams[STREAMS / 2][2]; /* pairs, by the page */
};

static void *streamer_create(const struct sim_host *host, const uint64_t *parameters,
			     uint64_t *statistics)
{
	struct streamer *s = calloc(1, sizeof(*s));

	(void)statistics;
	if (s) {
		s->host = host;
		s->distance = (int)parameters[0];
	}
	return s;
}

/* Returns the page's stream; a new one replaces the older one of its pair. */
static struct stream *stream_of(struct streamer *p, uint64_t page)
{
	struct stream *pair = p->streams[(page ^ page >> 4 ^ page >> 8) % (STREAMS / 2)];
	struct stream *older = &pair[pair[0].used > pair[1].used];

	for (unsigned i = 0; i < 2; i++)
		if (pair[i].page == page && pair[i].used)
			return &pair[i];
	*older = (struct stream){.page = page, .last = -1};
	return older;
}

/* Prefetches up to DEGREE more lines, within the maximum distance. */
static void run_ahead(const struct streamer *p, struct stream *s)
{
	int limit = s->last + s->direction * p->distance;
	int next = s->ahead;

	if ((next - s->last) * s->direction < 0)
		next = s->last;
	for (unsigned i = 0; i < DEGREE && !p->host->busy(p->host); i++) {
		next += s->direction;
		if (next < 0 || next >= LINES || (next - limit) * s->direction > 0)
			return;
		p->host->prefetch(p->host,
				  s->page * SIM_PAGE_SIZE + (uint64_t)next * SIM_LINE_SIZE);
		s->ahead = (int8_t)next;
	}
}

/* Distant prefetches from L1D do not extend a stream. */
static void streamer_access(void *self, const struct sim_access *access)
{
	struct streamer *p = self;
	struct stream *s = stream_of(p, access->address / SIM_PAGE_SIZE);
	int here = access->address / SIM_LINE_SIZE % LINES, direction = here > s->last ? 1 : -1;

	s->used = ++p->uses;
	if (s->last < 0) {
		s->last = s->ahead = (int8_t)here;
		return;
	}
	if (here == s->last || (access->type == SIM_PREFETCH && abs(here - s->last) > NEAR))
		return;
	s->last = (int8_t)here;
	if (direction != s->direction) {
		s->direction = (int8_t)direction;
		s->ahead = (int8_t)here;
		s->sure = 0;
	}
	if (s->sure < SURE)
		s->sure++;
	if (s->sure == SURE)
		run_ahead(p, s);
}

static const struct sim_parameter streamer_parameters[] = {
    {"ahead", 20, 1, LINES, "lines that it is ahead, at most"}, {NULL, 0, 0, 0, NULL}};

static const struct sim_prefetcher streamer_prefetcher = {.access = streamer_access};

static const struct sim_component component_streamer = {
    .version = SIM_VERSION,
    .kind = SIM_PREFETCHER,
    .levels = 1 << SIM_L2 | 1 << SIM_L3,
    .name = "streamer",
    .shows = "ahead of a run of lines within a page",
    .parameters = streamer_parameters,
    .create = streamer_create,
    .destroy = free,
    .prefetcher = &streamer_prefetcher,
};

/* ---- the other line of an aligned pair, into L2 ---- */

static void adjacent_access(void *self, const struct sim_access *access)
{
	const struct sim_host *host = ((struct plain *)self)->host;

	if (!access->hit)
		host->prefetch(host, access->address ^ SIM_LINE_SIZE);
}

static const struct sim_prefetcher adjacent_prefetcher = {.access = adjacent_access};

static const struct sim_component component_adjacent = {
    .version = SIM_VERSION,
    .kind = SIM_PREFETCHER,
    .levels = 1 << SIM_L2 | 1 << SIM_L3,
    .name = "adjacent",
    .shows = "the other line of an aligned pair",
    .create = plain_create,
    .destroy = free,
    .prefetcher = &adjacent_prefetcher,
};

/* ---- the next line of code, into L1I ---- */

static void code_access(void *self, const struct sim_access *access)
{
	const struct sim_host *host = ((struct plain *)self)->host;

	if (!access->hit && same_page(access->address, access->address + SIM_LINE_SIZE))
		host->prefetch(host, access->address + SIM_LINE_SIZE);
}

static const struct sim_prefetcher code_prefetcher = {.access = code_access};

static const struct sim_component component_code = {
    .version = SIM_VERSION,
    .kind = SIM_PREFETCHER,
    .levels = 1 << SIM_L1I,
    .name = "code",
    .shows = "the next line of code",
    .create = plain_create,
    .destroy = free,
    .prefetcher = &code_prefetcher,
};

/* In the order in which they are called. */
const struct builtin_prefetcher prefetch_builtin[] = {
    {&component_stride, SIM_L1D, PREFETCH_STRIDE},
    {&component_next, SIM_L1D, PREFETCH_NEXT},
    {&component_streamer, SIM_L2, PREFETCH_STREAMER},
    {&component_adjacent, SIM_L2, PREFETCH_ADJACENT},
    {&component_code, SIM_L1I, PREFETCH_CODE},
};

const unsigned prefetch_builtin_count = sizeof(prefetch_builtin) / sizeof(prefetch_builtin[0]);
