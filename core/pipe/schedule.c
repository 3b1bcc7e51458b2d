/* SPDX-License-Identifier: BSD-2-Clause */
/* When the micro-operations of a segment begin and end: a list scheduler in program order. */
#include <stddef.h>
#include <string.h>

#include "core/pipe/schedule.h"

#define FAR_MISS 64 /* loads that take longer hold a fill buffer that others may wait for */

/* One segment under way. */
struct run {
	const struct scheduler *scheduler;
	struct pipe_state *state;
	const uint16_t *access;
	struct outcome *out;
	uint32_t ready[SCHEDULE_WORDS];
	uint32_t base;  /* cycles that the segment has stood still */
	uint32_t first; /* slots that were filled when it began */
};

void scheduler_init(struct scheduler *scheduler, const struct core_config *config)
{
	unsigned ports = 0;

	for (unsigned unit = 0; unit < UNITS; unit++)
		ports |= config->pipe.ports[unit];
	memset(scheduler, 0, sizeof(*scheduler));
	scheduler->config = config;
	scheduler->reciprocal = 65536 / config->pipe.width + 1;
	scheduler->tracks = EXECUTED_LEVELS + (ports ? 32 - __builtin_clz(ports) : 0);
}

static void shift_track(uint64_t track[2], uint32_t cycles)
{
	if (cycles >= 128) {
		track[0] = track[1] = 0;
	} else if (cycles >= 64) {
		track[0] = track[1] >> (cycles - 64);
		track[1] = 0;
	} else if (cycles) {
		track[0] = track[0] >> cycles | track[1] << (64 - cycles);
		track[1] >>= cycles;
	}
}

void state_age(const struct scheduler *scheduler, struct pipe_state *state, uint32_t cycles)
{
	uint16_t slot = state->ready[STATE_SLOT], passed = cycles < 0xffff ? cycles : 0xffff;

	if (!cycles)
		return;
	for (unsigned i = 0; i < STATE_WORDS; i++)
		state->ready[i] = state->ready[i] > passed ? state->ready[i] - passed : 0;
	state->ready[STATE_SLOT] = slot;
	for (unsigned i = 0; i < scheduler->tracks; i++)
		shift_track(state->begins[i], cycles);
}

bool state_equal(const struct scheduler *scheduler, const struct pipe_state *a,
		 const struct pipe_state *b)
{
	return !memcmp(
	    a, b, offsetof(struct pipe_state, begins) + scheduler->tracks * sizeof(a->begins[0]));
}

static bool is_set(const uint64_t track[2], uint32_t cycle)
{
	return track[cycle >> 6] >> (cycle & 63) & 1;
}

static void set(uint64_t track[2], uint32_t cycle)
{
	track[cycle >> 6] |= 1ull << (cycle & 63);
}

/* Micro-operations that wait, those far away left out. */
static unsigned count_waiting(const struct run *run)
{
	unsigned count = 0;

	for (unsigned i = EXECUTED_LEVELS; i < run->scheduler->tracks; i++)
		count += __builtin_popcountll(run->state->begins[i][0]) +
			 __builtin_popcountll(run->state->begins[i][1]);
	return count;
}

/* The scheduler has room for so many: stands still until it has for the segment's. */
static void wait_for_scheduler(struct run *run, const struct segment *segment)
{
	unsigned room = run->scheduler->config->pipe.scheduler, waiting = count_waiting(run);

	if (!room)
		return;
	while (waiting && waiting + segment->ported > room && run->base < STATE_CYCLES) {
		for (unsigned i = EXECUTED_LEVELS; i < run->scheduler->tracks; i++)
			waiting -= is_set(run->state->begins[i], run->base);
		run->base++;
	}
	if (run->base)
		run->first = 0;
	run->out->stall_scheduler = run->base;
}

/* The first cycle from earliest in which a port of the micro-operation is free; STATE_CYCLES: far.
 */
static uint32_t find_free(const struct run *run, uint16_t ports, uint32_t earliest)
{
	uint64_t low = ~0ull, high = ~0ull;

	for (; ports; ports &= ports - 1) {
		const uint64_t *track = run->state->begins[EXECUTED_LEVELS + __builtin_ctz(ports)];

		low &= track[0];
		high &= track[1];
	}
	if (earliest < 64) {
		low = ~low & ~0ull << earliest;
		if (low)
			return __builtin_ctzll(low);
		earliest = 64;
	}
	high = ~high & ~0ull << (earliest - 64);
	return high ? 64 + __builtin_ctzll(high) : STATE_CYCLES;
}

static void count_executed(struct run *run, uint32_t cycle)
{
	run->out->executed++;
	if (cycle >= STATE_CYCLES) {
		run->out->executed_levels[0]++;
		return;
	}
	for (unsigned level = 0; level < EXECUTED_LEVELS; level++)
		if (!is_set(run->state->begins[level], cycle)) {
			set(run->state->begins[level], cycle);
			run->out->executed_levels[level]++;
			return;
		}
}

/* Takes a port for the micro-operation, not before earliest. Returns when. */
static uint32_t take_port(struct run *run, const struct uop *uop, uint32_t earliest)
{
	uint32_t cycle = earliest, order = uop->order;

	if (!uop->ports)
		return earliest;
	if (earliest < STATE_CYCLES)
		cycle = find_free(run, uop->ports, earliest);
	count_executed(run, cycle);
	if (cycle >= STATE_CYCLES) {
		run->out->ports[order & 15]++;
		return cycle;
	}
	while (is_set(run->state->begins[EXECUTED_LEVELS + (order & 15)], cycle))
		order >>= 4;
	set(run->state->begins[EXECUTED_LEVELS + (order & 15)], cycle);
	run->out->ports[order & 15]++;
	return cycle;
}

/* A load of this latency holds a fill buffer from begin on. Returns when it gets one. */
static uint32_t take_fill_buffer(struct run *run, uint32_t begin, uint32_t latency)
{
	const struct scheduler *scheduler = run->scheduler;
	unsigned count = scheduler->config->memory.fill_buffers, first = 0;
	uint64_t when = scheduler->now + begin;

	if (!count || latency < FAR_MISS || !scheduler->fill_buffers)
		return begin;
	for (unsigned i = 1; i < count; i++)
		if (scheduler->fill_buffers[i] < scheduler->fill_buffers[first])
			first = i;
	if (scheduler->fill_buffers[first] > when)
		when = scheduler->fill_buffers[first];
	scheduler->fill_buffers[first] = when + latency;
	return when - scheduler->now;
}

static uint32_t later(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* When a load that begins then has its data. */
static uint32_t load(struct run *run, const struct uop *uop, uint32_t begin)
{
	const struct pipe_config *pipe = &run->scheduler->config->pipe;
	uint16_t access = run->access[uop->memory], cycles = access & ACCESS_CYCLES;
	uint32_t done;

	if (!access)
		return begin + uop->latency;
	switch (access & ACCESS_KIND) {
	case ACCESS_LATENCY:
		begin = take_fill_buffer(run, begin, cycles);
		done = begin + cycles + uop->latency - run->scheduler->config->memory.l1d.latency;
		run->out->missing = later(run->out->missing, done);
		return done;
	case ACCESS_IN_FLIGHT:
		done = later(begin + uop->latency, cycles);
		run->out->missing = later(run->out->missing, done);
		return done;
	case ACCESS_FROM_STORE:
		return later(begin, run->out->stored[cycles]) + pipe->forward_latency;
	case ACCESS_BLOCKED:
		return later(begin, cycles) + pipe->forward_blocked + pipe->forward_latency;
	default:
		return later(begin, access - 1) + pipe->forward_latency;
	}
}

/* A store's data are there: it may be forwarded now, and leaves the buffer once all has retired. */
static void store(struct run *run, const struct segment *segment, const struct uop *uop,
		  uint32_t done)
{
	uint16_t access = run->access[uop->memory];
	uint32_t leaves = later(run->ready[STATE_DRAIN] + 1, later(run->ready[STATE_RETIRE], done));

	if ((access & ACCESS_KIND) == ACCESS_LATENCY)
		leaves = later(leaves, done + (access & ACCESS_CYCLES));
	run->ready[STATE_DRAIN] = leaves;
	run->out->stored[segment->memory[uop->memory].number] = done < 0xffff ? done : 0xffff;
}

/* When the micro-operation's sources are there. */
static uint32_t sources_ready(const struct run *run, const struct uop *uop, uint32_t issued)
{
	uint32_t a = later(run->ready[uop->source[0]], run->ready[uop->source[1]]);
	uint32_t b = later(run->ready[uop->source[2]], run->ready[uop->source[3]]);

	return later(issued, later(a, b));
}

static uint32_t execute(struct run *run, const struct segment *segment, const struct uop *uop,
			uint32_t issued)
{
	uint32_t begin = sources_ready(run, uop, issued), done;

	if (uop->kind == UOP_NONE)
		return begin;
	if (uop->busy) {
		begin = later(begin, run->ready[uop->unit]);
		run->ready[uop->unit] = begin + uop->busy;
	}
	if (uop->fence)
		begin = later(begin, run->ready[STATE_DRAIN]);
	begin = take_port(run, uop, begin);
	done = uop->kind == UOP_LOAD ? load(run, uop, begin) : begin + uop->latency;
	if (uop->kind == UOP_STORE_DATA)
		store(run, segment, uop, done);
	if (uop->fence)
		run->ready[STATE_FENCE] =
		    later(begin + run->scheduler->config->pipe.lock_latency, done);
	if (uop->branch)
		run->out->branch_done = done;
	return done;
}

static void retire(struct run *run, uint32_t done)
{
	if (done <= run->ready[STATE_RETIRE])
		return;
	run->ready[STATE_RETIRE] = done;
	run->out->retire_cycles++;
}

/* Waits until all before it has retired, and lets nothing issue before it is done. */
static void serialise(struct run *run, const struct uop *uop, uint32_t issued)
{
	uint32_t begin = later(issued, run->ready[STATE_RETIRE]), done = begin + uop->latency;

	for (unsigned i = 0; i < UOP_RESULTS; i++)
		run->ready[uop->result[i]] = done;
	run->out->stall_serialise += done - issued;
	run->base += done - issued;
	retire(run, done);
}

static void run_uop(struct run *run, const struct segment *segment, const struct uop *uop)
{
	uint32_t slots = run->first + uop->slot;
	uint32_t issued = run->base + (slots * run->scheduler->reciprocal >> 16), done;

	if (uop->kind == UOP_SERIALISE) {
		serialise(run, uop, issued);
		return;
	}
	done = execute(run, segment, uop, issued);
	for (unsigned i = 0; i < UOP_RESULTS; i++)
		run->ready[uop->result[i]] = done;
	retire(run, later(done, issued + 1));
}

/* Turns what was counted from the segment's begin into what the next one finds. */
static void leave(struct run *run, const struct segment *segment)
{
	unsigned width = run->scheduler->config->pipe.width;
	uint32_t slots = run->first + segment->slots;

	run->out->cycles = run->base + slots / width;
	run->out->retired = run->ready[STATE_RETIRE];
	run->out->drained = run->ready[STATE_DRAIN];
	for (unsigned i = 0; i < STATE_WORDS; i++)
		run->state->ready[i] = run->ready[i] < 0xffff ? run->ready[i] : 0xffff;
	state_age(run->scheduler, run->state, run->out->cycles);
	run->state->ready[STATE_SLOT] = slots % width;
}

void schedule(const struct scheduler *scheduler, const struct segment *segment,
	      const uint16_t access[SEGMENT_MEMORY_MAX], struct pipe_state *state,
	      struct outcome *out)
{
	struct run run = {scheduler, state, access, out, {0}, 0, state->ready[STATE_SLOT]};
	uint32_t earliest;

	memset(out, 0, sizeof(*out));
	for (unsigned i = 0; i < STATE_WORDS; i++)
		run.ready[i] = state->ready[i];
	run.ready[STATE_SLOT] = 0;
	wait_for_scheduler(&run, segment);
	earliest = run.ready[STATE_RETIRE] + segment->slots / scheduler->config->pipe.retire_width;
	for (unsigned i = 0; i < segment->uop_count; i++)
		run_uop(&run, segment, &segment->uops[i]);
	run.ready[STATE_RETIRE] = later(run.ready[STATE_RETIRE], earliest);
	leave(&run, segment);
}
