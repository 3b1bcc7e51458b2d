/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs programs: an interpreter that checks each access to memory when it is made. A program that
 * does what it must not ends at once, with 0. One program at a time runs on a processor, as on
 * Linux; a run has a bound on its instructions.
 */
#include "arch/x86/cpu/cpu.h"
#include "bpf/bpf.h"
#include "bpf/cpu.h"
#include "kernel/base/string.h"

/* ---- memory ---- */

static void *within(void *base, uint64_t size, uint32_t offset, uint64_t bytes)
{
	return offset <= size && bytes <= size - offset ? (uint8_t *)base + offset : NULL;
}

static void *map_memory(struct run *run, uint32_t index, uint32_t offset, uint64_t bytes,
			bool write)
{
	struct bpf_map *map = index < run->program->nr_maps ? run->program->maps[index] : NULL;

	if (!map || !map->kind->in_values || (write && map->flags & BPF_F_RDONLY_PROG) ||
	    (!write && map->flags & BPF_F_WRONLY_PROG))
		return NULL;
	return within(map->values, map->bytes, offset, bytes);
}

void *run_memory(struct run *run, uint64_t pointer, uint64_t bytes, bool write)
{
	uint32_t region = pointer >> REGION_SHIFT & 0xffff, offset = (uint32_t)pointer;
	const struct bpf_context *context = run->context;

	if (pointer >> 48 != POINTER_TAG)
		return NULL;
	if (region == REGION_STACK)
		return within(run->stack, (run->depth + 1) * STACK_BYTES_EACH, offset, bytes);
	if (region == REGION_CONTEXT)
		return write || offset < context->readable
			   ? NULL
			   : within(context->data, context->bytes, offset, bytes);
	if (region < REGION_RECORDS + RECORDS_MOST)
		return run->records[region - REGION_RECORDS].record
			   ? within(run->records[region - REGION_RECORDS].record,
				    run->records[region - REGION_RECORDS].bytes, offset, bytes)
			   : NULL;
	if (region >= REGION_MAPS && region < REGION_MAPS + PROGRAM_MAPS)
		return map_memory(run, region - REGION_MAPS, offset, bytes, write);
	return NULL;
}

struct bpf_map *run_map(struct run *run, uint64_t pointer)
{
	uint64_t index = pointer - run_pointer(REGION_MAP_NAMES, 0);

	index >>= REGION_SHIFT;
	if (pointer >> 48 != POINTER_TAG || (uint32_t)pointer || index >= run->program->nr_maps)
		return NULL;
	return run->program->maps[index];
}

static uint32_t map_number(const struct run *run, const struct bpf_map *map)
{
	uint32_t i = 0;

	while (run->program->maps[i] != map)
		i++;
	return i;
}

uint64_t run_element(struct run *run, struct bpf_map *map, uint32_t element)
{
	return run_pointer(REGION_MAPS + map_number(run, map),
			   (uint32_t)(map_value_here(map, element) - map->values));
}

/* ---- instructions ---- */

static uint64_t swap_bytes(uint64_t value, int bits, bool to_big)
{
	if (bits == 16)
		return to_big ? __builtin_bswap16((uint16_t)value) : (uint16_t)value;
	if (bits == 32)
		return to_big ? __builtin_bswap32((uint32_t)value) : (uint32_t)value;
	return to_big ? __builtin_bswap64(value) : value;
}

/* Division by zero gives 0, its rest the dividend. */
static uint64_t alu64(unsigned op, uint64_t a, uint64_t b)
{
	switch (op) {
	case BPF_ADD:
		return a + b;
	case BPF_SUB:
		return a - b;
	case BPF_MUL:
		return a * b;
	case BPF_DIV:
		return b ? a / b : 0;
	case BPF_OR:
		return a | b;
	case BPF_AND:
		return a & b;
	case BPF_LSH:
		return a << (b & 63);
	case BPF_RSH:
		return a >> (b & 63);
	case BPF_NEG:
		return -a;
	case BPF_MOD:
		return b ? a % b : a;
	case BPF_XOR:
		return a ^ b;
	case BPF_MOV:
		return b;
	default:
		return (uint64_t)((int64_t)a >> (b & 63));
	}
}

static uint32_t alu32(unsigned op, uint32_t a, uint32_t b)
{
	switch (op) {
	case BPF_LSH:
		return a << (b & 31);
	case BPF_RSH:
		return a >> (b & 31);
	case BPF_ARSH:
		return (uint32_t)((int32_t)a >> (b & 31));
	default:
		return (uint32_t)alu64(op, a, b);
	}
}

static bool jumps(unsigned op, uint64_t a, uint64_t b)
{
	switch (op) {
	case BPF_JA:
		return true;
	case BPF_JEQ:
		return a == b;
	case BPF_JGT:
		return a > b;
	case BPF_JGE:
		return a >= b;
	case BPF_JSET:
		return a & b;
	case BPF_JNE:
		return a != b;
	case BPF_JSGT:
		return (int64_t)a > (int64_t)b;
	case BPF_JSGE:
		return (int64_t)a >= (int64_t)b;
	case BPF_JLT:
		return a < b;
	case BPF_JLE:
		return a <= b;
	case BPF_JSLT:
		return (int64_t)a < (int64_t)b;
	default:
		return (int64_t)a <= (int64_t)b;
	}
}

static unsigned access_bytes(uint8_t code)
{
	static const uint8_t bytes[] = {
	    [BPF_W >> 3] = 4, [BPF_H >> 3] = 2, [BPF_B >> 3] = 1, [BPF_DW >> 3] = 8};

	return bytes[BPF_SIZE(code) >> 3];
}

static uint64_t load(const void *at, unsigned bytes)
{
	uint64_t value = 0;

	switch (bytes) {
	case 1:
		return *(const uint8_t *)at;
	case 2:
		return *(const uint16_t *)at;
	case 4:
		return *(const uint32_t *)at;
	default:
		memcpy(&value, at, sizeof(value));
		return value;
	}
}

static void store(void *at, unsigned bytes, uint64_t value)
{
	switch (bytes) {
	case 1:
		*(uint8_t *)at = (uint8_t)value;
		break;
	case 2:
		*(uint16_t *)at = (uint16_t)value;
		break;
	case 4:
		*(uint32_t *)at = (uint32_t)value;
		break;
	default:
		*(uint64_t *)at = value;
	}
}

/* Of BPF_ATOMIC on one word of either size: returns what was there. */
#define ATOMIC(type)                                                                               \
	static uint64_t atomic_##type(type *at, int op, type value, type expected)                 \
	{                                                                                          \
		switch (op & ~BPF_FETCH) {                                                         \
		case BPF_ADD:                                                                      \
			return __atomic_fetch_add(at, value, __ATOMIC_SEQ_CST);                    \
		case BPF_AND:                                                                      \
			return __atomic_fetch_and(at, value, __ATOMIC_SEQ_CST);                    \
		case BPF_OR:                                                                       \
			return __atomic_fetch_or(at, value, __ATOMIC_SEQ_CST);                     \
		case BPF_XOR:                                                                      \
			return __atomic_fetch_xor(at, value, __ATOMIC_SEQ_CST);                    \
		case BPF_XCHG & ~BPF_FETCH:                                                        \
			return __atomic_exchange_n(at, value, __ATOMIC_SEQ_CST);                   \
		default:                                                                           \
			__atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_SEQ_CST, \
						    __ATOMIC_SEQ_CST);                             \
			return expected;                                                           \
		}                                                                                  \
	}
ATOMIC(uint32_t)
ATOMIC(uint64_t)

static bool run_atomic(struct run *run, const struct bpf_insn *insn, uint64_t *reg)
{
	unsigned bytes = access_bytes(insn->code);
	void *at = run_memory(run, reg[insn->dst_reg] + (uint64_t)insn->off, bytes, true);
	uint64_t old;

	if (!at || (uint64_t)at % bytes)
		return false;
	old = bytes == 4
		  ? atomic_uint32_t(at, insn->imm, (uint32_t)reg[insn->src_reg], (uint32_t)reg[0])
		  : atomic_uint64_t(at, insn->imm, reg[insn->src_reg], reg[0]);
	if (insn->imm == BPF_CMPXCHG)
		reg[0] = old;
	else if (insn->imm & BPF_FETCH)
		reg[insn->src_reg] = old;
	return true;
}

/* Most of what programs touch is their stack. */
static inline void *word_memory(struct run *run, uint64_t pointer, unsigned bytes, bool write)
{
	uint64_t offset = pointer - run_pointer(REGION_STACK, 0);

	if (offset <= (run->depth + 1) * STACK_BYTES_EACH - bytes)
		return run->stack + offset;
	return run_memory(run, pointer, bytes, write);
}

static inline bool run_memory_insn(struct run *run, const struct bpf_insn *insn, uint64_t *reg)
{
	unsigned class = BPF_CLASS(insn->code), bytes = access_bytes(insn->code);
	uint64_t pointer =
	    reg[class == BPF_LDX ? insn->src_reg : insn->dst_reg] + (uint64_t)insn->off;
	void *at;

	if (class == BPF_STX && BPF_MODE(insn->code) == BPF_ATOMIC)
		return run_atomic(run, insn, reg);
	at = word_memory(run, pointer, bytes, class != BPF_LDX);
	if (!at)
		return false;
	if (class == BPF_LDX)
		reg[insn->dst_reg] = load(at, bytes);
	else
		store(at, bytes, class == BPF_STX ? reg[insn->src_reg] : (uint64_t)insn->imm);
	return true;
}

static void run_alu(const struct bpf_insn *insn, uint64_t *reg)
{
	unsigned op = BPF_OP(insn->code);
	uint64_t *a = &reg[insn->dst_reg],
		 b = BPF_SRC(insn->code) == BPF_X ? reg[insn->src_reg] : (uint64_t)insn->imm;

	if (op == BPF_END)
		*a = swap_bytes(*a, insn->imm, BPF_SRC(insn->code) == BPF_TO_BE);
	else
		*a = BPF_CLASS(insn->code) == BPF_ALU64 ? alu64(op, *a, b)
							: alu32(op, (uint32_t)*a, (uint32_t)b);
}

static bool run_branch(const struct bpf_insn *insn, const uint64_t *reg)
{
	uint64_t a = reg[insn->dst_reg],
		 b = BPF_SRC(insn->code) == BPF_X ? reg[insn->src_reg] : (uint64_t)insn->imm;

	if (BPF_CLASS(insn->code) == BPF_JMP32) {
		a = (uint64_t)(int32_t)a;
		b = (uint64_t)(int32_t)b;
		if (BPF_OP(insn->code) == BPF_JSET)
			return (uint32_t)(a & b);
	}
	return jumps(BPF_OP(insn->code), a, b);
}

static uint64_t constant(const struct run *run, const struct bpf_insn *insn)
{
	if (insn->src_reg == BPF_PSEUDO_FUNC)
		return run_pointer(REGION_CODE, (uint32_t)(insn - run->program->insns) + 1 +
						    (uint32_t)insn->imm);
	return (uint32_t)insn->imm | (uint64_t)(uint32_t)insn[1].imm << 32;
}

/* A function of the program: has a stack of its own, and keeps R6 to R9. */
static bool enter(struct run *run, uint64_t *reg, uint32_t back)
{
	if (run->depth + 1 >= CALLS_MOST)
		return false;
	run->back[run->depth] = back;
	memcpy(run->saved[run->depth], &reg[6], sizeof(run->saved[0]));
	run->depth++;
	reg[10] = run_pointer(REGION_STACK, (run->depth + 1) * STACK_BYTES_EACH);
	return true;
}

static uint32_t leave(struct run *run, uint64_t *reg)
{
	run->depth--;
	memcpy(&reg[6], run->saved[run->depth], sizeof(run->saved[0]));
	reg[10] = run_pointer(REGION_STACK, (run->depth + 1) * STACK_BYTES_EACH);
	return run->back[run->depth];
}

/* Another program in place of this one: false when there is none. */
static bool tail_call(struct run *run, uint64_t *reg)
{
	struct bpf_map *map = run_map(run, reg[2]);
	struct bpf_program *next;

	if (!map || map->type != BPF_MAP_TYPE_PROG_ARRAY || run->tail_calls >= 33 || run->depth)
		return false;
	next = prog_array_program(map, (uint32_t)reg[3]);
	/* Its helpers would look for what this run does not have. */
	if (!next || next->type != run->program->type)
		return false;
	run->tail_calls++;
	run->program = next;
	return true;
}

/* From the instruction `at` until the function that it began in leaves. */
static uint64_t interpret(struct run *run, uint32_t at, uint64_t *reg)
{
	uint32_t bottom = run->depth;

	while (run->left--) {
		const struct bpf_insn *insn = &run->program->insns[at++];

		/* What programs do most comes first. */
		switch (insn->code) {
		case BPF_ALU64 | BPF_MOV | BPF_X:
			reg[insn->dst_reg] = reg[insn->src_reg];
			continue;
		case BPF_ALU64 | BPF_MOV | BPF_K:
			reg[insn->dst_reg] = (uint64_t)insn->imm;
			continue;
		case BPF_ALU64 | BPF_ADD | BPF_K:
			reg[insn->dst_reg] += (uint64_t)insn->imm;
			continue;
		}
		switch (BPF_CLASS(insn->code)) {
		case BPF_ALU:
		case BPF_ALU64:
			run_alu(insn, reg);
			continue;
		case BPF_LD:
			reg[insn->dst_reg] = constant(run, insn);
			at++;
			continue;
		case BPF_LDX:
		case BPF_ST:
		case BPF_STX:
			if (!run_memory_insn(run, insn, reg))
				goto fail;
			continue;
		}
		if (BPF_OP(insn->code) == BPF_EXIT) {
			if (run->depth == bottom)
				return reg[0];
			at = leave(run, reg);
		} else if (BPF_OP(insn->code) != BPF_CALL) {
			at += run_branch(insn, reg) ? (uint32_t)insn->off : 0;
		} else if (insn->src_reg) {
			if (!enter(run, reg, at))
				goto fail;
			at += (uint32_t)insn->imm;
		} else if (insn->imm == BPF_FUNC_tail_call) {
			if (tail_call(run, reg))
				at = 0;
		} else {
			reg[0] = helper_find((uint32_t)insn->imm, run->program->type)(run, &reg[1]);
			if (run->failed)
				goto fail;
		}
	}
fail:
	run->failed = true;
	return 0;
}

uint64_t run_function(struct run *run, uint32_t at, uint64_t first, uint64_t second)
{
	uint64_t reg[11] = {[1] = first, [2] = second}, result;

	/* A program may have reckoned the place: the second half of a wide constant is none. */
	if (at >= run->program->nr_insns || !run->program->insns[at].code || !enter(run, reg, 0)) {
		run->failed = true;
		return 0;
	}
	result = interpret(run, at, reg);
	if (!run->failed)
		run->depth--;
	return result;
}

/* Records that the program has not given back are nobody's. */
static void drop_records(struct run *run)
{
	for (unsigned i = 0; i < RECORDS_MOST; i++)
		if (run->records[i].record) {
			ring_record_commit(run->records[i].map, run->records[i].record, 0, true);
			run->records[i].record = NULL;
		}
	run->nr_records = 0;
}

static uint64_t run_here(struct run *run, struct bpf_program *program,
			 const struct bpf_context *context)
{
	uint64_t reg[11] = {[1] = run_pointer(REGION_CONTEXT, 0),
			    [10] = run_pointer(REGION_STACK, STACK_BYTES_EACH)};
	uint64_t result;

	run->program = program;
	run->context = context;
	run->left = RUN_MOST;
	run->depth = run->tail_calls = 0;
	run->failed = false;
	result = interpret(run, 0, reg);
	if (run->nr_records)
		drop_records(run);
	return run->failed ? 0 : result;
}

uint64_t program_run(struct bpf_program *program, const struct bpf_context *context)
{
	struct bpf_cpu *cpu = bpf_this_cpu();
	uint64_t result = 0;

	if (__atomic_add_fetch(&cpu->running, 1, __ATOMIC_RELAXED) == 1)
		result = run_here(&cpu->run, program, context);
	else
		__atomic_add_fetch(&program->misses, 1, __ATOMIC_RELAXED);
	__atomic_sub_fetch(&cpu->running, 1, __ATOMIC_RELAXED);
	return result;
}
