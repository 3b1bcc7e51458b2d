/* SPDX-License-Identifier: BSD-2-Clause */
/* Works out a block: decodes its instructions, joins compares with branches, cuts it into segments.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/pipe/compile.h"

struct builder {
	const struct core_config *config;
	struct block *block;
	const struct insn *insns;
	struct segment *segment; /* the one that grows */
	unsigned insn;           /* of the block's, the next to be added */
	uint64_t loaded;         /* bit r: register r's last writer was a load */
	struct uop pending[SEGMENT_UOPS_MAX];
};

static atomic_uint serials = 1;

/* By condition code: those that CMP, ADD, SUB and those that INC, DEC can be joined with. */
#define CMP_CONDITIONS 0xf0fc /* not O, S, P */
#define INC_CONDITIONS 0xf030 /* not those that look at CF either */

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

/* Whether the instruction is a plain load of a whole register, whose result may be an address soon.
 */
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
	}
}

static bool has_short_load(const struct builder *builder, const struct insn *insn)
{
	return is_pointer_load(insn) && insn->memory[0].base != REG_NONE &&
	       builder->loaded >> insn->memory[0].base & 1;
}

/* How much each port is asked for, when every micro-operation takes equal shares of its ports. */
static void measure_demand(const struct uop *uops, unsigned count, unsigned demand[PIPE_PORTS_MAX])
{
	memset(demand, 0, PIPE_PORTS_MAX * sizeof(*demand));
	for (unsigned i = 0; i < count; i++)
		for (unsigned port = 0; port < PIPE_PORTS_MAX; port++)
			if (uops[i].ports >> port & 1)
				demand[port] += 5040 / __builtin_popcount(uops[i].ports);
}

/* The ports of a micro-operation, the least demanded first. */
static uint32_t order_ports(uint16_t ports, const unsigned demand[PIPE_PORTS_MAX])
{
	uint32_t order = 0;

	for (unsigned place = 0; ports && place < 8; place++) {
		unsigned best = __builtin_ctz(ports);

		for (unsigned port = best + 1; port < PIPE_PORTS_MAX; port++)
			if (ports >> port & 1 && demand[port] < demand[best])
				best = port;
		order |= best << (4 * place);
		ports &= ~(1u << best);
	}
	return order;
}

/* The segment is complete: gives it its micro-operations. Returns false without memory. */
static bool close_segment(struct builder *builder)
{
	struct segment *segment = builder->segment;
	unsigned demand[PIPE_PORTS_MAX];

	if (!segment)
		return true;
	builder->segment = NULL;
	segment->uops = malloc(segment->uop_count * sizeof(*segment->uops));
	if (!segment->uops)
		return false;
	memcpy(segment->uops, builder->pending, segment->uop_count * sizeof(*segment->uops));
	measure_demand(segment->uops, segment->uop_count, demand);
	for (unsigned i = 0; i < segment->uop_count; i++) {
		segment->uops[i].order = order_ports(segment->uops[i].ports, demand);
		segment->ported += segment->uops[i].ports != 0;
	}
	return true;
}

static void open_segment(struct builder *builder)
{
	struct block *block = builder->block;

	builder->segment = &block->segments[block->segment_count++];
	builder->segment->serial = atomic_fetch_add(&serials, 1);
	builder->segment->first_insn = builder->insn;
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

static void append_uops(struct builder *builder, const struct compiled *compiled)
{
	struct segment *segment = builder->segment;

	for (unsigned i = 0; i < compiled->uop_count; i++) {
		struct uop *uop = &builder->pending[segment->uop_count++];

		*uop = compiled->uops[i];
		uop->memory += segment->memory_count;
		uop->slot = segment->slots + (i < compiled->slots ? i : compiled->slots - 1);
	}
}

static void count_insn(struct segment_counts *counts, const struct insn *insn)
{
	bool load = false, store = false;

	for (unsigned i = 0; i < insn->memory_count; i++) {
		load |= insn->memory[i].load;
		store |= insn->memory[i].store;
	}
	counts->loads += load;
	counts->stores += store;
	counts->locked += insn->locked;
	if (insn->fp)
		counts->fp[insn->fp] += insn->flops;
}

static void append(struct builder *builder, const struct compiled *compiled, unsigned insns)
{
	struct segment *segment = builder->segment;

	append_uops(builder, compiled);
	append_memory(segment, builder->insn, compiled);
	segment->slots += compiled->slots;
	segment->insns += insns;
	segment->counts.slots += compiled->slots;
	segment->counts.divider += compiled->divider;
	segment->counts.heavy_slots += compiled->slots > 1 ? compiled->slots : 0;
	segment->counts.microcode_slots += compiled->microcoded ? compiled->slots : 0;
	segment->counts.fused_branches += insns - 1;
	segment->counts.moves_eliminated += compiled->eliminated;
	count_insn(&segment->counts, &builder->insns[builder->insn]);
}

/* Whether an instruction begins a segment: the last is full, or it shall be alone. */
static bool needs_segment(const struct builder *builder, const struct insn *insn,
			  const struct compiled *compiled)
{
	const struct segment *segment = builder->segment;

	return !segment || segment->uop_count + compiled->uop_count > SEGMENT_UOPS_MAX ||
	       segment->uop_count >= SEGMENT_UOPS ||
	       segment->memory_count + compiled->memory_count > SEGMENT_MEMORY || insn->serialising;
}

/* Adds the next instruction, and with it the branch that is joined with it. False without memory.
 */
static bool add_next(struct builder *builder, unsigned count)
{
	const struct insn *insn = &builder->insns[builder->insn];
	bool fused = builder->insn + 1 < count && joins(&builder->config->pipe, insn, insn + 1);
	struct compiled compiled;

	compile_insn(builder->config, insn, fused, has_short_load(builder, insn), &compiled);
	if (needs_segment(builder, insn, &compiled)) {
		if (!close_segment(builder))
			return false;
		open_segment(builder);
	}
	append(builder, &compiled, fused ? 2 : 1);
	note_writers(builder, insn);
	builder->insn += fused ? 2 : 1;
	return !insn->serialising || close_segment(builder);
}

static bool add_segments(struct builder *builder, unsigned count)
{
	for (unsigned i = 0; i < count;
	     i++) /* who wrote a register last, should the block be a loop */
		note_writers(builder, &builder->insns[i]);
	while (builder->insn < count)
		if (!add_next(builder, count))
			return false;
	return close_segment(builder);
}

/* Cycles that the front end needs for the block; the last one may not be shared behind a jump. */
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

static void add_counts(struct block *block, const struct segment *segment)
{
	block->slots += segment->slots;
	block->loads += segment->counts.loads;
	block->stores += segment->counts.stores;
	block->locked += segment->counts.locked;
	for (unsigned i = 0; i < FP_WIDTHS; i++)
		block->fp[i] += segment->counts.fp[i];
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
	block->repeat_bytes = last->repeats && last->operand_size ? last->memory[0].size : 0;
	if (last->has_target)
		block->target = bytes[count - 1].address + last->target;
	for (unsigned i = 0; i < block->segment_count; i++)
		add_counts(block, &block->segments[i]);
	supply =
	    supply_cycles(&config->pipe, block, block->end - block->address) * config->pipe.width;
	block->taken_bubble = config->pipe.taken_bubble * config->pipe.width +
			      (supply > block->slots ? supply - block->slots : 0);
}

/* Names places of the x87 stack from its top at the block's begin. */
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

static bool build(const struct core_config *config, struct block *block,
		  const struct insn_bytes *bytes, struct insn *insns, unsigned count)
{
	struct builder builder = {.config = config, .block = block, .insns = insns};

	for (unsigned i = 0; i < count; i++)
		decode_insn(bytes[i].bytes, bytes[i].length, &insns[i]);
	rename_x87(insns, count);
	block->segments = calloc(count, sizeof(*block->segments));
	if (!block->segments || !add_segments(&builder, count))
		return false;
	fill_facts(config, block, bytes, insns, count);
	return true;
}

struct block *block_new(const struct core_config *config, const struct insn_bytes *insns,
			unsigned n)
{
	struct block *block = calloc(1, sizeof(*block));
	struct insn *decoded = n && n <= BLOCK_INSNS_MAX ? calloc(n, sizeof(*decoded)) : NULL;

	if (!block || !decoded || !build(config, block, insns, decoded, n)) {
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
	for (unsigned i = 0; i < block->segment_count; i++)
		free(block->segments[i].uops);
	free(block->segments);
	free(block);
}
