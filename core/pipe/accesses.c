/* SPDX-License-Identifier: BSD-2-Clause */
/* What a segment's accesses to memory found: levels of the caches, stores that are not yet there.
 */
#include "core/pipe/pipeline_state.h"

#define WORD 8

static uint16_t limit(uint64_t cycles)
{
	return cycles < ACCESS_CYCLES ? cycles : ACCESS_CYCLES;
}

/* The bytes of an access within its n-th aligned word. 0: none. */
static inline uint8_t word_mask(unsigned offset, unsigned size, unsigned n)
{
	unsigned end = offset + size;

	if (!n)
		return (0xff << offset) & (end < WORD ? 0xff >> (WORD - end) : 0xff);
	if (end <= n * WORD)
		return 0;
	return end < (n + 1) * WORD ? 0xff >> ((n + 1) * WORD - end) : 0xff;
}

/* What a load of one word waits for: the store buffer may have its bytes. */
static inline uint16_t forward_word(struct pipeline *pipeline, uint64_t word, uint8_t mask,
				    uint64_t begin)
{
	struct stored *stored = &pipeline->stored[word % STORED];
	bool pending = stored->number != STORED_KNOWN;

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
	/* Data that are there already come as soon as from L1D. */
	return stored->ready > begin ? limit(stored->ready - begin + 1) : 0;
}

/* Of a load of several words. */
static uint16_t forward_words(struct pipeline *pipeline, const struct block_access *access,
			      uint64_t begin, unsigned words)
{
	unsigned offset = access->vaddr % WORD;
	uint64_t word = access->vaddr / WORD;
	uint16_t worst = 0;

	for (unsigned n = 0; n < words; n++) {
		uint16_t one =
		    forward_word(pipeline, word + n, word_mask(offset, access->size, n), begin);

		worst = one > worst ? one : worst;
	}
	return worst;
}

static inline uint16_t forward(struct pipeline *pipeline, const struct block_access *access,
			       uint64_t begin)
{
	unsigned offset = access->vaddr % WORD, end = offset + access->size;
	uint64_t word = access->vaddr / WORD;

	if (end > WORD)
		return forward_words(pipeline, access, begin, (end + WORD - 1) / WORD);
	if (pipeline->stored[word % STORED].word != word)
		return 0;
	return forward_word(pipeline, word, word_mask(offset, access->size, 0), begin);
}

static void note_word(struct pipeline *pipeline, uint64_t word, uint8_t mask, uint8_t number)
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
			      uint8_t number)
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

static inline uint16_t take_load(struct pipeline *pipeline, const struct block_access *access,
				 bool first, uint64_t begin)
{
	const struct access_result *result = &access->result;

	if (result->level == MEM_L1 && !result->dtlb_miss && !result->split)
		return forward(pipeline, access, begin);
	if (first)
		count_load(pipeline, result);
	if (result->level > pipeline->level)
		pipeline->level = result->level;
	return (result->level == MEM_LFB ? ACCESS_IN_FLIGHT : ACCESS_LATENCY) |
	       limit(result->latency);
}

static inline uint16_t take_store(struct pipeline *pipeline, const struct block_access *access,
				  bool first, uint8_t number)
{
	const struct access_result *result = &access->result;

	note_store(pipeline, access, number);
	if (result->level == MEM_L1 && !result->dtlb_miss && !result->split)
		return 0;
	if (first) {
		pipeline->counts[PIPE_STORES_STLB_MISS] += result->stlb_miss;
		pipeline->counts[PIPE_STORES_SPLIT] += result->split;
	}
	return ACCESS_LATENCY | limit(result->latency);
}

/* Which of the segment's accesses, from place on, this one is; memory_count: none. */
static inline unsigned find_place(const struct segment *segment, const struct block_access *access,
				  unsigned place)
{
	for (; place < segment->memory_count; place++)
		if (segment->memory[place].insn == access->insn &&
		    segment->memory[place].store == access->store)
			break;
	return place;
}

bool take_accesses(struct pipeline *pipeline, const struct segment *segment,
		   const struct block_events *events, unsigned *next, uint64_t begin,
		   uint16_t access[SEGMENT_MEMORY_MAX])
{
	unsigned end = segment->first_insn + segment->insns, place = 0;
	bool any = false;

	for (; *next < events->accesses && events->access[*next].insn < end; ++*next) {
		const struct block_access *one = &events->access[*next];
		unsigned found = find_place(segment, one, place);
		uint16_t adds;

		if (found == segment->memory_count)
			continue;
		place = found;
		adds = one->store ? take_store(pipeline, one, !access[place],
					       segment->memory[place].number)
				  : take_load(pipeline, one, !access[place], begin);
		if (adds > access[place])
			access[place] = adds;
		any |= adds != 0;
	}
	return any;
}

void finish_stores(struct pipeline *pipeline)
{
	for (unsigned i = 0; i < pipeline->written_count; i++) {
		struct stored *stored = pipeline->written[i];

		if (stored->number == STORED_KNOWN)
			continue; /* two stores of the segment to one word: the later one's times
				     hold */
		stored->ready = pipeline->times.word[TIME_STORED + stored->number];
		stored->gone = pipeline->times.drained;
		stored->number = STORED_KNOWN;
	}
	pipeline->written_count = 0;
}
