/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tracks known register contents at decode time: a map, a stack offset, a constant. Knowledge
 * passes from one instruction to the next, and ends where a jump or a call may enter. Helpers with
 * known arguments are called without the checks that were done here.
 */
#include <linux/errno.h>
#include "bpf/sites.h"
#include "kernel/base/string.h"
#include "kernel/mem/memory.h"

static void sites_enter(struct sites *sites, uint32_t from, int64_t offset, uint8_t how)
{
	sites->entered[from + 1 + offset] |= how;
}

static void find_entries(struct sites *sites, const struct bpf_insn *insn, uint32_t at)
{
	unsigned class = BPF_CLASS(insn->code), op = BPF_OP(insn->code);

	if (class == BPF_LD && insn->src_reg == BPF_PSEUDO_FUNC)
		sites_enter(sites, at, insn->imm, ENTERED_AS_FUNCTION);
	if (class != BPF_JMP && class != BPF_JMP32)
		return;
	if (op == BPF_CALL && insn->src_reg)
		sites_enter(sites, at, insn->imm, ENTERED_BY_JUMP);
	else if (op != BPF_CALL && op != BPF_EXIT)
		sites_enter(sites, at, insn->off, ENTERED_BY_JUMP);
}

int sites_begin(struct sites *sites, const struct bpf_program *program)
{
	*sites = (struct sites){.program = program,
				.entered = kalloc(program->nr_insns),
				.reads = program_reads(program)};
	if (!sites->entered || !sites->reads) {
		sites_end(sites);
		return -ENOMEM;
	}
	for (uint32_t at = 0; at < program->nr_insns; at++)
		find_entries(sites, &program->insns[at], at);
	return 0;
}

void sites_end(struct sites *sites)
{
	kfree(sites->entered);
	kfree(sites->reads);
}

/* ---- what an instruction leaves in registers ---- */

static struct known number(int64_t value)
{
	return (struct known){KNOWN_NUMBER, value};
}

static struct known of_wide(const struct sites *sites, const struct bpf_insn *insn)
{
	uint64_t value = (uint32_t)insn->imm | (uint64_t)(uint32_t)insn[1].imm << 32,
		 map = run_map_number(value);

	if (insn->src_reg)
		return (struct known){KNOWN_NOT, 0};
	return map < sites->program->nr_maps ? (struct known){KNOWN_MAP, (int64_t)map}
					     : number((int64_t)value);
}

static struct known of_alu64(const struct sites *sites, const struct bpf_insn *insn)
{
	const struct known *was = &sites->reg[insn->dst_reg];

	switch (insn->code) {
	case BPF_ALU64 | BPF_MOV | BPF_X:
		return insn->src_reg == BPF_REG_10 ? (struct known){KNOWN_PLACE, 0}
						   : sites->reg[insn->src_reg];
	case BPF_ALU64 | BPF_MOV | BPF_K:
		return number(insn->imm);
	case BPF_ALU64 | BPF_ADD | BPF_K:
		if (was->kind == KNOWN_PLACE && was->value >= -STACK_BYTES_EACH)
			return (struct known){KNOWN_PLACE, was->value + insn->imm};
		break;
	default:
		break;
	}
	return (struct known){KNOWN_NOT, 0};
}

static void forget(struct sites *sites)
{
	memset(sites->reg, 0, sizeof(sites->reg));
}

static void follow(struct sites *sites, const struct bpf_insn *insn)
{
	struct known *dst = &sites->reg[insn->dst_reg];

	switch (BPF_CLASS(insn->code)) {
	case BPF_ALU64:
		*dst = of_alu64(sites, insn);
		break;
	case BPF_LD:
		*dst = of_wide(sites, insn);
		break;
	case BPF_ALU:
	case BPF_LDX:
		dst->kind = KNOWN_NOT;
		break;
	case BPF_STX: /* an atomic one may write either */
		if (BPF_MODE(insn->code) != BPF_MEM)
			forget(sites);
		break;
	case BPF_JMP:
		if (BPF_OP(insn->code) == BPF_CALL)
			forget(sites);
		break;
	default:
		break;
	}
}

/* ---- calls ---- */

static bool is_on_stack(const struct known *known, uint64_t bytes)
{
	return known->kind == KNOWN_PLACE && known->value >= -STACK_BYTES_EACH &&
	       known->value + (int64_t)bytes <= 0;
}

/* Returns the map that R`reg` names, NULL: unknown. */
static struct bpf_map *map_in(const struct sites *sites, unsigned reg)
{
	const struct known *known = &sites->reg[reg];

	return known->kind == KNOWN_MAP ? sites->program->maps[known->value] : NULL;
}

/* True if an access costs one instruction; larger ones cost more: run_spend(). */
static bool is_small(const struct bpf_map *map)
{
	return map->kind->in_values && map->key_size <= BYTES_FREE && map->value_size <= BYTES_FREE;
}

static void take_lookup(const struct sites *sites, struct op *op)
{
	struct bpf_map *map = map_in(sites, BPF_REG_1);

	if (!map || !is_small(map) || !is_on_stack(&sites->reg[BPF_REG_2], map->key_size))
		return;
	op->code = map->kind == &array_kind ? OP_LOOKUP_ARRAY : OP_LOOKUP;
	op->src = (uint8_t)sites->reg[BPF_REG_1].value;
	op->off = (int32_t)sites->reg[BPF_REG_2].value;
	op->imm = (uint64_t)map;
}

static void take_update(const struct sites *sites, struct op *op)
{
	struct bpf_map *map = map_in(sites, BPF_REG_1);

	if (!map || !is_small(map) || map->flags & BPF_F_RDONLY_PROG ||
	    !is_on_stack(&sites->reg[BPF_REG_2], map->key_size) ||
	    !is_on_stack(&sites->reg[BPF_REG_3], map->value_size))
		return;
	op->code = OP_UPDATE;
	op->off = (int32_t)sites->reg[BPF_REG_2].value;
	op->more = (int16_t)sites->reg[BPF_REG_3].value;
	op->imm = (uint64_t)map;
}

static void take_output(const struct sites *sites, struct op *op)
{
	struct bpf_map *map = map_in(sites, BPF_REG_2);
	const struct known *bytes = &sites->reg[BPF_REG_5];

	if (!map || map->type != BPF_MAP_TYPE_PERF_EVENT_ARRAY || bytes->kind != KNOWN_NUMBER ||
	    bytes->value < 0 || bytes->value > BYTES_FREE ||
	    !is_on_stack(&sites->reg[BPF_REG_4], (uint64_t)bytes->value))
		return;
	op->code = OP_OUTPUT;
	op->off = (int32_t)sites->reg[BPF_REG_4].value;
	op->more = (int16_t)bytes->value;
	op->imm = (uint64_t)map;
}

/* ---- what sets the arguments of a call ---- */

#define ARGUMENTS (((1u << 5) - 1) << BPF_REG_1)

/* True if it only writes an argument's register. */
static bool sets_argument(const struct bpf_insn *insn)
{
	return insn->dst_reg >= BPF_REG_1 && insn->dst_reg <= BPF_REG_5 &&
	       (BPF_CLASS(insn->code) == BPF_ALU64 || BPF_CLASS(insn->code) == BPF_LD);
}

/* Returns the first of the instructions before the call that only set its arguments. A jump to one
 * of them finds the original code. The second half of a constant has no code. */
static uint32_t first_of(const struct sites *sites, uint32_t call)
{
	const struct bpf_insn *insn = sites->program->insns;
	uint32_t first = call, before;

	while (first && call - first < UINT8_MAX - 1) {
		before = first - 1 - (!insn[first - 1].code && first > 1);
		if (!sets_argument(&insn[before]))
			break;
		first = before;
	}
	return first;
}

/* Puts the flags into the operation, if they are known: the last argument in a register. */
static bool take_flags(const struct sites *sites, struct op *op)
{
	const struct known *flags = &sites->reg[op->code == OP_UPDATE ? BPF_REG_4 : BPF_REG_3];

	if (op->code == OP_LOOKUP_ARRAY || op->code == OP_LOOKUP)
		return true;
	if (flags->kind != KNOWN_NUMBER)
		return false;
	if (op->code == OP_OUTPUT)
		return flags->value == BPF_F_CURRENT_CPU;
	op->src = (uint8_t)flags->value;
	return op->src == flags->value;
}

static uint32_t take_call(const struct sites *sites, uint32_t at, struct op *ops)
{
	struct op all = ops[at];
	uint32_t first = first_of(sites, at);

	if (first == at || sites->reads[at + 1] & ARGUMENTS || !take_flags(sites, &all))
		return at;
	all.is_function = ops[first].is_function;
	all.code = (uint8_t)(all.code + OP_ALL_LOOKUP_ARRAY - OP_LOOKUP_ARRAY);
	all.dst = (uint8_t)(at - first);
	ops[first] = all;
	return first;
}

/* Handles a call of a helper that has special operations. */
static uint32_t take_helper(const struct sites *sites, uint32_t at, struct op *ops)
{
	struct op *op = &ops[at];

	switch (sites->program->insns[at].imm) {
	case BPF_FUNC_map_lookup_elem:
		take_lookup(sites, op);
		break;
	case BPF_FUNC_map_update_elem:
		take_update(sites, op);
		break;
	case BPF_FUNC_perf_event_output:
		take_output(sites, op);
		break;
	default:
		break;
	}
	return op->code == OP_HELPER ? at : take_call(sites, at, ops);
}

uint32_t sites_take(struct sites *sites, uint32_t at, struct op *ops)
{
	uint32_t first = at;

	ops[at].is_function = sites->entered[at] & ENTERED_AS_FUNCTION;
	if (sites->entered[at])
		forget(sites);
	if (ops[at].code == OP_HELPER)
		first = take_helper(sites, at, ops);
	follow(sites, &sites->program->insns[at]);
	return first;
}
