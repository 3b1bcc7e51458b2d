/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Removes code that constants make unreachable. libbpf puts calls of functions that do not exist
 * where a field is missing in the kernel's types, behind conditions on read-only data or on the
 * field's existence; Linux's verifier walks only the ways that values allow.
 */
#include <linux/errno.h>
#include "bpf/bpf.h"
#include "bpf/map/map.h"
#include "kernel/base/string.h"
#include "kernel/mem/memory.h"

#define REGISTERS 11
#define ALL_CALLS 0x3f /* R0 to R5, which a call changes */

/* The registers before an instruction, as far as they are the same on every way there. */
struct state {
	uint64_t value[REGISTERS];
	uint16_t known; /* bit n: value[n] */
	bool reached;
	bool changed; /* since its successors were computed */
};

struct walk {
	const struct bpf_program *program;
	struct state *states;
};

/* Adds a way to the instruction. Targets outside of the program are left to program_check(). */
static void reach(const struct walk *walk, int64_t at, const struct state *from)
{
	struct state *to = &walk->states[at];
	uint16_t known;

	if (at < 0 || at >= walk->program->nr_insns)
		return;
	if (!to->reached) {
		*to = *from;
		to->reached = to->changed = true;
		return;
	}
	known = to->known & from->known;
	for (unsigned i = 0; i < REGISTERS; i++)
		if (to->value[i] != from->value[i])
			known &= (uint16_t) ~(1u << i);
	to->changed |= known != to->known;
	to->known = known;
}

static void reach_function(const struct walk *walk, int64_t at)
{
	static const struct state unknown;

	reach(walk, at, &unknown);
}

static void set(struct state *state, unsigned number, bool known, uint64_t value)
{
	state->known &= (uint16_t) ~(1u << number);
	state->known |= (uint16_t)((unsigned)known << number);
	state->value[number] = known ? value : 0;
}

static bool is_known(const struct state *state, unsigned number)
{
	return state->known >> number & 1;
}

/* Reads a word of a frozen map that programs cannot write; false: it may change. */
static bool read_constant(const struct bpf_program *program, uint64_t pointer, unsigned bytes,
			  uint64_t *value)
{
	uint64_t index = (pointer - run_pointer(REGION_MAPS, 0)) >> REGION_SHIFT;
	uint32_t offset = (uint32_t)pointer;
	const struct bpf_map *map;

	if (index >= program->nr_maps)
		return false;
	map = program->maps[index];
	if (!map->kind->in_values || map->kind->per_cpu || !map->frozen ||
	    !(map->flags & BPF_F_RDONLY_PROG) || offset > map->bytes || bytes > map->bytes - offset)
		return false;
	*value = 0;
	memcpy(value, map->values + offset, bytes);
	return true;
}

static void load(const struct bpf_program *program, const struct bpf_insn *insn,
		 struct state *state)
{
	static const uint8_t sizes[] = {4, 2, 1, 8}; /* BPF_W, BPF_H, BPF_B, BPF_DW */
	uint64_t value = 0;
	bool known =
	    BPF_MODE(insn->code) == BPF_MEM && is_known(state, insn->src_reg) &&
	    read_constant(program, state->value[insn->src_reg] + (uint64_t)(int64_t)insn->off,
			  sizes[BPF_SIZE(insn->code) >> 3], &value);

	set(state, insn->dst_reg, known, value);
}

/* The result of the operations that compilers put between a load and its comparison. */
static bool compute(unsigned op, uint64_t left, uint64_t right, uint64_t *result)
{
	switch (op) {
	case BPF_MOV:
		*result = right;
		return true;
	case BPF_ADD:
		*result = left + right;
		return true;
	case BPF_AND:
		*result = left & right;
		return true;
	case BPF_OR:
		*result = left | right;
		return true;
	case BPF_XOR:
		*result = left ^ right;
		return true;
	default:
		return false;
	}
}

/* The second operand, sign-extended as the instruction does. */
static bool operand(const struct state *state, const struct bpf_insn *insn, uint64_t *value)
{
	bool by_register = BPF_SRC(insn->code) == BPF_X;

	*value = by_register ? state->value[insn->src_reg] : (uint64_t)(int64_t)insn->imm;
	return !by_register || is_known(state, insn->src_reg);
}

static void calculate(const struct bpf_insn *insn, struct state *state)
{
	unsigned op = BPF_OP(insn->code);
	uint64_t right, result = 0;
	bool known =
	    operand(state, insn, &right) && (op == BPF_MOV || is_known(state, insn->dst_reg));

	known = known && compute(op, state->value[insn->dst_reg], right, &result);
	if (BPF_CLASS(insn->code) == BPF_ALU)
		result = (uint32_t)result;
	set(state, insn->dst_reg, known, result);
}

/* Decides a comparison of equality. */
static bool decide(const struct bpf_insn *insn, const struct state *state, bool *taken)
{
	uint64_t left = state->value[insn->dst_reg], right;

	if (!operand(state, insn, &right) || !is_known(state, insn->dst_reg))
		return false;
	if (BPF_CLASS(insn->code) == BPF_JMP32) {
		left = (uint32_t)left;
		right = (uint32_t)right;
	}
	switch (BPF_OP(insn->code)) {
	case BPF_JEQ:
		*taken = left == right;
		return true;
	case BPF_JNE:
		*taken = left != right;
		return true;
	case BPF_JSET:
		*taken = left & right;
		return true;
	default:
		return false;
	}
}

static void jump(const struct walk *walk, const struct bpf_insn *insn, int64_t at,
		 struct state *state)
{
	bool taken;

	switch (BPF_OP(insn->code)) {
	case BPF_EXIT:
		return;
	case BPF_JA:
		reach(walk, at + 1 + insn->off, state);
		return;
	case BPF_CALL:
		if (insn->src_reg == BPF_PSEUDO_CALL)
			reach_function(walk, at + 1 + insn->imm);
		state->known &= (uint16_t)~ALL_CALLS;
		reach(walk, at + 1, state);
		return;
	}
	if (!decide(insn, state, &taken)) {
		reach(walk, at + 1, state);
		taken = true;
	}
	reach(walk, taken ? at + 1 + insn->off : at + 1, state);
}

/* Computes the states after the instruction. */
static void step(const struct walk *walk, int64_t at)
{
	const struct bpf_insn *insn = &walk->program->insns[at];
	struct state state = walk->states[at];
	bool wide = false;

	if (insn->dst_reg >= REGISTERS || insn->src_reg >= REGISTERS)
		return;
	switch (BPF_CLASS(insn->code)) {
	case BPF_JMP:
	case BPF_JMP32:
		jump(walk, insn, at, &state);
		return;
	case BPF_ALU:
	case BPF_ALU64:
		calculate(insn, &state);
		break;
	case BPF_LDX:
		load(walk->program, insn, &state);
		break;
	case BPF_LD:
		wide = at + 1 < walk->program->nr_insns;
		if (wide && insn->src_reg == BPF_PSEUDO_FUNC)
			reach_function(walk, at + 1 + insn->imm);
		set(&state, insn->dst_reg, wide && !insn->src_reg,
		    wide ? (uint32_t)insn->imm | (uint64_t)(uint32_t)insn[1].imm << 32 : 0);
		break;
	case BPF_STX: /* an atomic operation may set its operand, or R0 */
		if (BPF_MODE(insn->code) == BPF_ATOMIC) {
			set(&state, insn->src_reg, false, 0);
			set(&state, BPF_REG_0, false, 0);
		}
		break;
	}
	reach(walk, at + 1 + wide, &state);
}

static void walk_all(const struct walk *walk)
{
	bool again = true;

	reach_function(walk, 0);
	while (again) {
		again = false;
		for (int64_t at = 0; at < walk->program->nr_insns; at++)
			if (walk->states[at].changed) {
				walk->states[at].changed = false;
				again = true;
				step(walk, at);
			}
	}
}

static bool calls_unknown(const struct bpf_program *program)
{
	for (uint32_t i = 0; i < program->nr_insns; i++)
		if (program->insns[i].code == (BPF_JMP | BPF_CALL) && !program->insns[i].src_reg &&
		    !helper_find((uint32_t)program->insns[i].imm, program->type))
			return true;
	return false;
}

int program_bury(struct bpf_program *program)
{
	struct walk walk = {.program = program};

	if (!calls_unknown(program))
		return 0;
	walk.states = object_span(program->nr_insns * sizeof(*walk.states));
	if (!walk.states)
		return -ENOMEM;
	walk_all(&walk);
	for (uint32_t i = 0; i < program->nr_insns; i++) {
		if (!walk.states[i].reached)
			program->insns[i] = (struct bpf_insn){.code = BPF_JMP | BPF_JA, .off = -1};
		else if (BPF_CLASS(program->insns[i].code) == BPF_LD)
			i++;
	}
	kfree(walk.states);
	return 0;
}
