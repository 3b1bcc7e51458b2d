/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The four prefetchers of data and the one of code. None crosses a page of 4 KiB.
 * Source: Intel 64 and IA-32 Optimization Reference Manual, 2.x "Data Prefetching".
 */
#include <stdlib.h>

#include "emulator/sim/memory/memory_state.h"

enum {
	LINES = CORE_PAGE_SIZE / CORE_LINE_SIZE,
	QUEUE = 16,
	SURE = 2,
	DEGREE = 2,
	NEAR = 8,
	STEP_MAX = 2048
};

static bool same_page(uint64_t line, uint64_t other)
{
	return line / LINES == other / LINES;
}

/* True if memory has so many transfers queued that prefetchers pause. */
static bool busy(struct memory *m, uint64_t now)
{
	return cache_channel(m, now, false) > (uint32_t)QUEUE * m->config->memory_gap;
}

static void count(struct memory *m, enum prefetcher prefetcher)
{
	m->counts.prefetched[__builtin_ctz(prefetcher)]++;
}

static void into_l1d(struct memory *m, uint64_t line, enum prefetcher prefetcher, uint64_t now)
{
	struct flight *buffer = cache_fill_buffer(m, now);
	struct found found;

	if (assoc_find(&m->l1[FRONT_DATA], line) != ASSOC_NONE || busy(m, now) ||
	    (buffer && buffer->ready > now))
		return;
	found = cache_below(m, line, DEMAND_PREFETCH, now);
	cache_fill_l1(m, FRONT_DATA, line, found.state | LINE_PREFETCHED | LINE_FILLING);
	count(m, prefetcher);
	if (!buffer)
		return;
	*buffer = (struct flight){line, now + found.latency};
	if (buffer->ready > m->fills_until)
		m->fills_until = buffer->ready;
}

/* Prefetches into the processor's own L2, or into the shared one if that is the last level. */
static void into_l2(struct memory *m, uint64_t line, enum prefetcher prefetcher, uint64_t now)
{
	struct assoc *l2 = m->l2.ways ? &m->l2 : &m->shared->lines;
	struct found found;

	if (assoc_find(l2, line) != ASSOC_NONE || busy(m, now))
		return;
	if (m->l2.ways && m->config->l2.inclusion == EXCLUSIVE &&
	    assoc_find(&m->l1[FRONT_DATA], line) != ASSOC_NONE)
		return;
	found = cache_beyond(m, line, DEMAND_PREFETCH, now);
	if (m->l2.ways)
		cache_fill_l2(m, line, found.state | LINE_PREFETCHED);
	count(m, prefetcher);
	if (m->config->fill_buffers)
		m->flights[line % FLIGHTS] = (struct flight){line, now + found.latency};
}

static void next_line(struct memory *m, uint64_t line, uint64_t now)
{
	if (same_page(line, line + 1) && line % LINES &&
	    assoc_find(&m->l1[FRONT_DATA], line - 1) != ASSOC_NONE)
		into_l1d(m, line + 1, PREFETCH_NEXT, now);
}

static void stride(struct memory *m, const struct access *access, uint64_t line, uint64_t now)
{
	struct stride *s = &m->prefetch.strides[access->ip % STRIDES];
	int64_t step = (int64_t)(access->vaddr - s->last);
	uint64_t next =
	    line + (access->vaddr + step) / CORE_LINE_SIZE - access->vaddr / CORE_LINE_SIZE;

	if (s->ip != access->ip) {
		*s = (struct stride){.ip = access->ip, .last = access->vaddr};
		return;
	}
	s->last = access->vaddr;
	if (step != s->step || !step) {
		s->step = step > STEP_MAX || step < -STEP_MAX ? 0 : step;
		s->sure = 0;
		return;
	}
	if (s->sure < SURE)
		s->sure++;
	if (s->sure == SURE && same_page(next, line))
		into_l1d(m, next, PREFETCH_STRIDE, now);
}

void prefetch_on_load(struct memory *m, const struct access *access, uint64_t line, uint64_t now)
{
	if (m->prefetchers & PREFETCH_STRIDE)
		stride(m, access, line, now);
	if (m->prefetchers & PREFETCH_NEXT)
		next_line(m, line, now);
}

/* Returns the page's stream; a new one replaces the older one of its pair. */
static struct stream *stream_of(struct prefetch_state *p, uint64_t page)
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
static void run_ahead(struct memory *m, struct stream *s, uint64_t now)
{
	int limit = s->last + s->direction * m->config->streamer_ahead;
	int next = s->ahead;

	if ((next - s->last) * s->direction < 0)
		next = s->last;
	for (unsigned i = 0; i < DEGREE && !busy(m, now); i++) {
		next += s->direction;
		if (next < 0 || next >= LINES || (next - limit) * s->direction > 0)
			return;
		into_l2(m, s->page * LINES + next, PREFETCH_STREAMER, now);
		s->ahead = next;
	}
}

/* Distant prefetches from L1D do not extend a stream. */
static void streamer(struct memory *m, uint64_t line, bool prefetch, uint64_t now)
{
	struct stream *s = stream_of(&m->prefetch, line / LINES);
	int here = line % LINES, direction = here > s->last ? 1 : -1;

	s->used = ++m->prefetch.uses;
	if (s->last < 0) {
		s->last = s->ahead = here;
		return;
	}
	if (here == s->last || (prefetch && abs(here - s->last) > NEAR))
		return;
	s->last = here;
	if (direction != s->direction) {
		s->direction = direction;
		s->ahead = here;
		s->sure = 0;
	}
	if (s->sure < SURE)
		s->sure++;
	if (s->sure == SURE)
		run_ahead(m, s, now);
}

void prefetch_on_l2(struct memory *m, uint64_t line, bool prefetch, bool hit, uint64_t now)
{
	if (m->prefetchers & PREFETCH_STREAMER)
		streamer(m, line, prefetch, now);
	if (m->prefetchers & PREFETCH_ADJACENT && !hit)
		into_l2(m, line ^ 1, PREFETCH_ADJACENT, now);
}

void prefetch_on_fetch(struct memory *m, uint64_t line, uint64_t now)
{
	struct found found;

	if (!(m->prefetchers & PREFETCH_CODE) || !same_page(line, line + 1) ||
	    assoc_find(&m->l1[FRONT_CODE], line + 1) != ASSOC_NONE)
		return;
	found = cache_below(m, line + 1, DEMAND_CODE, now);
	cache_fill_l1(m, FRONT_CODE, line + 1, found.state | LINE_PREFETCHED);
}

void memory_prefetch(struct memory *m, const struct access *access)
{
	struct access_result ignored = {0};
	struct access line = *access;

	line.store = false;
	tlb_translate(m, FRONT_DATA, &line, &ignored);
	if (assoc_find(&m->l1[FRONT_DATA], front_line(m->fronts, access)) == ASSOC_NONE)
		cache_line(m, FRONT_DATA, front_line(m->fronts, access), DEMAND_WALK, &line,
			   access->now, &ignored);
}
