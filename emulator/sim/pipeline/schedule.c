/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Schedules the micro-operations of a segment. In the common case (all loads hit and no port is
 * behind) the segment's summary has the result; otherwise each micro-operation is simulated.
 */
#include "emulator/sim/pipeline/schedule.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define PORT_SLACK  2 /* cycles that a port may be behind before the summary is not good enough */
#define INPUT_LIMIT 16000 /* maximum distance from now, in cycles, in a summary's inputs */

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* An access of this latency occupies a fill buffer from begin on. Returns when it gets one. */
static uint64_t take_fill_buffer(struct times *times, const struct core_config *config,
				 uint64_t begin, uint32_t latency)
{
	unsigned count = config->memory.fill_buffers;
	uint64_t *fill;

	if (!count || count > FILL_BUFFERS_MAX || latency < FAR_MISS)
		return begin;
	fill = fill_buffer(times->fill, count, begin);
	begin = later(begin, *fill);
	*fill = begin + latency;
	return begin;
}

/* Returns when the line of a store arrives that is no L1D hit, and whose data are ready in that
 * cycle. */
static uint64_t store_arrives(struct times *times, const struct core_config *config,
			      uint16_t access, uint64_t ready)
{
	uint16_t cycles = access & ACCESS_CYCLES;

	if ((access & ACCESS_KIND) == ACCESS_IN_FLIGHT)
		return later(ready, times->block + cycles);
	return take_fill_buffer(times, config, ready, cycles) + cycles;
}

/* Returns when the data of one of the block's stores is ready. */
static uint64_t store_ready(const struct times *times, const struct segment *segment,
			    unsigned number)
{
	return number < segment->first_store
		   ? times->block + times->store[number].ready
		   : times->word[TIME_STORED + number - segment->first_store];
}

/* A load that renaming replaces by a store: its data are the store's, when both have issued. */
static uint64_t renamed(const struct times *times, const struct segment *segment, uint16_t access,
			uint64_t issued)
{
	uint16_t cycles = access & ACCESS_CYCLES;

	if ((access & ACCESS_KIND) == ACCESS_RENAMED)
		return later(issued, times->block + cycles);
	return later(issued, store_ready(times, segment, cycles));
}

static unsigned split_penalty(const struct core_config *config, uint16_t access)
{
	return access & ACCESS_SPLIT ? config->memory.split_penalty : 0;
}

/* A load is missing L1D from `begin` to `done`. */
static uint64_t missing(struct times *times, uint64_t begin, uint64_t done)
{
	times->missed = times->missed < begin ? times->missed : begin;
	times->missing = later(times->missing, done);
	return done;
}

/* Returns when a load that is no L1D hit has its data. start: of the segment. */
static uint64_t load(struct times *times, const struct core_config *config,
		     const struct segment *segment, const struct uop *uop, uint16_t access,
		     uint64_t begin, uint64_t start)
{
	const struct pipe_config *pipe = &config->pipe;
	uint16_t cycles = access & ACCESS_CYCLES;
	uint64_t done;

	switch (access & ACCESS_KIND) {
	case ACCESS_LATENCY:
		begin = take_fill_buffer(times, config, begin, cycles);
		done = begin + cycles + uop->latency - config->memory.l1d.latency;
		return missing(times, begin, done);
	case ACCESS_IN_FLIGHT:
		done = later(begin + uop->latency, times->block + cycles);
		return missing(times, begin, done);
	case ACCESS_FROM_STORE:
		done = store_ready(times, segment, cycles & (ACCESS_SPLIT - 1));
		return later(begin, done) + pipe->forward_latency + split_penalty(config, access);
	case ACCESS_BLOCKED_BY:
		/* The store must retire first, and so must all before it. */
		done = later(times->word[TIME_RETIRED], store_ready(times, segment, cycles));
		return later(begin, done) + pipe->forward_blocked + pipe->forward_latency;
	case ACCESS_BLOCKED:
		if (access == ACCESS_ALIASED) {
			times->port[uop->port] += PORT_PARTS;
			return begin + uop->latency + pipe->alias_penalty;
		}
		if (times->block + cycles <= start)
			return begin + uop->latency;
		return later(begin, times->block + cycles) + pipe->forward_blocked +
		       pipe->forward_latency;
	default: /* data that are there already come as soon as from L1D */
		done = times->block + (access & (ACCESS_SPLIT - 1)) - 1;
		if (done <= start)
			return begin + uop->latency + split_penalty(config, access);
		return later(begin, done) + pipe->forward_latency + split_penalty(config, access);
	}
}

static uint64_t sources_ready(const struct times *times, const struct uop *uop)
{
	uint64_t a = later(times->word[uop->source[0]], times->word[uop->source[1]]);

	if (uop->source[2] == REG_ZERO)
		return a;
	return later(a, later(times->word[uop->source[2]], times->word[uop->source[3]]));
}

/* Returns when the port has completed earlier work. issued: the earliest result. */
static uint64_t queue_end(const struct times *times, unsigned port, uint64_t issued)
{
	return later(issued, times->port[port] / PORT_PARTS);
}

/* Returns when it completes. */
static uint64_t run_uop(struct times *times, const struct core_config *config,
			const struct segment *segment, const struct uop *uop, uint16_t access,
			uint64_t start)
{
	uint64_t issued = start + uop->cycle, begin, done;

	begin = later(issued, sources_ready(times, uop));
	if (uop->fence) {
		begin = later(begin, drained_cycle(times));
		times->word[TIME_FENCE] = begin + config->pipe.lock_latency;
	}
	if (uop->port != NO_PORT)
		begin = later(begin, queue_end(times, uop->port, issued) + uop->queue);
	if (uop->unit != NO_PORT)
		begin = later(begin, queue_end(times, uop->unit, issued) + uop->unit_queue);
	if (uop->kind == UOP_LOAD && is_renamed(access))
		done = renamed(times, segment, access, issued);
	else if (uop->kind == UOP_LOAD && access)
		done = load(times, config, segment, uop, access, begin, start);
	else
		done = begin + uop->latency;
	if (uop->kind == UOP_STORE_DATA) {
		times->word[TIME_STORED + segment->memory[uop->memory].number] = done;
		if (access)
			times->drained =
			    later(times->drained,
				  store_arrives(times, config, access, done) * DRAIN_PARTS);
	}
	if (uop->branch)
		times->word[TIME_BRANCH] = done;
	for (unsigned i = 0; i < UOP_RESULTS && uop->result[i] != REG_SINK; i++)
		times->word[uop->result[i]] = done;
	return done;
}

static void run_uops(struct times *times, const struct core_config *config,
		     const struct segment *segment, const uint16_t *access, uint64_t begin)
{
	uint64_t retired = times->word[TIME_RETIRED];

	for (unsigned i = 0; i < segment->uop_count; i++)
		retired = later(retired, run_uop(times, config, segment, &segment->uops[i],
						 access[segment->uops[i].memory], begin));
	times->word[TIME_RETIRED] = retired;
}

static inline summary_lanes maximum(summary_lanes a, summary_lanes b)
{
#ifdef __SSE2__
	return (summary_lanes)_mm_max_epi16((__m128i)a, (__m128i)b);
#else
	summary_lanes greater = a > b;

	return (a & greater) | (b & ~greater);
#endif
}

/* Computes the longest path to each output, from the segment's start. Returns false if an input is
 * too late for the lanes. */
static inline bool evaluate(const struct times *times, const struct summary *summary,
			    uint64_t begin, summary_lanes after[SUMMARY_OUTPUTS / 8])
{
	bool many = summary->outputs > 8;

	after[0] = summary->base[0];
	after[1] = summary->base[1];
	for (unsigned i = 0; i < summary->inputs; i++) {
		uint64_t when = times->word[summary->input[i]];
		int16_t late;

		if (when <= begin)
			continue;
		if (when - begin > INPUT_LIMIT)
			return false;
		late = when - begin;
		after[0] = maximum(after[0], summary->delta[i][0] + late);
		if (many)
			after[1] = maximum(after[1], summary->delta[i][1] + late);
	}
	return true;
}

static inline void take_ports(struct times *times, const struct segment *segment, uint64_t begin)
{
	uint64_t last = 0;

	for (unsigned i = 0; i < segment->port_count; i++) {
		uint64_t *port = &times->port[segment->ports[i].port];

		*port = later(*port, begin * PORT_PARTS) + segment->ports[i].parts;
		last = later(last, *port);
	}
	times->port_last = later(times->port_last, last / PORT_PARTS);
}

static inline bool run_summary(struct times *times, const struct segment *segment, uint64_t begin)
{
	const struct summary *summary = &segment->summary;
	union {
		summary_lanes lanes[SUMMARY_OUTPUTS / 8];
		int16_t each[SUMMARY_OUTPUTS];
	} after;
	uint64_t retired = times->word[TIME_RETIRED];

	if (!evaluate(times, summary, begin, after.lanes))
		return false;
	for (unsigned i = 0; i < summary->outputs; i++)
		times->word[summary->output[i]] = begin + after.each[i];
	times->word[TIME_RETIRED] = later(times->word[TIME_RETIRED], retired);
	return true;
}

void schedule(struct times *times, const struct core_config *config, const struct segment *segment,
	      const uint16_t *access, bool plain, uint64_t begin)
{
	times->missing = 0;
	times->missed = UINT64_MAX;
	if (!plain || !segment->summary.outputs || times->port_last > begin + PORT_SLACK ||
	    times->word[TIME_FENCE] > begin || !run_summary(times, segment, begin))
		run_uops(times, config, segment, access, begin);
	take_ports(times, segment, begin);
	if (segment->stores)
		times->drained =
		    later(times->drained + segment->drain, times->word[TIME_RETIRED] * DRAIN_PARTS);
}
