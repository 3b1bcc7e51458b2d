/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes a trace of the program's instructions. */
#include "emulator/sim/experiment/trace.h"

#include <stdlib.h>
#include <string.h>

#include <Zydis/Zydis.h>

#include "emulator/sim/branch/predictor.h"
#include "emulator/sim/experiment/bt9.h"
#include "emulator/sim/experiment/champsim.h"

enum { CACHE = 1 << 14, INSNS_MAX = 512, BYTES_MAX = 15, VECTORS = 64 };

/* The constant part of an instruction's record, by its bytes. */
struct template
{
	uint8_t bytes[BYTES_MAX], length;
	struct champsim_insn insn;
};

struct trace {
	FILE *file;
	enum trace_format format;
	ZydisDecoder decoder;
	struct template cache[CACHE];
	/* The block that runs: what it has done is known at the next one. */
	const struct code_block *block;
	uint64_t start, end, target;
	unsigned nr;
	uint8_t last_kind;
	struct bt9_writer *bt9; /* NULL: another format */
	uint64_t since;         /* instructions since the last branch */
	struct champsim_insn pending[INSNS_MAX];
	uint8_t sizes[INSNS_MAX];
};

struct trace *trace_new(FILE *file, enum trace_format format)
{
	struct trace *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->file = file;
	t->format = format;
	ZydisDecoderInit(&t->decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	if (format == TRACE_BRANCHES)
		fputs("# pc target kind taken\n", file);
	if (format == TRACE_BT9 && !(t->bt9 = bt9_writer_new())) {
		free(t);
		return NULL;
	}
	return t;
}

/* ---- an instruction's registers ---- */

/* ChampSim's number of a register, as its tracer has it from PIN; 0: it does not say. */
static uint8_t register_number(ZydisRegister reg)
{
	static const uint8_t general[16] = {10, 9,  8,  7,  6,  5,  4,  3,
					    11, 12, 13, 14, 15, 16, 17, 18};
	ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
	ZydisRegisterClass class = ZydisRegisterGetClass(whole);
	int id = ZydisRegisterGetId(whole);

	if (whole == ZYDIS_REGISTER_RIP)
		return CHAMPSIM_INSTRUCTION_POINTER;
	if (class == ZYDIS_REGCLASS_FLAGS || reg == ZYDIS_REGISTER_RFLAGS)
		return CHAMPSIM_FLAGS;
	if (class == ZYDIS_REGCLASS_GPR64)
		return general[id & 15];
	if (class == ZYDIS_REGCLASS_XMM || class == ZYDIS_REGCLASS_YMM ||
	    class == ZYDIS_REGCLASS_ZMM)
		return (uint8_t)(VECTORS + id);
	return 0;
}

static void add_register(uint8_t *list, unsigned size, uint8_t number)
{
	for (unsigned i = 0; number && i < size; i++) {
		if (list[i] == number)
			return;
		if (!list[i]) {
			list[i] = number;
			return;
		}
	}
}

/* ChampSim knows a branch by the registers that it reads and writes. */
static void branch_registers(struct champsim_insn *insn, unsigned kind, bool through_register)
{
	static const struct {
		uint8_t destinations[2], sources[3];
	} rows[] = {
	    [BRANCH_CONDITIONAL] = {{CHAMPSIM_INSTRUCTION_POINTER},
				    {CHAMPSIM_INSTRUCTION_POINTER, CHAMPSIM_FLAGS}},
	    [BRANCH_JUMP] = {{CHAMPSIM_INSTRUCTION_POINTER}, {CHAMPSIM_INSTRUCTION_POINTER}},
	    [BRANCH_JUMP_INDIRECT] = {{CHAMPSIM_INSTRUCTION_POINTER}, {0}},
	    [BRANCH_CALL] = {{CHAMPSIM_INSTRUCTION_POINTER, CHAMPSIM_STACK_POINTER},
			     {CHAMPSIM_INSTRUCTION_POINTER, CHAMPSIM_STACK_POINTER}},
	    [BRANCH_CALL_INDIRECT] = {{CHAMPSIM_INSTRUCTION_POINTER, CHAMPSIM_STACK_POINTER},
				      {CHAMPSIM_INSTRUCTION_POINTER, CHAMPSIM_STACK_POINTER}},
	    [BRANCH_RETURN] = {{CHAMPSIM_INSTRUCTION_POINTER, CHAMPSIM_STACK_POINTER},
			       {CHAMPSIM_STACK_POINTER}},
	};
	uint8_t other = insn->sources[0];

	for (unsigned i = 0; i < CHAMPSIM_SOURCES && through_register; i++)
		if (insn->sources[i] != CHAMPSIM_STACK_POINTER &&
		    insn->sources[i] != CHAMPSIM_INSTRUCTION_POINTER &&
		    insn->sources[i] != CHAMPSIM_FLAGS && insn->sources[i])
			other = insn->sources[i];
	memset(insn->sources, 0, sizeof(insn->sources));
	memcpy(insn->destinations, rows[kind].destinations, sizeof(insn->destinations));
	memcpy(insn->sources, rows[kind].sources, sizeof(rows[kind].sources));
	/* Through memory: any register that is none of the three says so. */
	if (kind == BRANCH_JUMP_INDIRECT || kind == BRANCH_CALL_INDIRECT)
		add_register(insn->sources, CHAMPSIM_SOURCES,
			     other && other != CHAMPSIM_STACK_POINTER &&
				     other != CHAMPSIM_INSTRUCTION_POINTER
				 ? other
				 : VECTORS - 1);
}

static void read_operands(const struct trace *t, struct template *row)
{
	ZydisDecodedInstruction decoded;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];

	if (!ZYAN_SUCCESS(
		ZydisDecoderDecodeFull(&t->decoder, row->bytes, row->length, &decoded, operands)))
		return;
	for (unsigned i = 0; i < decoded.operand_count; i++) {
		const ZydisDecodedOperand *o = &operands[i];

		if (o->type == ZYDIS_OPERAND_TYPE_MEMORY) {
			add_register(row->insn.sources, CHAMPSIM_SOURCES,
				     register_number(o->mem.base));
			add_register(row->insn.sources, CHAMPSIM_SOURCES,
				     register_number(o->mem.index));
		}
		if (o->type != ZYDIS_OPERAND_TYPE_REGISTER)
			continue;
		if (o->actions & ZYDIS_OPERAND_ACTION_MASK_READ)
			add_register(row->insn.sources, CHAMPSIM_SOURCES,
				     register_number(o->reg.value));
		if (o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
			add_register(row->insn.destinations, CHAMPSIM_DESTINATIONS,
				     register_number(o->reg.value));
	}
}

static const struct champsim_insn *template_of(struct trace *t, const struct code_insn *insn,
					       const uint8_t *bytes)
{
	struct template *row = &t->cache[(insn->address ^ insn->address >> 14) % CACHE];
	bool near = insn->kind >= CODE_NEAR && insn->kind <= CODE_NEAR_LAST;

	if (row->insn.ip == insn->address && row->length == insn->length &&
	    !memcmp(row->bytes, bytes, insn->length))
		return &row->insn;
	*row = (struct template){.length = insn->length, .insn.ip = insn->address};
	memcpy(row->bytes, bytes, insn->length);
	read_operands(t, row);
	row->insn.is_branch = near;
	if (near)
		branch_registers(&row->insn, insn->kind - CODE_NEAR, true);
	return &row->insn;
}

/* ---- writing ---- */

static void write_text(const struct trace *t, const struct champsim_insn *insn)
{
	fprintf(t->file, "%llx%s\n", (unsigned long long)insn->ip,
		!insn->is_branch ? ""
		: insn->taken    ? " taken"
				 : " not-taken");
	for (unsigned i = 0; i < CHAMPSIM_SOURCES && insn->loads[i]; i++)
		fprintf(t->file, " L %llx\n", (unsigned long long)insn->loads[i]);
	for (unsigned i = 0; i < CHAMPSIM_DESTINATIONS && insn->stores[i]; i++)
		fprintf(t->file, " S %llx\n", (unsigned long long)insn->stores[i]);
}

static void write_branch(const struct trace *t, const struct champsim_insn *insn, uint64_t to)
{
	static const char *const kinds[] = {"conditional", "jump",          "indirect-jump",
					    "call",        "indirect-call", "return"};

	if (insn->is_branch)
		fprintf(t->file, "%llx %llx %s %u\n", (unsigned long long)insn->ip,
			(unsigned long long)to, kinds[t->last_kind - CODE_NEAR], insn->taken);
}

/* A block's end: a branch that has executed, or more instructions before the next one. */
static void write_bt9(struct trace *t, unsigned nr, uint64_t to)
{
	const struct champsim_insn *last = &t->pending[nr ? nr - 1 : 0];
	const struct code_insn *insn = &t->block->insn[nr ? nr - 1 : 0];
	struct bt9_branch branch = {.pc = last->ip, .before = t->since + nr - 1};

	if (!nr || !last->is_branch) {
		t->since += nr;
		return;
	}
	branch.size = insn->length;
	branch.kind = (uint8_t)(insn->kind - CODE_NEAR);
	branch.taken = last->taken;
	branch.target = insn->kind == CODE_NEAR + BRANCH_CONDITIONAL ? t->target : to;
	memcpy(&branch.opcode, t->block->bytes + (insn->address - t->block->start),
	       insn->length < sizeof(branch.opcode) ? insn->length : sizeof(branch.opcode));
	bt9_write(t->bt9, &branch);
	t->since = 0;
}

/* How many of the block's instructions have run before the program continued at `to`: all, unless
 * it was interrupted at one of them. */
static unsigned executed(const struct trace *t, uint64_t to)
{
	bool branch = t->last_kind >= CODE_NEAR && t->last_kind <= CODE_NEAR_LAST;
	bool anywhere = branch && (t->last_kind == CODE_NEAR + BRANCH_JUMP_INDIRECT ||
				   t->last_kind == CODE_NEAR + BRANCH_CALL_INDIRECT ||
				   t->last_kind == CODE_NEAR + BRANCH_RETURN);

	if (to == t->end || (branch && to == t->target) || (anywhere && to == t->start))
		return t->nr;
	for (unsigned i = 0; i < t->nr; i++)
		if (t->pending[i].ip == to)
			return i;
	return t->nr;
}

void trace_break(struct trace *t, uint64_t to)
{
	unsigned nr;

	if (!t->nr)
		return;
	nr = executed(t, to);
	if (nr == t->nr && t->pending[nr - 1].is_branch)
		t->pending[nr - 1].taken = to != t->end;
	if (t->format == TRACE_CHAMPSIM)
		fwrite(t->pending, sizeof(t->pending[0]), nr, t->file);
	for (unsigned i = 0; i < nr && t->format == TRACE_TEXT; i++)
		write_text(t, &t->pending[i]);
	if (t->format == TRACE_BRANCHES && nr == t->nr)
		write_branch(t, &t->pending[nr - 1], to);
	if (t->bt9)
		write_bt9(t, nr, to);
	t->nr = 0;
}

void trace_free(struct trace *t)
{
	if (!t)
		return;
	trace_break(t, t->end);
	if (t->bt9 && !bt9_writer_end(t->bt9, t->file))
		fprintf(stderr, "core: the trace is incomplete\n");
	free(t);
}

void trace_block(struct trace *t, const struct code_block *block)
{
	trace_break(t, block->start);
	t->block = block;
	t->start = block->start;
	t->end = block->end;
	t->target = block->target;
	t->last_kind = block->insn[block->nr - 1].kind;
	for (unsigned i = 0; i < block->nr && i < INSNS_MAX; i++) {
		const struct code_insn *insn = &block->insn[i];

		t->pending[t->nr++] =
		    *template_of(t, insn, block->bytes + (insn->address - block->start));
	}
}

static void add_address(uint64_t *list, unsigned size, uint64_t address)
{
	for (unsigned i = 0; i < size; i++) {
		if (list[i] == address)
			return;
		if (!list[i]) {
			list[i] = address;
			return;
		}
	}
}

void trace_access(struct trace *t, const struct code_insn *insn, uint64_t vaddr, unsigned size,
		  bool store)
{
	size_t at = (size_t)(insn - t->block->insn);
	struct champsim_insn *record;

	(void)size;
	if (!t->nr || insn < t->block->insn || at >= t->nr)
		return;
	record = &t->pending[at];
	if (store)
		add_address(record->stores, CHAMPSIM_DESTINATIONS, vaddr);
	else
		add_address(record->loads, CHAMPSIM_SOURCES, vaddr);
}
