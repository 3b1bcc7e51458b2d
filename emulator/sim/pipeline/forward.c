/* SPDX-License-Identifier: BSD-2-Clause */
/* Store forwarding: what a load takes from the stores before it, by the rules of the core. */
#include "emulator/sim/pipeline/pipeline_state.h"

#define WORD STORED_WORD

static uint16_t limit(uint64_t cycles, uint16_t most)
{
	return cycles < most ? (uint16_t)cycles : most;
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

static bool is_held(const struct pipeline *pipeline, const struct stored *stored)
{
	return stored->number != STORED_KNOWN || stored->gone > pipeline->cycles;
}

/* Returns the last store to any of these bytes that the buffer holds; NULL: there is none. */
static const struct stored *holder(const struct pipeline *pipeline, uint64_t word, uint8_t mask)
{
	const struct stored_pair *pair = &pipeline->stored[word % STORED];

	for (unsigned i = 0; i < 2; i++) {
		const struct stored *stored = &pair->way[pair->latest ^ i];

		if (stored->word == word && (stored->mask & mask) && is_held(pipeline, stored))
			return stored;
	}
	return NULL;
}

/* True if the last store to the word's slot is to these bytes of another page. */
static bool aliases(const struct pipeline *pipeline, uint64_t word, uint8_t mask)
{
	const struct stored_pair *pair = &pipeline->stored[word % STORED];
	const struct stored *stored = &pair->way[pair->latest];

	return stored->word != word && (stored->mask & mask) && is_held(pipeline, stored);
}

/* Returns the place of the word as that store has written it; NULL: it has not. */
static const struct stored *word_of(const struct pipeline *pipeline, uint64_t word, uint64_t id)
{
	const struct stored_pair *pair = &pipeline->stored[word % STORED];

	for (unsigned i = 0; i < 2; i++)
		if (pair->way[i].word == word && pair->way[i].id == id)
			return &pair->way[i];
	return NULL;
}

/* The bytes of a whole store. */
struct extent {
	uint64_t start;
	unsigned size;
};

static struct extent extent_of(const struct pipeline *pipeline, const struct stored *stored)
{
	const struct stored *first = stored, *last = stored, *next;
	struct extent extent;

	while ((next = word_of(pipeline, first->word - 1, stored->id)))
		first = next;
	while ((next = word_of(pipeline, last->word + 1, stored->id)))
		last = next;
	extent.start = first->word * WORD + (unsigned)__builtin_ctz(first->mask);
	extent.size =
	    (unsigned)(last->word * WORD + 32 - (unsigned)__builtin_clz(last->mask) - extent.start);
	return extent;
}

/* True if a load of `size` bytes whose bytes are all a store's may take them from it. */
static bool may_forward(const struct pipeline *pipeline, const struct stored *stored,
			const struct block_access *access, unsigned size)
{
	enum forwarding rule = pipeline->config->pipe.forwarding;
	struct extent extent;
	uint64_t offset;

	if (rule == FORWARD_CONTAINED)
		return true;
	extent = extent_of(pipeline, stored);
	offset = access->vaddr - extent.start;
	if (rule == FORWARD_EIGHTS)
		return extent.size < 2 * WORD || offset % WORD + size <= WORD ||
		       (size >= 2 * WORD && offset % size == 0);
	if (access->result->split)
		return false;
	return !offset || (rule == FORWARD_NATURAL &&
			   (((size == 4 || size == 8) && access->vaddr % size == 0) ||
			    (size == 2 && extent.size == 4 && access->vaddr % 2 == 0)));
}

/* always: reports the access even if it takes no longer than from L1D. */
static uint16_t from_store(struct pipeline *pipeline, const struct stored *stored, bool split,
			   bool always)
{
	uint16_t flag = split ? ACCESS_SPLIT : 0;

	pipeline->counts[PIPE_FORWARDS]++;
	if (stored->number != STORED_KNOWN)
		return ACCESS_FROM_STORE | flag | stored->number;
	if (stored->ready <= pipeline->cycles)
		return split || always ? ACCESS_FORWARDED | flag | 1 : 0;
	return ACCESS_FORWARDED | flag |
	       limit(stored->ready - pipeline->cycles + 1, ACCESS_SPLIT - 1);
}

static uint16_t blocked_by(const struct pipeline *pipeline, const struct stored *stored)
{
	if (stored->number != STORED_KNOWN)
		return ACCESS_BLOCKED_BY | stored->number;
	return ACCESS_BLOCKED | limit(stored->gone - pipeline->cycles, ACCESS_CYCLES);
}

/* The stores that a load's bytes come from: the one that has all, or the last one to wait for. */
struct sources {
	const struct stored *whole;
	uint16_t blocked;
	bool any, partial, aliased;
};

static void look_at_word(const struct pipeline *pipeline, uint64_t word, uint8_t mask,
			 struct sources *sources)
{
	const struct stored *stored = holder(pipeline, word, mask), *whole = sources->whole;
	uint16_t blocked;

	sources->aliased |= !stored && aliases(pipeline, word, mask);
	sources->partial |= !stored || (mask & ~stored->mask) || (whole && whole->id != stored->id);
	if (!stored)
		return;
	if (!whole)
		sources->whole = stored;
	blocked = blocked_by(pipeline, stored);
	if (blocked > sources->blocked)
		sources->blocked = blocked;
}

/* Intel's manual 248966, 'Aliasing memory addresses': a load waits for a store to the same offset
 * in another page as if it were the same, and is issued again. */
static uint16_t aliased(struct pipeline *pipeline)
{
	if (!pipeline->config->pipe.alias_penalty)
		return 0;
	pipeline->counts[PIPE_FORWARDS_ALIASED]++;
	return ACCESS_ALIASED;
}

/* True if memory renaming replaces a load that waits for a store's data by that store. name: the
 * load's. */
static bool renames(const struct block *block, const struct stored *stored, uint32_t name)
{
	return name &&
	       name == (stored->number == STORED_KNOWN ? stored->name
						       : block->store_names[stored->number]);
}

static uint16_t rename_load(const struct stored *stored, uint16_t adds)
{
	switch (adds & ACCESS_KIND) {
	case ACCESS_FROM_STORE:
		return ACCESS_RENAMED_BY | stored->number;
	case ACCESS_FORWARDED:
		return ACCESS_RENAMED | (adds - 1);
	default:
		return adds;
	}
}

/* Looks at all words of a load that may have been stored to lately. */
static struct sources sources_of(const struct pipeline *pipeline, uint64_t vaddr, unsigned size)
{
	unsigned offset = vaddr % WORD;
	uint64_t word = vaddr / WORD;
	struct sources sources = {0};

	for (unsigned n = 0; n * WORD < offset + size; n++)
		if (pipeline->stored_until[(word + n) % STORED] > pipeline->cycles)
			look_at_word(pipeline, word + n, word_mask(offset, size, n), &sources);
		else
			sources.partial = true;
	return sources;
}

/* QEMU loads vectors in pieces, from the first on. Returns the bytes of the whole, if this is a
 * piece. */
static unsigned whole_size(const struct block *block, const struct block_access *access,
			   uint16_t place)
{
	return block->sizes[place] > access->size ? block->sizes[place] : access->size;
}

uint16_t forward_load(struct pipeline *pipeline, const struct block *block,
		      const struct block_access *access, uint16_t place, bool first)
{
	unsigned size = whole_size(block, access, place);
	struct sources sources;
	uint16_t adds;

	if (size > access->size && !first)
		return 0; /* the first piece has looked for all */
	sources = sources_of(pipeline, access->vaddr, access->later ? access->size : size);
	if (!sources.whole)
		return sources.aliased && !access->later ? aliased(pipeline) : 0;
	/* A later piece, of which no store has the earlier ones. */
	sources.partial |= access->later && size > access->size;
	if (sources.partial || !may_forward(pipeline, sources.whole, access, size)) {
		pipeline->counts[PIPE_FORWARDS_BLOCKED]++;
		return sources.blocked;
	}
	adds = from_store(pipeline, sources.whole, access->result->split,
			  size > access->size || access->result->level != MEM_L1);
	return adds && renames(block, sources.whole, block->names[place])
		   ? rename_load(sources.whole, adds)
		   : adds;
}

void note_store(struct pipeline *pipeline, const struct block_access *access, uint16_t number)
{
	unsigned offset = access->vaddr % WORD;
	uint64_t word = access->vaddr / WORD;

	for (unsigned n = 0; n * WORD < offset + access->size; n++)
		pipeline_stores_word(pipeline, word + n, word_mask(offset, access->size, n),
				     number);
}

void forget_stores(struct pipeline *pipeline, uint64_t vaddr)
{
	const struct stored none = {.number = STORED_KNOWN};
	uint64_t first = vaddr / CORE_LINE_SIZE * (CORE_LINE_SIZE / WORD);

	for (uint64_t word = first; word < first + CORE_LINE_SIZE / WORD; word++)
		for (unsigned i = 0; i < 2; i++)
			if (pipeline->stored[word % STORED].way[i].word == word)
				pipeline->stored[word % STORED].way[i] = none;
}

static void finish_way(struct stored *stored, const struct block *block,
		       const struct store_times *times, uint64_t since)
{
	if (stored->number == STORED_KNOWN)
		return;
	stored->ready = since + times[stored->number].ready;
	stored->gone = since + times[stored->number].gone;
	stored->name = block->store_names[stored->number];
	stored->number = STORED_KNOWN;
}

void finish_written(struct pipeline *pipeline, const struct block *block,
		    const struct store_times *times, uint64_t since)
{
	for (unsigned i = 0; i < pipeline->written_count; i++) {
		unsigned slot = pipeline->written[i];
		struct stored_pair *pair = &pipeline->stored[slot];

		finish_way(&pair->way[0], block, times, since);
		finish_way(&pair->way[1], block, times, since);
		pipeline->stored_until[slot] = pair->way[pair->latest].gone;
	}
	pipeline->written_count = 0;
	pipeline->stored_round += BLOCK_STORES_MAX;
}
