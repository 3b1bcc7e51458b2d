/* SPDX-License-Identifier: BSD-2-Clause */
/* Translates an instruction to micro-operations: loads, then the computation, then stores. */
#include <string.h>

#include "emulator/sim/pipeline/compile.h"

#define MICROCODE_SLOTS 5 /* instructions of at least this many slots come from the sequencer */

struct context {
	const struct core_config *config;
	const struct insn *insn;
	struct neighbours neighbours;
	struct compiled *out;
};

/* Classes that few cores distinguish from another one: a table without a row for one uses its row
 * of the other. 0: none. */
static const uint8_t relatives[CLASSES] = {
    [CLASS_MOVE_32] = CLASS_MOVE,      [CLASS_LOGIC] = CLASS_ALU,
    [CLASS_ADD_SMALL] = CLASS_ALU,     [CLASS_LEA_SMALL] = CLASS_LEA,
    [CLASS_LEA_RIP] = CLASS_LEA,       [CLASS_LEA_ALL] = CLASS_LEA_SLOW,
    [CLASS_BZHI] = CLASS_BMI,          [CLASS_SHUFFLE_FEW] = CLASS_SHUFFLE,
    [CLASS_PACK] = CLASS_SHUFFLE,      [CLASS_BLEND_WORDS] = CLASS_SHUFFLE,
    [CLASS_BLENDV_VEX] = CLASS_BLENDV, [CLASS_LOOP_FLAG] = CLASS_LOOP,
    [CLASS_GATHER_8] = CLASS_GATHER,
};

#define HIGH_BYTE_LATENCY 1 /* of reading AH and its kind where they are renamed apart */

static bool is_listed(const struct timing *row)
{
	return row->latency || row->slots || row->uops[0].count;
}

/* The timing of a class on this core. */
static const struct timing *timing_of(const struct timings *timings, enum insn_class class)
{
	static const struct timing nothing;

	for (; timings; timings = timings->base) {
		if (is_listed(&timings->rows[class]))
			return &timings->rows[class];
		if (relatives[class] && is_listed(&timings->rows[relatives[class]]))
			return &timings->rows[relatives[class]];
	}
	return &nothing;
}

unsigned pipe_latency(const struct pipe_config *pipe, enum insn_class class)
{
	return pipe->latencies[class] ? pipe->latencies[class] - 1u
				      : timing_of(pipe->timings, class)->latency;
}

static struct uop *add_uop(struct context *context, enum uop_kind kind, unsigned unit,
			   unsigned latency)
{
	struct compiled *out = context->out;
	struct uop *uop =
	    &out->uops[out->uop_count < INSN_UOPS_MAX ? out->uop_count++ : INSN_UOPS_MAX - 1];

	memset(uop, 0, sizeof(*uop));
	uop->kind = kind;
	uop->latency = latency;
	uop->ports = context->config->pipe.ports[unit];
	uop->unit = uop->port = NO_PORT;
	memset(uop->source, REG_ZERO, sizeof(uop->source));
	memset(uop->result, REG_SINK, sizeof(uop->result));
	return uop;
}

static void add_source(struct uop *uop, uint8_t reg)
{
	for (unsigned i = 0; i < UOP_SOURCES; i++)
		if (uop->source[i] == REG_ZERO || uop->source[i] == reg) {
			uop->source[i] = reg;
			return;
		}
}

static void add_result(struct uop *uop, uint8_t reg)
{
	for (unsigned i = 0; i < UOP_RESULTS; i++)
		if (uop->result[i] == REG_SINK) {
			uop->result[i] = reg;
			return;
		}
}

static bool is_vector_register(uint8_t reg)
{
	return reg >= REG_VECTOR && reg < REG_X87;
}

/* Returns the latency of a load that hits L1D. */
static unsigned load_latency(const struct context *context, const struct insn_memory *memory,
			     bool direct)
{
	const struct pipe_config *pipe = &context->config->pipe;
	const struct insn *insn = context->insn;
	unsigned latency = context->config->memory.l1d.latency;

	if (insn->vector_size || insn->x87)
		return latency + pipe->vector_latency +
		       (insn->vector_size == 32 ? pipe->wide_latency : 0);
	if (insn->sign_extends)
		latency += pipe->sign_latency;
	if (memory->index != REG_NONE)
		return latency + pipe->long_latency + (memory->complex ? pipe->complex_latency : 0);
	return direct && context->neighbours.short_load && memory->simple
		   ? latency
		   : latency + pipe->long_latency;
}

static unsigned vector_parts(const struct context *context)
{
	unsigned bytes = context->config->pipe.vector_bytes;

	return bytes && context->insn->vector_size > bytes ? context->insn->vector_size / bytes : 1;
}

static void add_address(struct uop *uop, const struct insn_memory *memory)
{
	if (memory->base != REG_NONE)
		add_source(uop, memory->base);
	if (memory->index != REG_NONE)
		add_source(uop, memory->index);
	add_source(uop, TIME_FENCE);
}

/* Adds loads. direct: the loaded value is the result. Returns their number. */
static unsigned add_loads(struct context *context, bool direct)
{
	const struct insn *insn = context->insn;
	unsigned count = 0;

	for (unsigned i = 0; i < insn->memory_count; i++) {
		const struct insn_memory *memory = &insn->memory[i];
		struct uop *uop;

		if (!memory->load)
			continue;
		uop = add_uop(context, UOP_LOAD, UNIT_LOAD, load_latency(context, memory, direct));
		add_address(uop, memory);
		add_result(uop, count ? REG_LOADED_2 : REG_LOADED);
		uop->memory = context->out->memory_count;
		context->out->store[context->out->memory_count++] = false;
		for (unsigned w = 0; direct && w < insn->write_count; w++)
			add_result(uop, insn->writes[w]);
		/* A part of the destination is kept. */
		for (unsigned r = 0; direct && r < insn->read_count; r++)
			if (is_vector_register(insn->reads[r]) || insn->operand_size < 4)
				add_source(uop, insn->reads[r]);
		if (insn->locked)
			uop->fence = true;
		count++;
	}
	return count;
}

/* Returns the unit that reads a store's data from the registers. */
static unsigned store_unit(const struct context *context)
{
	const struct insn *insn = context->insn;
	bool vector = insn->vector_size && insn->read_count && is_vector_register(insn->reads[0]);

	return vector && context->config->pipe.ports[UNIT_STORE_VECTOR] ? UNIT_STORE_VECTOR
									: UNIT_STORE_DATA;
}

static void add_stores(struct context *context, bool computed)
{
	const struct insn *insn = context->insn;

	for (unsigned i = 0; i < insn->memory_count; i++) {
		const struct insn_memory *memory = &insn->memory[i];
		struct uop *uop;

		if (!memory->store)
			continue;
		uop = add_uop(context, UOP_STORE_ADDRESS, UNIT_STORE_ADDRESS, 1);
		add_address(uop, memory);
		uop->memory = context->out->memory_count;
		uop = add_uop(context, UOP_STORE_DATA, store_unit(context), 0);
		if (computed)
			add_source(uop, REG_RESULT);
		for (unsigned r = 0; !computed && r < insn->read_count; r++)
			add_source(uop, insn->reads[r]);
		if (!computed)
			add_source(uop, insn->memory_count > 1 ? REG_LOADED : REG_ZERO);
		uop->memory = context->out->memory_count;
		context->out->store[context->out->memory_count++] = true;
	}
}

/* Adds the sources of the computation, combined into one if there are too many. */
static void add_sources(struct context *context, struct uop *uop, unsigned loads)
{
	const struct insn *insn = context->insn;
	uint8_t all[INSN_READS_MAX + 2];
	unsigned count = 0;

	if (insn->ones_idiom || (insn->zero_idiom && !context->config->pipe.zeros_wait))
		return;
	for (unsigned i = 0; i < loads; i++)
		all[count++] = REG_LOADED + i;
	for (unsigned i = 0; i < insn->read_count; i++)
		all[count++] = insn->reads[i];
	for (unsigned i = 0; i < count && i < UOP_SOURCES; i++)
		uop->source[i] = all[i];
	if (insn->false_dependency & context->config->pipe.false_dependencies)
		add_source(uop, insn->writes[0]);
}

static void add_results(struct context *context, struct uop *uop, bool stores)
{
	const struct insn *insn = context->insn;

	if (stores)
		add_result(uop, REG_RESULT);
	for (unsigned i = 0; i < insn->write_count; i++)
		add_result(uop, insn->writes[i]);
}

static bool stores_something(const struct insn *insn)
{
	for (unsigned i = 0; i < insn->memory_count; i++)
		if (insn->memory[i].store)
			return true;
	return false;
}

/* Returns the resource that its first micro-operation occupies: for ALUs the microcode
 * sequencer. */
static uint8_t busy_port(enum pipe_unit unit)
{
	switch (unit) {
	case UNIT_DIV:
		return PORT_DIV;
	case UNIT_ALU:
		return PORT_SEQUENCER;
	default:
		return PORT_FDIV;
	}
}

static unsigned latency_of(const struct context *context, const struct timing *timing)
{
	const struct pipe_config *pipe = &context->config->pipe;
	bool chain = context->neighbours.sum && context->insn->kind == CLASS_FADD;
	bool high = pipe->partial_registers == PARTIAL_HIGH && context->insn->part_reads[PART_HIGH];

	return timing->latency + (high ? HIGH_BYTE_LATENCY : 0) - (chain ? pipe->add_chain : 0);
}

/* Adds the computation: the first micro-operation yields the results, the others only use ports. */
static unsigned add_execution(struct context *context, const struct timing *timing, unsigned loads)
{
	const struct insn *insn = context->insn;
	bool fused = context->neighbours.fused;
	unsigned parts = vector_parts(context), added = 0;

	for (unsigned k = 0; k < 3; k++) {
		for (unsigned n = 0; n < timing->uops[k].count * parts; n++, added++) {
			unsigned unit = fused && !added ? UNIT_JCC : timing->uops[k].unit;
			struct uop *uop = add_uop(
			    context, insn->serialising && !added ? UOP_SERIALISE : UOP_EXECUTE,
			    unit, added ? 1 : latency_of(context, timing));

			add_sources(context, uop, loads);
			if (added)
				continue;
			add_results(context, uop, stores_something(context->insn));
			uop->branch = fused || insn->branch != BRANCH_NONE;
			if (timing->busy <= 1)
				continue;
			uop->unit = busy_port(timing->uops[k].unit);
			uop->busy = timing->busy;
			if (uop->unit != PORT_SEQUENCER)
				context->out->divider += timing->busy;
		}
	}
	return added;
}

/* True if the result keeps part of a vector register besides a general register's value. */
static bool merges(const struct insn *insn)
{
	bool general = false, vector = false;

	for (unsigned i = 0; i < insn->read_count; i++) {
		general |= insn->reads[i] < REG_CARRY;
		vector |= is_vector_register(insn->reads[i]);
	}
	return general && vector && !insn->memory_count &&
	       (insn->kind == CLASS_PINSR || insn->kind == CLASS_CVT_FROM_INT);
}

/* Returns the unit of the operation after the move. */
static unsigned merging_unit(const struct timing *timing)
{
	bool move_first = timing->uops[0].unit == UNIT_TO_VECTOR;

	return timing->uops[move_first && timing->uops[1].count].unit;
}

/* Adds such an instruction in two steps: moving the general register's value, then merging, or
 * converting and merging. Only the second one waits for the vector register. */
static unsigned add_merging(struct context *context, const struct timing *timing)
{
	const struct insn *insn = context->insn;
	const struct timings *timings = context->config->pipe.timings;
	unsigned latency = insn->kind == CLASS_PINSR ? 1 : timing_of(timings, CLASS_CVT)->latency;
	struct uop *move = add_uop(context, UOP_EXECUTE, UNIT_TO_VECTOR,
				   timing->latency > latency ? timing->latency - latency : 1);
	struct uop *merge = add_uop(context, UOP_EXECUTE, merging_unit(timing), latency);

	add_result(move, REG_LOADED_2);
	add_source(merge, REG_LOADED_2);
	for (unsigned i = 0; i < insn->read_count; i++)
		add_source(insn->reads[i] < REG_CARRY ? move : merge, insn->reads[i]);
	add_results(context, merge, false);
	return 2;
}

/* Adds an instruction that only renaming executes: a NOP, a zeroing idiom, a move. */
static void add_renamed(struct context *context, bool takes_source)
{
	struct uop *uop = add_uop(context, UOP_NONE, UNIT_NONE, 0);

	if (takes_source)
		for (unsigned i = 0; i < context->insn->read_count; i++)
			add_source(uop, context->insn->reads[i]);
	for (unsigned i = 0; i < context->insn->write_count; i++)
		add_result(uop, context->insn->writes[i]);
	uop->branch = context->insn->branch != BRANCH_NONE;
}

static bool is_eliminated(const struct pipe_config *pipe, const struct insn *insn)
{
	if (!insn->eliminable || (insn->same_sources && !pipe->eliminate_same_moves))
		return false;
	if (insn->kind == CLASS_ADD_SMALL || insn->kind == CLASS_LEA_SMALL)
		return pipe->eliminate_additions;
	if (insn->kind == CLASS_MOVZX8)
		return pipe->eliminate_moves && pipe->eliminate_extensions;
	return insn->vector_size ? pipe->eliminate_vector_moves : pipe->eliminate_moves;
}

/* Returns the front end's slots: a load fuses with its operation, a store's address with its
 * data. */
static unsigned count_slots(const struct context *context, const struct timing *timing,
			    unsigned loads, unsigned executed)
{
	const struct pipe_config *pipe = &context->config->pipe;
	unsigned stores = context->out->memory_count - loads, slots;

	if (timing->slots == NO_SLOT)
		return 0;
	if (timing->slots)
		executed = timing->slots;
	if (pipe->micro_fusion) {
		slots = stores + executed + loads;
		if (loads && executed)
			slots--;
	} else {
		slots = executed + loads + stores * (pipe->split_stores ? 2 : 1);
	}
	/* A core with fused memory operations: AMD's. */
	if (pipe->memory_fusion && executed && stores)
		slots -= stores;
	return slots ? slots : 1;
}

/* A gather loads its elements one by one; the first load has the access's time, the others take
 * their unit. */
static void add_elements(struct context *context)
{
	for (unsigned i = 1; i < context->insn->elements; i++)
		add_uop(context, UOP_EXECUTE, UNIT_LOAD, 1);
}

/* Legacy SSE while upper halves may not be zero: the result keeps its register's. Intel 248966,
 * 'Mixing AVX code with SSE code' (Skylake): a blend, and a wait for the register. */
static void add_blend(struct context *context)
{
	struct compiled *out = context->out;
	uint8_t reg = REG_SINK;
	struct uop *blend;

	for (unsigned i = 0; i < out->uop_count; i++)
		for (unsigned r = 0; r < UOP_RESULTS; r++)
			if (is_vector_register(out->uops[i].result[r])) {
				reg = out->uops[i].result[r];
				out->uops[i].result[r] = REG_BLEND;
			}
	if (reg == REG_SINK)
		return;
	blend = add_uop(context, UOP_EXECUTE, UNIT_VLOGIC, 1);
	add_source(blend, reg);
	add_source(blend, REG_BLEND);
	add_result(blend, reg);
	out->slots++;
}

void compile_merge(const struct core_config *config, uint8_t reg, bool quick, struct compiled *out)
{
	struct context context = {.config = config, .out = out};
	struct uop *uop =
	    add_uop(&context, quick ? UOP_NONE : UOP_EXECUTE, quick ? UNIT_NONE : UNIT_ALU,
		    quick ? 0 : config->pipe.partial_latency);

	add_source(uop, reg);
	add_source(uop, REG_PART + reg);
	add_result(uop, reg);
	out->slots = quick ? 0 : config->pipe.partial_slots;
}

void compile_insn(const struct core_config *config, const struct insn *insn,
		  struct neighbours neighbours, struct compiled *out)
{
	/* cppcheck-suppress ctuuninitvar ; only kept here */
	struct context context = {config, insn, neighbours, out};
	struct timing own = *timing_of(config->pipe.timings, insn->kind);
	const struct timing *timing = &own;
	bool eliminated = !neighbours.fused && is_eliminated(&config->pipe, insn);
	unsigned executed = 0, loads;

	own.latency = (uint16_t)pipe_latency(&config->pipe, insn->kind);
	if (insn->zero_idiom && config->pipe.zero_idioms && !insn->memory_count) {
		add_renamed(&context, false);
		out->slots = 1;
		if (insn->merges_upper && neighbours.upper)
			add_blend(&context);
		return;
	}
	loads = add_loads(&context, !timing->uops[0].count);
	if (merges(insn))
		executed = add_merging(&context, timing);
	else if (timing->uops[0].count && !eliminated)
		executed = add_execution(&context, timing, loads);
	add_stores(&context, executed);
	add_elements(&context);
	if (!out->uop_count)
		add_renamed(&context, eliminated);
	out->eliminated =
	    eliminated && insn->kind != CLASS_ADD_SMALL && insn->kind != CLASS_LEA_SMALL;
	out->slots = count_slots(&context, timing, loads, executed);
	if (insn->merges_upper && neighbours.upper)
		add_blend(&context);
	out->microcoded = out->slots >= MICROCODE_SLOTS;
}
