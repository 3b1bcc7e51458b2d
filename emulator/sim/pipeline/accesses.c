/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts the results of a segment's memory accesses: cache levels, pending stores. */
#include "emulator/sim/pipeline/memo/memo_state.h"
#include "emulator/sim/pipeline/origins.h"

_Static_assert(LATENCY_MAX == ACCESS_CYCLES, "what memory says is what the pipeline waits");

static uint16_t limit(uint64_t cycles)
{
	return cycles < ACCESS_CYCLES ? cycles : ACCESS_CYCLES;
}

static void count_load(struct pipeline *pipeline, const struct access_result *result)
{
	static const uint8_t levels[MEM_LEVELS] = {
	    [MEM_LFB] = PIPE_LOADS_LFB,   [MEM_L2] = PIPE_LOADS_L2,     [MEM_L3] = PIPE_LOADS_L3,
	    [MEM_HITM] = PIPE_LOADS_HITM, [MEM_DRAM] = PIPE_LOADS_DRAM,
	};

	if (result->level != MEM_L1)
		pipeline->counts[levels[result->level]]++;
	if (result->level > MEM_LFB || result->late)
		pipeline->counts[PIPE_OUTSTANDING] += result->latency;
	pipeline->counts[PIPE_LOADS_STLB_MISS] += result->stlb_miss;
	pipeline->counts[PIPE_LOADS_SPLIT] += result->split;
}

static inline bool is_plain(const struct access_result *result)
{
	return result->level == MEM_L1 && !result->dtlb_miss && !result->split;
}

/* No earlier than the block. */
static uint64_t begin_of(const struct pipeline *pipeline, const struct block_access *access)
{
	return access->begin > pipeline->cycles ? access->begin : pipeline->cycles;
}

/* Returns the effect of an access that is no plain hit: the cycles that it takes, or those until a
 * line in flight arrives. */
static uint16_t until_arrival(const struct pipeline *pipeline, const struct block_access *access)
{
	const struct access_result *result = access->result;
	uint64_t arrives;

	if (result->level != MEM_LFB)
		return ACCESS_LATENCY | limit(result->latency);
	arrives = begin_of(pipeline, access) - pipeline->cycles + result->latency;
	return arrives > ACCESS_CYCLES ? ACCESS_LATENCY | limit(result->latency)
				       : ACCESS_IN_FLIGHT | arrives;
}

/* first: of its instruction's loads. */
static uint16_t take_load(struct pipeline *pipeline, const struct block *block,
			  const struct block_access *access, uint16_t place, bool first)
{
	const struct access_result *result = access->result;

	if (is_plain(result))
		return forward_load(pipeline, block, access, place, first);
	if (first)
		count_load(pipeline, result);
	if (result->level == MEM_HITM)
		forget_stores(pipeline, access->vaddr);
	if (result->level <= MEM_LFB && !result->dtlb_miss) {
		uint16_t adds = forward_load(pipeline, block, access, place, first);

		if (adds && (adds != ACCESS_ALIASED || result->level == MEM_L1))
			return adds;
	}
	return until_arrival(pipeline, access);
}

static uint16_t take_store(struct pipeline *pipeline, const struct block_access *access, bool first,
			   uint16_t number)
{
	const struct access_result *result = access->result;

	if (number < BLOCK_STORES_MAX)
		note_store(pipeline, access, number);
	if (is_plain(result))
		return 0;
	if (first) {
		pipeline->counts[PIPE_STORES_STLB_MISS] += result->stlb_miss;
		pipeline->counts[PIPE_STORES_SPLIT] += result->split;
	}
	return until_arrival(pipeline, access);
}

/* Long accesses occupy a fill buffer until they have their line. */
static bool fills(const struct noted *noted)
{
	return (noted->adds & ACCESS_KIND) == ACCESS_LATENCY &&
	       (noted->adds & ACCESS_CYCLES) >= FAR_MISS;
}

static void fill(struct pipeline *pipeline, const struct noted *noted)
{
	uint64_t begin = noted->done - (noted->adds & ACCESS_CYCLES);

	*fill_buffer(pipeline->fill, pipeline->config->memory.fill_buffers, begin) = noted->done;
}

/* Sets the fill buffers' state after the previous blocks and this one's loads so far. */
static void fill_buffers(struct pipeline *pipeline)
{
	state_fills(pipeline, pipeline->fill);
	for (unsigned i = 0; i < pipeline->noted_count; i++)
		if (fills(&pipeline->noted[i]))
			fill(pipeline, &pipeline->noted[i]);
	pipeline->filled = true;
}

uint64_t pipeline_room(struct pipeline *pipeline, uint64_t begin)
{
	unsigned count = pipeline->config->memory.fill_buffers;
	uint64_t room;

	if (!count || count > FILL_BUFFERS_MAX ||
	    (!pipeline->filled && state_filled(pipeline) + pipeline->noted_count < count))
		return begin;
	if (!pipeline->filled)
		fill_buffers(pipeline);
	room = *fill_buffer(pipeline->fill, count, begin);
	return room > begin ? room : begin;
}

/* A second effect at the same access only lengthens the first. */
static void note(struct pipeline *pipeline, uint16_t place, uint16_t adds,
		 const struct block_access *access)
{
	uint8_t level = access->result->level;
	struct noted *noted;

	if (pipeline->noted_count == NOTED_MAX)
		return;
	noted = &pipeline->noted[pipeline->noted_count];
	*noted = (struct noted){place, adds, level, access->store,
				begin_of(pipeline, access) + access->result->latency};
	if (fills(noted)) {
		noted->done =
		    pipeline_room(pipeline, begin_of(pipeline, access)) + access->result->latency;
		if (pipeline->filled)
			fill(pipeline, noted);
	}
	pipeline->noted_count++;
	/* Each in bits of its own. */
	pipeline->key = key_with(pipeline->key, (uint64_t)place << 24 | level << 16 | adds);
}

static uint64_t begin_of_place(const struct pipeline *pipeline, const struct block *block,
			       unsigned place, unsigned depth);

/* Returns when a load of this block has its data. */
static uint64_t loaded_at(const struct pipeline *pipeline, const struct block *block,
			  unsigned place, unsigned depth)
{
	for (unsigned i = pipeline->noted_count; i--;)
		if (pipeline->noted[i].place == place)
			return pipeline->noted[i].done;
	return depth ? begin_of_place(pipeline, block, place, depth - 1) +
			   pipeline->config->memory.l1d.latency
		     : 0;
}

static uint64_t begin_of_place(const struct pipeline *pipeline, const struct block *block,
			       unsigned place, unsigned depth)
{
	const struct block_begin *known = &block->begins[place];
	uint64_t begin = pipeline->cycles + known->cycle;

	for (unsigned i = 0; i < ORIGINS && known->origin[i].from != ORIGIN_NONE; i++) {
		unsigned from = known->origin[i].from;
		uint64_t ready = from < ORIGIN_LOAD
				     ? state_word(pipeline, from)
				     : loaded_at(pipeline, block, from - ORIGIN_LOAD, depth);

		/* Nothing of the block begins before it does, however long its sources are there.
		 */
		if (ready < pipeline->cycles)
			ready = pipeline->cycles;
		if (ready + known->origin[i].delay > begin)
			begin = ready + known->origin[i].delay;
	}
	return begin;
}

static uint16_t place_of(const struct block *block, unsigned insn, bool store)
{
	if (insn >= block->insns)
		return NO_PLACE;
	return store ? block->places[insn].store : block->places[insn].load;
}

uint64_t pipeline_begin(const struct pipeline *pipeline, const struct block *block, unsigned insn,
			bool store)
{
	uint16_t place = place_of(block, insn, store);
	uint64_t fence = state_word(pipeline, TIME_FENCE), begin;

	if (place == NO_PLACE)
		return pipeline->cycles;
	begin = begin_of_place(pipeline, block, place, ORIGIN_DEPTH);
	return begin > fence ? begin : fence;
}

void pipeline_access(struct pipeline *pipeline, const struct block *block,
		     const struct block_access *access)
{
	unsigned count = pipeline->noted_count;
	uint16_t place = place_of(block, access->insn, access->store), adds;
	bool first;

	if (place == NO_PLACE)
		return;
	first = !count || pipeline->noted[count - 1].place != place;
	adds = access->store ? take_store(pipeline, access, first, block->store_numbers[place])
			     : take_load(pipeline, block, access, place, first);
	if (adds)
		note(pipeline, place, adds, access);
}

bool take_accesses(struct pipeline *pipeline, const struct segment *segment,
		   uint16_t access[SEGMENT_MEMORY_MAX])
{
	bool any = false;

	for (unsigned i = 0; i < pipeline->noted_count; i++) {
		const struct noted *noted = &pipeline->noted[i];
		unsigned place = (unsigned)noted->place - segment->first_memory;

		if (place >= segment->memory_count)
			continue;
		any = true;
		if (noted->adds > access[place])
			access[place] = noted->adds;
		if (!segment->memory[place].store && noted->level > pipeline->level)
			pipeline->level = noted->level;
	}
	return any;
}

void finish_segment_stores(struct pipeline *pipeline, const struct segment *segment)
{
	for (unsigned i = 0; i < segment->stores && segment->first_store + i < BLOCK_STORES_MAX;
	     i++)
		pipeline->times.store[segment->first_store + i] = (struct store_times){
		    (uint32_t)(pipeline->times.word[TIME_STORED + i] - pipeline->times.block),
		    (uint32_t)(drained_cycle(&pipeline->times) - pipeline->times.block)};
}
