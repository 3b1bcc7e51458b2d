/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds a block: decodes its instructions, fuses compares with branches, splits it into
 * segments. */
#include <stdlib.h>
#include <string.h>

#include "emulator/sim/pipeline/compile.h"
#include "emulator/sim/pipeline/origins.h"
#include "emulator/sim/pipeline/parts.h"
#include "emulator/sim/pipeline/pipeline.h"
#include "emulator/sim/pipeline/ports.h"
#include "emulator/sim/pipeline/stores.h"

_Static_assert(BLOCK_ADDS >= PIPE_FIXED_COUNTS && BLOCK_ADDS % 4 == 0, "BLOCK_ADDS");

struct builder {
	const struct core_config *config;
	struct block *block;
	const struct insn *insns;
	struct segment *segment; /* the one that grows */
	unsigned insn;           /* of the block's, the next to be added */
	uint64_t loaded;         /* bit r: register r's last writer was a load */
	uint64_t sums;           /* bit r: it was an FP addition */
	bool upper;              /* upper halves of vector registers may not be zero */
	struct parts parts;
	struct uop pending[SEGMENT_UOPS_MAX];
};

/* Condition codes that fuse with CMP, ADD, SUB, and with INC, DEC. */
#define CMP_CONDITIONS 0xf0fc /* not O, S, P */
#define INC_CONDITIONS 0xf030 /* also not the ones that read CF */

static bool joins(const struct pipe_config *pipe, const struct insn *insn,
		  const struct insn *branch)
{
	uint16_t bit = 1 << branch->condition;

	if (branch->kind != CLASS_JCC || insn->fusible == FUSIBLE_NO)
		return false;
	switch (pipe->fusion) {
	case FUSE_TEST:
		return insn->fusible == FUSIBLE_TEST || insn->fusible == FUSIBLE_CMP;
	case FUSE_SIMPLE:
		if (insn->fusible == FUSIBLE_TEST || insn->fusible == FUSIBLE_AND)
			return true;
		return bit & (insn->fusible == FUSIBLE_INC ? INC_CONDITIONS : CMP_CONDITIONS);
	default:
		return false;
	}
}

/* True for a plain load of a whole register, whose result is likely to be an address. */
static bool is_pointer_load(const struct insn *insn)
{
	return insn->kind == CLASS_NONE && insn->memory_count == 1 && insn->memory[0].load &&
	       insn->write_count && insn->writes[0] < 16 && insn->operand_size == 8;
}

static void note_writers(struct builder *builder, const struct insn *insn)
{
	for (unsigned i = 0; i < insn->write_count; i++) {
		uint64_t bit = 1ull << insn->writes[i];

		builder->loaded =
		    is_pointer_load(insn) ? builder->loaded | bit : builder->loaded & ~bit;
		builder->sums =
		    insn->kind == CLASS_FADD ? builder->sums | bit : builder->sums & ~bit;
	}
}

static bool reads_sum(const struct builder *builder, const struct insn *insn)
{
	for (unsigned i = 0; i < insn->read_count; i++)
		if (builder->sums >> insn->reads[i] & 1)
			return true;
	return false;
}

static bool has_short_load(const struct builder *builder, const struct insn *insn)
{
	return is_pointer_load(insn) && insn->memory[0].base != REG_NONE &&
	       builder->loaded >> insn->memory[0].base & 1;
}

static void append_uops(struct builder *builder, const struct compiled *compiled)
{
	struct segment *segment = builder->segment;

	for (unsigned i = 0; i < compiled->uop_count; i++) {
		struct uop *uop = &builder->pending[segment->uop_count++];

		*uop = compiled->uops[i];
		uop->memory += segment->memory_count;
		uop->slot = segment->slots;
		if (compiled->slots)
			uop->slot += i < compiled->slots ? i : compiled->slots - 1;
		uop->cycle = uop->slot / builder->config->pipe.width;
	}
}

/* Makes registers whole again before the next instruction, or, without time, at the segment's end.
 */
static void append_merges(struct builder *builder, uint16_t registers, bool quick)
{
	struct segment *segment = builder->segment;

	for (; registers; registers &= registers - 1) {
		struct compiled compiled = {0};

		if (segment->uop_count == SEGMENT_UOPS_MAX)
			return;
		compile_merge(builder->config, (uint8_t)__builtin_ctz(registers), quick, &compiled);
		append_uops(builder, &compiled);
		segment->slots += compiled.slots;
		builder->block->slots += compiled.slots;
		segment->adds.each[PIPE_UOPS_ISSUED] += compiled.slots;
	}
}

/* Completes the segment with its micro-operations. Returns false if there is no memory. */
static bool close_segment(struct builder *builder)
{
	struct segment *segment = builder->segment;

	if (!segment)
		return true;
	append_merges(builder, parts_merge_all(&builder->parts), true);
	builder->segment = NULL;
	segment->uops = malloc(segment->uop_count * sizeof(*segment->uops));
	if (!segment->uops)
		return false;
	memcpy(segment->uops, builder->pending, segment->uop_count * sizeof(*segment->uops));
	return true;
}

/* Starts one more segment; most blocks have one. Returns false if there is no memory. */
static bool open_segment(struct builder *builder)
{
	struct block *block = builder->block;
	struct segment *segments =
	    realloc(block->segments, (block->segment_count + 1u) * sizeof(*segments));

	if (!segments)
		return false;
	block->segments = segments;
	builder->segment = &segments[block->segment_count++];
	memset(builder->segment, 0, sizeof(*builder->segment));
	builder->segment->first_insn = builder->insn;
	return true;
}

static unsigned count_stores(const struct segment *segment)
{
	unsigned count = 0;

	for (unsigned i = 0; i < segment->memory_count; i++)
		count += segment->memory[i].store;
	return count;
}

static void append_memory(struct segment *segment, unsigned insn, const struct compiled *compiled)
{
	for (unsigned i = 0; i < compiled->memory_count; i++) {
		struct segment_memory *memory = &segment->memory[segment->memory_count];

		memory->insn = insn;
		memory->store = compiled->store[i];
		memory->number = count_stores(segment);
		segment->memory_count++;
		segment->loads += !memory->store;
		segment->stores += memory->store;
	}
}

/* Elements of a vector of each width. */
static const uint8_t fp_elements[FP_WIDTHS] = {
    [FP_SCALAR_SINGLE] = 1, [FP_SCALAR_DOUBLE] = 1, [FP_128_SINGLE] = 4,
    [FP_128_DOUBLE] = 2,    [FP_256_SINGLE] = 8,    [FP_256_DOUBLE] = 4,
};

static void count_insn(uint32_t *adds, const struct insn *insn)
{
	bool load = false, store = false;

	for (unsigned i = 0; i < insn->memory_count; i++) {
		load |= insn->memory[i].load;
		store |= insn->memory[i].store;
	}
	adds[PIPE_LOADS] += insn->elements ? insn->elements : load;
	adds[PIPE_STORES] += store;
	adds[PIPE_LOCKED_LOADS] += insn->locked;
	if (insn->fp)
		adds[PIPE_FP_FIRST + insn->fp] += insn->flops;
	if (insn->operation)
		adds[PIPE_FLOPS_FIRST + insn->operation - FP_ADD] +=
		    (uint32_t)fp_elements[insn->fp] * insn->flops;
}

static void append(struct builder *builder, const struct compiled *compiled, unsigned insns)
{
	struct segment *segment = builder->segment;
	uint32_t *adds = segment->adds.each;

	append_uops(builder, compiled);
	append_memory(segment, builder->insn, compiled);
	segment->slots += compiled->slots;
	segment->insns += insns;
	builder->block->slots += compiled->slots;
	adds[PIPE_UOPS_ISSUED] += compiled->slots;
	adds[PIPE_DIVIDER_ACTIVE] += compiled->divider;
	adds[PIPE_DIVISIONS] += compiled->divider != 0;
	adds[PIPE_SLOTS_HEAVY] += compiled->slots > 1 ? compiled->slots : 0;
	adds[PIPE_UOPS_MICROCODE] += compiled->microcoded ? compiled->slots : 0;
	adds[PIPE_FUSED_BRANCHES] += insns - 1;
	adds[PIPE_MOVES_ELIMINATED] += compiled->eliminated;
	count_insn(adds, &builder->insns[builder->insn]);
}

/* True if an instruction starts a segment: the last one is full, or it must be alone. */
static bool needs_segment(const struct builder *builder, const struct insn *insn,
			  const struct compiled *compiled)
{
	const struct segment *segment = builder->segment;

	return !segment || segment->uop_count + compiled->uop_count > SEGMENT_UOPS_MAX ||
	       segment->uop_count >= SEGMENT_UOPS ||
	       segment_has_share(segment, &builder->config->pipe) ||
	       segment->memory_count + compiled->memory_count > SEGMENT_MEMORY || insn->alone;
}

/* The instruction with its registers' parts by their own names, after the merges that it needs. */
static void append_renamed(struct builder *builder, const struct insn *insn,
			   struct neighbours neighbours, struct compiled *compiled)
{
	const struct pipe_config *pipe = &builder->config->pipe;
	struct insn renamed = *insn;

	if (pipe->partial_registers == PARTIAL_NONE)
		return;
	append_merges(builder, parts_merge(&builder->parts, insn), false);
	parts_rename(&builder->parts, pipe, &renamed);
	*compiled = (struct compiled){0};
	compile_insn(builder->config, &renamed, neighbours, compiled);
}

static void note_upper(struct builder *builder, const struct insn *insn)
{
	if (insn->upper != UPPER_KEEPS)
		builder->upper = insn->upper == UPPER_DIRTIES;
}

/* Adds the next instruction, with the branch that fuses with it. False: no memory. */
static bool add_next(struct builder *builder, unsigned count)
{
	const struct insn *insn = &builder->insns[builder->insn];
	bool fused = builder->insn + 1 < count && joins(&builder->config->pipe, insn, insn + 1);
	struct neighbours neighbours = {fused, has_short_load(builder, insn),
					reads_sum(builder, insn), builder->upper};
	struct compiled compiled = {0};

	compile_insn(builder->config, insn, neighbours, &compiled);
	if (needs_segment(builder, insn, &compiled)) {
		if (!close_segment(builder) || !open_segment(builder))
			return false;
	}
	append_renamed(builder, insn, neighbours, &compiled);
	append(builder, &compiled, fused ? 2 : 1);
	builder->segment->serialising = insn->serialising;
	note_writers(builder, insn);
	note_upper(builder, insn);
	builder->insn += fused ? 2 : 1;
	return !insn->alone || close_segment(builder);
}

static bool add_segments(struct builder *builder, unsigned count)
{
	for (unsigned i = 0; i < count;
	     i++) /* the last writer of each register, in case the block is a loop */
		note_writers(builder, &builder->insns[i]);
	while (builder->insn < count)
		if (!add_next(builder, count))
			return false;
	return close_segment(builder);
}

/* Adds a segment's port usage, and the segment, to the block's sums. */
static void add_segment(struct block *block, struct segment *segment)
{
	for (unsigned i = 0; i < segment->port_count; i++)
		if (segment->ports[i].port < PIPE_PORTS_MAX)
			segment->adds.each[PIPE_PORT_FIRST + segment->ports[i].port] +=
			    segment->ports[i].parts;
	for (unsigned i = 0; i < BLOCK_ADDS / 4; i++)
		block->adds.four[i] += segment->adds.four[i];
}

/* Returns the front end's cycles for the block; the last one may be exclusive after a jump. */
static unsigned supply_cycles(const struct pipe_config *pipe, const struct block *block,
			      unsigned bytes)
{
	unsigned cycles;

	if (pipe->uop_cache_width)
		return (block->slots + pipe->uop_cache_width - 1) / pipe->uop_cache_width;
	cycles = (block->insns + pipe->decode_width - 1) / pipe->decode_width;
	return bytes > cycles * pipe->fetch_bytes
		   ? (bytes + pipe->fetch_bytes - 1) / pipe->fetch_bytes
		   : cycles;
}

/* Numbers all accesses. Returns false if there is no memory. */
static bool find_places(struct block *block)
{
	unsigned accesses = 0, stores = 0;

	for (unsigned s = 0; s < block->segment_count; s++)
		accesses += block->segments[s].memory_count;
	block->places = malloc(block->insns * sizeof(*block->places));
	block->store_numbers = malloc((accesses + 1) * sizeof(*block->store_numbers));
	block->names = calloc(accesses + 1, sizeof(*block->names));
	block->sizes = calloc(accesses + 1, sizeof(*block->sizes));
	block->store_names = calloc(accesses + 1, sizeof(*block->store_names));
	block->begins = calloc(accesses + 1, sizeof(*block->begins));
	if (!block->places || !block->store_numbers || !block->names || !block->sizes ||
	    !block->store_names || !block->begins)
		return false;
	memset(block->places, 0xff, block->insns * sizeof(*block->places));
	accesses = 0;
	for (unsigned s = 0; s < block->segment_count; s++) {
		struct segment *segment = &block->segments[s];

		segment->first_memory = accesses;
		segment->first_store = stores;
		for (unsigned i = 0; i < segment->memory_count; i++, accesses++) {
			struct block_places *places = &block->places[segment->memory[i].insn];
			uint16_t *place = segment->memory[i].store ? &places->store : &places->load;

			if (*place == NO_PLACE)
				*place = accesses;
			block->store_numbers[accesses] = stores;
			stores += segment->memory[i].store;
		}
	}
	return true;
}

static void fill_facts(const struct core_config *config, struct block *block,
		       const struct insn_bytes *bytes, const struct insn *insns, unsigned count)
{
	const struct insn *last = &insns[count - 1];
	unsigned supply;

	block->address = bytes[0].address;
	block->last = bytes[count - 1].address;
	block->end = bytes[count - 1].address + bytes[count - 1].length;
	block->insns = count;
	block->branch = last->branch;
	block->repeats = last->repeats;
	block->repeat_cycles = last->round;
	block->repeat_bytes = last->repeats && last->operand_size ? last->memory[0].size : 0;
	if (last->has_target)
		block->target = bytes[count - 1].address + last->target;
	supply =
	    supply_cycles(&config->pipe, block, block->end - block->address) * config->pipe.width;
	block->taken_bubble = config->pipe.taken_bubble * config->pipe.width +
			      (supply > block->slots ? supply - block->slots : 0);
}

/* Renames positions of the x87 stack, relative to its top at the block's start. */
static void rename_x87(struct insn *insns, unsigned count)
{
	int depth = 0;

	for (unsigned i = 0; i < count; i++) {
		struct insn *insn = &insns[i];
		int before = depth, after;

		depth += insn->x87_push;
		after = insn->x87_push > 0 ? depth : before;
		for (unsigned r = 0; insn->x87 && r < insn->read_count; r++)
			if (insn->reads[r] >= REG_X87 && insn->reads[r] < REG_MISC)
				insn->reads[r] =
				    REG_X87 + ((insn->reads[r] - REG_X87 - before) & 7);
		for (unsigned w = 0; insn->x87 && w < insn->write_count; w++)
			if (insn->writes[w] >= REG_X87 && insn->writes[w] < REG_MISC)
				insn->writes[w] =
				    REG_X87 + ((insn->writes[w] - REG_X87 - after) & 7);
	}
}

/* upper: upper halves of vector registers may not be zero when the block begins. */
static bool build(const struct core_config *config, struct block *block,
		  const struct insn_bytes *bytes, const struct insn *insns, unsigned count,
		  bool upper)
{
	struct builder builder = {.config = config, .block = block, .insns = insns, .upper = upper};

	if (!add_segments(&builder, count))
		return false;
	assign_ports(block);
	for (unsigned i = 0; i < block->segment_count; i++) {
		summarise(&block->segments[i]);
		add_segment(block, &block->segments[i]);
	}
	fill_facts(config, block, bytes, insns, count);
	if (!find_places(block))
		return false;
	find_begins(config, block);
	find_drains(config, block, insns);
	name_accesses(config, block, insns);
	return true;
}

static struct block *new_block(const struct core_config *config, const struct insn_bytes *bytes,
			       const struct insn *insns, unsigned count, bool upper)
{
	struct block *block = calloc(1, sizeof(*block));

	if (block && !build(config, block, bytes, insns, count, upper)) {
		block_free(block);
		block = NULL;
	}
	return block;
}

/* Fills in what the block changes beside times, and its other form if that depends on such. */
static bool add_changes(const struct core_config *config, struct block *block,
			const struct insn_bytes *bytes, const struct insn *insns, unsigned count)
{
	bool depends = false, upper = false;

	for (unsigned i = 0; i < count; i++) {
		depends |= insns[i].merges_upper && !upper;
		upper |= insns[i].upper != UPPER_KEEPS;
		if (insns[i].upper != UPPER_KEEPS)
			block->upper = insns[i].upper;
		if (insns[i].direction != DIRECTION_KEEPS)
			block->direction = insns[i].direction;
	}
	if (!config->pipe.upper_blends)
		block->upper = UPPER_KEEPS;
	else if (depends)
		block->blending = new_block(config, bytes, insns, count, true);
	if (block->blending) {
		block->blending->upper = block->upper;
		block->blending->special = block->repeats || block->upper || block->direction;
	}
	block->special =
	    block->repeats || block->upper || block->direction || block->blending != NULL;
	return !depends || !config->pipe.upper_blends || block->blending;
}

struct block *block_new(const struct core_config *config, const struct insn_bytes *insns,
			unsigned n)
{
	struct insn *decoded = n && n <= BLOCK_INSNS_MAX ? calloc(n, sizeof(*decoded)) : NULL;
	struct block *block;

	if (!decoded)
		return NULL;
	for (unsigned i = 0; i < n; i++)
		decode_insn(insns[i].bytes, insns[i].length, &decoded[i]);
	rename_x87(decoded, n);
	block = new_block(config, insns, decoded, n, false);
	if (block && !add_changes(config, block, insns, decoded, n)) {
		block_free(block);
		block = NULL;
	}
	free(decoded);
	return block;
}

void block_free(struct block *block)
{
	if (!block)
		return;
	block_free(block->blending);
	for (unsigned i = 0; i < block->segment_count; i++)
		free(block->segments[i].uops);
	free(block->segments);
	free(block->places);
	free(block->store_numbers);
	free(block->names);
	free(block->sizes);
	free(block->store_names);
	free(block->begins);
	free(block);
}

uint16_t block_store_number(const struct block *block, unsigned insn)
{
	if (!block || insn >= block->insns || block->places[insn].store == NO_PLACE)
		return NO_PLACE;
	return block->store_numbers[block->places[insn].store];
}
