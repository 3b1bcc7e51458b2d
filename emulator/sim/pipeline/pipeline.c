/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds blocks to a processor's time: their waits, the work in flight, and the state after them. */
#include <stdlib.h>

#include "emulator/sim/pipeline/memo/memo.h"

#define ADDED_BLOCKS_MAX 4096 /* a block adds less than 2 to the 20 of anything */
#define REPEAT_BYTES     32   /* that MOVS and STOS move a cycle */
#define DOWN_CYCLES      1    /* of an element that they move downwards */

static const struct stored_pair no_stores = {
    .way = {{.number = STORED_KNOWN}, {.number = STORED_KNOWN}}};

struct pipeline *pipeline_new(const struct core_config *config)
{
	struct pipeline *pipeline = calloc(1, sizeof(*pipeline));

	if (!pipeline)
		return NULL;
	pipeline->config = config;
	pipeline->slot_time = CYCLE_TICKS / config->pipe.width;
	if (!memo_new(pipeline)) {
		free(pipeline);
		return NULL;
	}
	for (unsigned i = 0; i < STORED; i++)
		pipeline->stored[i] = no_stores;
	return pipeline;
}

void pipeline_free(struct pipeline *pipeline)
{
	if (pipeline)
		memo_free(pipeline->memo);
	free(pipeline);
}

/* Returns the slots from the next one to be filled until that cycle. */
static uint64_t slots_between(const struct pipeline *pipeline, uint64_t until)
{
	uint64_t from = pipeline->now;

	if (pipeline->resume * CYCLE_TICKS > from)
		from = pipeline->resume * CYCLE_TICKS;
	return (until * CYCLE_TICKS - from + pipeline->slot_time / 2) / pipeline->slot_time;
}

/* Issues nothing until then; `which` counts the cycles, `slots` the lost slots. */
static void wait_until(struct pipeline *pipeline, uint64_t until, enum pipe_count which,
		       enum pipe_count slots)
{
	uint64_t from = present_cycle(pipeline);

	if (until <= from)
		return;
	pipeline->counts[which] += until - from;
	if (slots != PIPE_COUNTS)
		pipeline->counts[slots] += slots_between(pipeline, until);
	pipeline->resume = until;
}

/* Counts stalls of the back end between two times, by cause. */
static void count_stall(struct pipeline *pipeline, enum pipe_count which, uint64_t from,
			uint64_t until)
{
	uint64_t *counts = pipeline->counts;

	counts[which] += until - from;
	for (unsigned i = 0; i < 3; i++) {
		uint64_t end = pipeline->missing[i] < until ? pipeline->missing[i] : until;

		if (end <= from)
			continue;
		counts[PIPE_STALL_L1D_MISS + i] += end - from;
		if (!i)
			counts[PIPE_SPENT_MEMORY] += (end - from) * pipeline->config->pipe.width;
	}
	if (which == PIPE_STALL_STORE_BUFFER && pipeline->missing[0] <= from)
		counts[PIPE_SPENT_MEMORY] += (until - from) * pipeline->config->pipe.width;
}

/* Returns when ROB and load buffer have room for the segment; which: the last cause of waiting. */
static uint64_t wait_for_window(struct pipeline *pipeline, const struct segment *segment,
				uint64_t begin, enum pipe_count *which)
{
	const struct pipe_config *pipe = &pipeline->config->pipe;

	while (pipeline->first != pipeline->end) {
		struct in_flight *oldest = &pipeline->window[pipeline->first % WINDOW];
		bool full = pipeline->slots + segment->slots > pipe->rob;

		if (!full && pipeline->loads + segment->loads <= pipe->load_buffer)
			break;
		if (oldest->retired > begin) {
			begin = oldest->retired;
			*which = full ? PIPE_STALL_ROB : PIPE_STALL_LOAD_BUFFER;
		}
		pipeline->slots -= oldest->slots;
		pipeline->loads -= oldest->loads;
		pipeline->first++;
	}
	return begin;
}

/* Waits until the store buffer has room for the segment. */
static uint64_t wait_for_stores(struct pipeline *pipeline, const struct segment *segment,
				uint64_t begin, enum pipe_count *which)
{
	unsigned room = pipeline->config->pipe.store_buffer;

	while (pipeline->first_store != pipeline->end_store &&
	       pipeline->stores + segment->stores > room) {
		struct draining *oldest = &pipeline->storing[pipeline->first_store % STORE_WINDOW];

		if (oldest->drained > begin) {
			begin = oldest->drained;
			*which = PIPE_STALL_STORE_BUFFER;
		}
		pipeline->stores -= oldest->stores;
		pipeline->first_store++;
	}
	return begin;
}

/* Waits for room in the scheduler: it is full of waiting micro-operations if ports are far
 * behind. */
static uint64_t wait_for_scheduler(struct pipeline *pipeline, uint64_t begin,
				   enum pipe_count *which)
{
	uint64_t behind = pipeline->config->pipe.scheduler;

	if (!behind || pipeline->times.port_last <= begin + behind)
		return begin;
	*which = PIPE_STALL_SCHEDULER;
	return pipeline->times.port_last - behind;
}

/* Returns the cycle in which the segment starts to issue; advances the pipeline's time to it. */
static uint64_t find_begin(struct pipeline *pipeline, const struct segment *segment)
{
	enum pipe_count which = PIPE_COUNTS;
	uint64_t begin, room;

	if (pipeline->resume * CYCLE_TICKS <= pipeline->now)
		pipeline->now += (uint64_t)pipeline->bubble * pipeline->slot_time;
	if (pipeline->resume * CYCLE_TICKS > pipeline->now) {
		pipeline->now = pipeline->resume * CYCLE_TICKS;
		pipeline->bubble = 0;
	}
	begin = pipeline->now / CYCLE_TICKS;
	room = wait_for_window(pipeline, segment, begin, &which);
	room = wait_for_stores(pipeline, segment, room, &which);
	room = wait_for_scheduler(pipeline, room, &which);
	if (segment->serialising && pipeline->times.word[TIME_RETIRED] > room) {
		room = pipeline->times.word[TIME_RETIRED];
		which = PIPE_STALL_SERIALISE;
	}
	if (room > begin) {
		count_stall(pipeline, which, begin, room);
		pipeline->now = room * CYCLE_TICKS;
	} else {
		pipeline->counts[PIPE_SLOTS_FRONTEND] += pipeline->bubble;
	}
	pipeline->bubble = 0;
	return room;
}

/* Loads of the segment missed L1D from `begin` to `end`: counts these cycles once, by the farthest
 * level that one of them needed. */
static void note_misses(struct pipeline *pipeline, uint64_t begin, uint64_t end)
{
	static const uint8_t levels[MEM_LEVELS] = {
	    [MEM_LFB] = 1, [MEM_L2] = 1, [MEM_L3] = 2, [MEM_HITM] = 3, [MEM_DRAM] = 3};

	for (unsigned i = 0; i < levels[pipeline->level]; i++) {
		uint64_t from = pipeline->missing[i] > begin ? pipeline->missing[i] : begin;

		if (end <= from)
			continue;
		pipeline->counts[PIPE_PENDING_L1D_MISS + i] += end - from;
		pipeline->missing[i] = end;
	}
}

/* Until it retires, or its stores have left the buffer, a segment has the entries that it got when
 * it issued. */
static void push_window(struct pipeline *pipeline, const struct segment *segment, uint64_t begin)
{
	struct in_flight *entry = &pipeline->window[pipeline->end++ % WINDOW];
	struct draining *draining;
	uint64_t *counts = pipeline->counts, rob = pipeline->config->pipe.rob;

	entry->retired = pipeline->times.word[TIME_RETIRED];
	/* Microcode of more slots than the buffer passes through it. */
	counts[PIPE_ROB_ENTRIES] +=
	    (segment->slots < rob ? segment->slots : rob) * (entry->retired - begin);
	counts[PIPE_LOAD_ENTRIES] += segment->loads * (entry->retired - begin);
	entry->slots = segment->slots;
	entry->loads = segment->loads;
	pipeline->slots += segment->slots;
	pipeline->loads += segment->loads;
	if (!segment->stores)
		return;
	draining = &pipeline->storing[pipeline->end_store++ % STORE_WINDOW];
	draining->drained = drained_cycle(&pipeline->times);
	draining->stores = segment->stores;
	counts[PIPE_STORE_ENTRIES] += segment->stores * (draining->drained - begin);
	pipeline->stores += segment->stores;
}

/* Counts cycles in which something retired: estimated for the time since the last segment. */
static void count_retirement(struct pipeline *pipeline, const struct segment *segment,
			     uint64_t before)
{
	uint64_t cycles = pipeline->times.word[TIME_RETIRED] - before;

	pipeline->counts[PIPE_RETIRE_CYCLES] += cycles < segment->slots ? cycles : segment->slots;
}

static void run_segment(struct pipeline *pipeline, const struct segment *segment)
{
	uint16_t access[SEGMENT_MEMORY_MAX] = {0};
	uint64_t begin = find_begin(pipeline, segment), before = pipeline->times.word[TIME_RETIRED];
	bool plain = true;

	pipeline->level = MEM_L1;
	if (pipeline->noted_count)
		plain = !take_accesses(pipeline, segment, access);
	schedule(&pipeline->times, pipeline->config, segment, access, plain, begin);
	pipeline->now += (uint64_t)segment->slots * pipeline->slot_time;
	if (pipeline->written_count)
		finish_segment_stores(pipeline, segment);
	if (pipeline->level != MEM_L1)
		note_misses(pipeline, pipeline->times.missed, pipeline->times.missing);
	if (segment->serialising)
		wait_until(pipeline, pipeline->times.word[TIME_RETIRED], PIPE_STALL_SERIALISE,
			   PIPE_COUNTS);
	push_window(pipeline, segment, begin);
	count_retirement(pipeline, segment, before);
}

/* Returns the cycles of a further iteration that hits: MOVS and STOS go by bytes, but downwards by
 * elements. Intel 248966, 'REP prefix and data movement': fast strings need ascending addresses. */
static uint64_t round_cycles(struct pipeline *pipeline, const struct block *block)
{
	uint64_t cycles;

	if (block->repeat_cycles || pipeline->backwards)
		return block->repeat_cycles > DOWN_CYCLES ? block->repeat_cycles : DOWN_CYCLES;
	pipeline->repeated_bytes += block->repeat_bytes;
	cycles = pipeline->repeated_bytes / REPEAT_BYTES;
	pipeline->repeated_bytes %= REPEAT_BYTES;
	return cycles;
}

/* A further iteration of a repeated string instruction also waits for misses, one by one; for a
 * line in flight the iteration waited that asked for it. */
static __attribute__((noinline)) void repeat(struct pipeline *pipeline, const struct block *block)
{
	unsigned buffers = pipeline->config->memory.fill_buffers;
	uint64_t cycles = round_cycles(pipeline, block);

	for (unsigned i = 0; i < pipeline->noted_count; i++)
		if (pipeline->noted[i].level > MEM_LFB)
			cycles +=
			    (pipeline->noted[i].adds & ACCESS_CYCLES) / (buffers ? buffers : 1);
	wait_until(pipeline, present_cycle(pipeline) + cycles, PIPE_STALL_ROB, PIPE_COUNTS);
}

/* Charges the front end's losses after the block's branch. */
static void follow_branch(struct pipeline *pipeline, const struct block *block,
			  const struct block_events *events)
{
	const struct pipe_config *pipe = &pipeline->config->pipe;

	if (events->outcome & BRANCH_MISPREDICTED) {
		pipeline->counts[PIPE_MISPREDICTS]++;
		wait_until(pipeline, pipeline->times.word[TIME_BRANCH] + pipe->mispredict,
			   PIPE_STALL_RECOVERY, PIPE_SLOTS_BAD_SPECULATION);
	} else if (events->outcome & BRANCH_RESTEERED) {
		pipeline->counts[PIPE_RESTEERS]++;
		pipeline->counts[PIPE_SPENT_FETCH_LATENCY] += pipe->resteer * pipe->width;
		wait_until(pipeline, present_cycle(pipeline) + pipe->resteer, PIPE_STALL_RESTEER,
			   PIPE_SLOTS_FRONTEND);
	} else if (events->outcome & BRANCH_TAKEN) {
		pipeline->bubble = block->taken_bubble;
	}
}

static void add_fixed(struct pipeline *pipeline, const union block_adds *adds)
{
	for (unsigned i = 0; i < BLOCK_ADDS / 4; i++)
		pipeline->added.four[i] += adds->four[i];
	if (++pipeline->added_blocks == ADDED_BLOCKS_MAX)
		add_up(pipeline);
}

/* Returns how many of the block's segments ran: the ones whose first instruction was executed. */
static unsigned segments_of(const struct block *block, unsigned executed)
{
	unsigned nr = block->segment_count;

	while (nr && block->segments[nr - 1].first_insn >= executed)
		nr--;
	return nr;
}

/* Runs segment by segment; counts everything except the fixed counts. */
static void run_block(struct pipeline *pipeline, const struct block *block, unsigned segments,
		      const struct block_events *events)
{
	pipeline->times.block = pipeline->cycles;
	if (events->fetch_cycles) {
		pipeline->counts[PIPE_SPENT_FETCH_LATENCY] +=
		    (uint64_t)events->fetch_cycles * pipeline->config->pipe.width;
		wait_until(pipeline, present_cycle(pipeline) + events->fetch_cycles,
			   PIPE_STALL_FETCH, PIPE_SLOTS_FRONTEND);
	}
	for (unsigned i = 0; i < segments; i++)
		run_segment(pipeline, &block->segments[i]);
	follow_branch(pipeline, block, events);
	pipeline->cycles = present_cycle(pipeline);
}

/* Simulates a block that is not in the memo. */
static __attribute__((noinline)) void work_out(struct pipeline *pipeline, struct block *block,
					       const struct block_events *events, uint64_t key)
{
	memo_begin(pipeline, block);
	run_block(pipeline, block, block->segment_count, events);
	memo_end(pipeline, block, key, events->executed);
	add_fixed(pipeline, &block->adds);
	pipeline->instructions += events->executed;
	if (pipeline->written_count)
		finish_written(pipeline, block, pipeline->times.store, pipeline->times.block);
}

/* The block was left early: instructions that did not start take no time, and come again. */
static __attribute__((noinline)) void run_part(struct pipeline *pipeline, const struct block *block,
					       const struct block_events *events)
{
	unsigned segments = segments_of(block, events->executed);

	memo_leave(pipeline);
	run_block(pipeline, block, segments, events);
	for (unsigned i = 0; i < segments; i++)
		add_fixed(pipeline, &block->segments[i].adds);
	pipeline->instructions += events->executed;
	if (pipeline->written_count)
		finish_written(pipeline, block, pipeline->times.store, pipeline->times.block);
	pipeline->repeating = 0;
}

void pipeline_change(struct pipeline *pipeline, uint8_t upper, uint8_t direction)
{
	if (upper != UPPER_KEEPS)
		pipeline->upper = upper == UPPER_DIRTIES;
	if (upper == UPPER_RESTORES)
		pipeline->other_upper = false;
	if (direction != DIRECTION_KEEPS)
		pipeline->backwards = direction == DIRECTION_DOWN;
}

void pipeline_change_ring(struct pipeline *pipeline)
{
	bool upper = pipeline->upper, backwards = pipeline->backwards;

	pipeline->upper = pipeline->other_upper;
	pipeline->backwards = pipeline->other_backwards;
	pipeline->other_upper = upper;
	pipeline->other_backwards = backwards;
}

/* Returns the form of the block that runs now; what it changes beside times is done. */
static struct block *form_of(struct pipeline *pipeline, struct block *block)
{
	struct block *form = pipeline->upper && block->blending ? block->blending : block;

	pipeline_change(pipeline, block->upper, block->direction);
	return form;
}

void pipeline_block(struct pipeline *pipeline, struct block *block,
		    const struct block_events *events)
{
	uint64_t key = memo_key(pipeline, events);

	if (block->special)
		block = form_of(pipeline, block);
	if (events->executed < block->insns) {
		run_part(pipeline, block, events);
	} else if (pipeline->repeating && pipeline->repeating == block->address &&
		   block->insns == 1) {
		memo_leave(pipeline);
		repeat(pipeline, block);
		pipeline->cycles = present_cycle(pipeline);
	} else {
		if (!memo_follow(pipeline, block, key))
			work_out(pipeline, block, events, key);
		pipeline->repeating = block->repeats ? block->last : 0;
	}
	pipeline_forget(pipeline);
}

void pipeline_forget(struct pipeline *pipeline)
{
	for (unsigned i = 0; i < pipeline->written_count; i++) {
		pipeline->stored[pipeline->written[i]] = no_stores;
		pipeline->stored_until[pipeline->written[i]] = 0;
	}
	pipeline->written_count = 0;
	pipeline->stored_round += BLOCK_STORES_MAX;
	pipeline->noted_count = 0;
	pipeline->filled = false;
	pipeline->key = 0;
}

void pipeline_forget_blocks(struct pipeline *pipeline)
{
	memo_clear(pipeline);
}

void pipeline_drain(struct pipeline *pipeline)
{
	memo_leave(pipeline);
	wait_until(pipeline, pipeline->times.word[TIME_RETIRED], PIPE_STALL_SERIALISE, PIPE_COUNTS);
	pipeline->cycles = present_cycle(pipeline);
}

void pipeline_wait(struct pipeline *pipeline, uint64_t cycles)
{
	memo_leave(pipeline);
	wait_until(pipeline, present_cycle(pipeline) + cycles, PIPE_STALL_SERIALISE, PIPE_COUNTS);
	pipeline->cycles = present_cycle(pipeline);
}

/* Completes the work in flight, and restarts the front end `cycles` cycles later. */
static void restart(struct pipeline *pipeline, uint64_t cycles)
{
	uint64_t from, end;

	memo_leave(pipeline);
	from = present_cycle(pipeline);
	end = pipeline->times.word[TIME_RETIRED];
	if (end < from)
		end = from;
	pipeline->repeating = 0;
	wait_until(pipeline, end + cycles, PIPE_STALL_SERIALISE, PIPE_COUNTS);
	pipeline->cycles = present_cycle(pipeline);
}

void pipeline_interrupt(struct pipeline *pipeline)
{
	restart(pipeline, pipeline->config->pipe.interrupt_latency);
}

void pipeline_clear(struct pipeline *pipeline)
{
	restart(pipeline, pipeline->config->pipe.machine_clear);
}

void pipeline_assist(struct pipeline *pipeline)
{
	restart(pipeline, pipeline->config->pipe.fp_assist);
}
