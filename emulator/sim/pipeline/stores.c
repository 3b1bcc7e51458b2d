/* SPDX-License-Identifier: BSD-2-Clause */
/* Relations of a block's stores to each other and to its loads: lines and names. */
#include "emulator/sim/pipeline/schedule.h"
#include "emulator/sim/pipeline/stores.h"

#define NAME_WHOLE (1u << 31) /* 8 bytes, else 4 */
#define NAME_KNOWN (1u << 30)
/* bits of a name below the register */
#define DISPLACEMENT_BITS 25

#define LINE_SHIFT 6
_Static_assert(1 << LINE_SHIFT == CORE_LINE_SIZE, "lines");

static const struct insn_memory *memory_of(const struct insn *insn, bool store)
{
	for (unsigned i = 0; i < insn->memory_count; i++)
		if (store ? insn->memory[i].store : insn->memory[i].load)
			return &insn->memory[i];
	return &insn->memory[0];
}

/* Returns the name of an access by one register and a displacement: both, and the size. 0: it has
 * no name. */
static uint32_t name_of(const struct insn *insn, bool store)
{
	const struct insn_memory *memory = memory_of(insn, store);

	if (insn->vector_size || insn->x87 || insn->stack_engine || memory->base >= 16 ||
	    memory->index != REG_NONE || (memory->size != 4 && memory->size != 8) ||
	    memory->displacement < -(1 << (DISPLACEMENT_BITS - 1)) ||
	    memory->displacement >= 1 << (DISPLACEMENT_BITS - 1))
		return 0;
	return NAME_KNOWN | (memory->size == 8 ? NAME_WHOLE : 0) |
	       (uint32_t)memory->base << DISPLACEMENT_BITS |
	       (memory->displacement & ((1 << DISPLACEMENT_BITS) - 1));
}

/* Returns the bytes of an access of more than a word that is made whole; else 0. */
static uint8_t whole_size(const struct insn *insn, bool store)
{
	unsigned size = memory_of(insn, store)->size;

	return insn->kind != CLASS_MASKMOV && size > 8 ? (uint8_t)size : 0;
}

void name_accesses(const struct core_config *config, struct block *block, const struct insn *insns)
{
	for (unsigned s = 0; s < block->segment_count; s++) {
		const struct segment *segment = &block->segments[s];

		for (unsigned i = 0; i < segment->memory_count; i++) {
			const struct segment_memory *memory = &segment->memory[i];
			unsigned place = segment->first_memory + i;
			uint32_t name = config->pipe.memory_renaming
					    ? name_of(&insns[memory->insn], memory->store)
					    : 0;

			block->names[place] = name;
			block->sizes[place] = whole_size(&insns[memory->insn], memory->store);
			if (memory->store)
				block->store_names[block->store_numbers[place]] = name;
		}
	}
}

/* True if both are in one line, assuming that their register points to a line's start. */
static bool same_line(const struct insn_memory *a, const struct insn_memory *b)
{
	return a->base == b->base && a->index == b->index &&
	       a->displacement >> LINE_SHIFT == b->displacement >> LINE_SHIFT;
}

/* The state of the walk over the block's stores. */
struct lines {
	const struct insn_memory *first, *last;
	unsigned run; /* stores to the last one's line, one after the other */
	bool one;     /* all so far are to one line */
};

/* Returns the next store's time in L1D: the first of a few to one line takes it. */
static unsigned take_line(const struct core_config *config, struct lines *lines,
			  const struct insn_memory *memory)
{
	bool same = lines->last && same_line(lines->last, memory);

	if (!lines->last)
		*lines = (struct lines){memory, memory, 0, true};
	lines->one &= same || lines->first == memory;
	lines->run = same ? lines->run + 1 : 0;
	lines->last = memory;
	return lines->run % config->pipe.stores_a_cycle ? 0 : DRAIN_PARTS;
}

static void walk(const struct core_config *config, struct block *block, const struct insn *insns,
		 struct lines *lines)
{
	for (unsigned s = 0; s < block->segment_count; s++) {
		struct segment *segment = &block->segments[s];

		segment->drain = 0;
		for (unsigned i = 0; i < segment->memory_count; i++)
			if (segment->memory[i].store)
				segment->drain +=
				    take_line(config, lines,
					      memory_of(&insns[segment->memory[i].insn], true));
	}
}

void find_drains(const struct core_config *config, struct block *block, const struct insn *insns)
{
	struct lines lines = {0};

	/* A second walk, in case the block is a loop: its first store follows its last. */
	walk(config, block, insns, &lines);
	walk(config, block, insns, &lines);
	for (unsigned s = 0; s < block->segment_count; s++)
		if (!config->pipe.one_line || lines.one)
			block->segments[s].drain =
			    block->segments[s].stores * DRAIN_PARTS / config->pipe.stores_a_cycle;
}
