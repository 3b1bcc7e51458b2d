/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts the results of a segment's memory accesses: cache levels, pending stores. */
#include "emulator/sim/pipeline/memo_state.h"
#include "emulator/sim/pipeline/origins.h"

#define WORD 8

static uint16_t limit(uint64_t cycles)
{
	return cycles < ACCESS_CYCLES ? cycles : ACCESS_CYCLES;
}

/* Returns the mask of an access's bytes within its n-th aligned word. 0: none. */
static inline uint8_t word_mask(unsigned offset, unsigned size, unsigned n)
{
	unsigned end = offset + size;

	if (!n)
		return (0xff << offset) & (end < WORD ? 0xff >> (WORD - end) : 0xff);
	if (end <= n * WORD)
		return 0;
	return end < (n + 1) * WORD ? 0xff >> ((n + 1) * WORD - end) : 0xff;
}

/* Returns the store that a load of one word depends on: the store buffer may have its bytes. */
static uint16_t forward_word(struct pipeline *pipeline, uint64_t word, uint8_t mask)
{
	struct stored *stored = &pipeline->stored[word % STORED];
	bool pending = stored->number != STORED_KNOWN;
	uint64_t begin = pipeline->cycles;

	if (stored->word != word || !(stored->mask & mask) || (!pending && stored->gone <= begin))
		return 0;
	if (mask & ~stored->mask) {
		pipeline->counts[PIPE_FORWARDS_BLOCKED]++;
		if (pending)
			return ACCESS_BLOCKED_BY | stored->number;
		return ACCESS_BLOCKED | limit(stored->gone - begin);
	}
	pipeline->counts[PIPE_FORWARDS]++;
	if (pending)
		return ACCESS_FROM_STORE | stored->number;
	return stored->ready > begin ? limit(stored->ready - begin + 1) : 0;
}

/* As forward_word(), for a load of several words. */
static uint16_t forward_words(struct pipeline *pipeline, const struct block_access *access,
			      unsigned words)
{
	unsigned offset = access->vaddr % WORD;
	uint64_t word = access->vaddr / WORD;
	uint16_t worst = 0;

	for (unsigned n = 0; n < words; n++) {
		uint16_t one = forward_word(pipeline, word + n, word_mask(offset, access->size, n));

		worst = one > worst ? one : worst;
	}
	return worst;
}

/* True if memory renaming replaces a load that waits for a store's data by that store. name: the
 * load's. */
static bool renames(const struct block *block, const struct stored *stored, uint32_t name)
{
	if (!name)
		return false;
	return name ==
	       (stored->number == STORED_KNOWN ? stored->name : block->store_names[stored->number]);
}

static inline uint16_t forward(struct pipeline *pipeline, const struct block *block,
			       const struct block_access *access, uint16_t place)
{
	unsigned offset = access->vaddr % WORD, end = offset + access->size;
	uint64_t word = access->vaddr / WORD;
	const struct stored *stored = &pipeline->stored[word % STORED];
	uint16_t adds;

	if (end > WORD)
		return forward_words(pipeline, access, (end + WORD - 1) / WORD);
	if (stored->word != word)
		return 0;
	adds = forward_word(pipeline, word, word_mask(offset, access->size, 0));
	if (!adds || !renames(block, stored, block->names[place]))
		return adds;
	switch (adds & ACCESS_KIND) {
	case ACCESS_FROM_STORE:
		return ACCESS_RENAMED_BY | stored->number;
	case ACCESS_FORWARDED:
		return ACCESS_RENAMED | (adds - 1);
	default:
		return adds;
	}
}

static void note_word(struct pipeline *pipeline, uint64_t word, uint8_t mask, uint16_t number)
{
	struct stored *stored = &pipeline->stored[word % STORED];

	if (pipeline->written_count == WRITTEN_MAX)
		return;
	stored->word = word;
	stored->mask = mask;
	stored->number = number;
	pipeline->written[pipeline->written_count++] = stored;
}

static inline void note_store(struct pipeline *pipeline, const struct block_access *access,
			      uint16_t number)
{
	unsigned offset = access->vaddr % WORD;
	uint64_t word = access->vaddr / WORD;

	note_word(pipeline, word, word_mask(offset, access->size, 0), number);
	for (unsigned n = 1; n * WORD < offset + access->size; n++)
		note_word(pipeline, word + n, word_mask(offset, access->size, n), number);
}

static void count_load(struct pipeline *pipeline, const struct access_result *result)
{
	static const uint8_t levels[MEM_LEVELS] = {
	    [MEM_LFB] = PIPE_LOADS_LFB,   [MEM_L2] = PIPE_LOADS_L2,     [MEM_L3] = PIPE_LOADS_L3,
	    [MEM_HITM] = PIPE_LOADS_HITM, [MEM_DRAM] = PIPE_LOADS_DRAM,
	};

	if (result->level != MEM_L1)
		pipeline->counts[levels[result->level]]++;
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

/* first: of its instruction's loads. */
static uint16_t take_load(struct pipeline *pipeline, const struct block *block,
			  const struct block_access *access, uint16_t place, bool first)
{
	const struct access_result *result = access->result;
	uint64_t arrives;

	if (is_plain(result))
		return forward(pipeline, block, access, place);
	if (first)
		count_load(pipeline, result);
	if (result->level != MEM_LFB)
		return ACCESS_LATENCY | limit(result->latency);
	arrives = begin_of(pipeline, access) - pipeline->cycles + result->latency;
	return arrives > ACCESS_CYCLES ? ACCESS_LATENCY | limit(result->latency)
				       : ACCESS_IN_FLIGHT | arrives;
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
	return ACCESS_LATENCY | limit(result->latency);
}

/* Long loads occupy a fill buffer until they have their data. */
static bool fills(const struct noted *noted)
{
	return !noted->store && (noted->adds & ACCESS_KIND) == ACCESS_LATENCY &&
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
		    pipeline->times.word[TIME_STORED + i], drained_cycle(&pipeline->times)};
}

void finish_stores(struct pipeline *pipeline, const struct block *block)
{
	for (unsigned i = 0; i < pipeline->written_count; i++) {
		struct stored *stored = pipeline->written[i];

		if (stored->number == STORED_KNOWN)
			continue; /* two stores of the block to one word: the later one's times
				     hold */
		stored->ready = pipeline->times.store[stored->number].ready;
		stored->gone = pipeline->times.store[stored->number].gone;
		stored->name = block->store_names[stored->number];
		stored->number = STORED_KNOWN;
	}
	pipeline->written_count = 0;
}
