/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The interpreter: each decoded instruction jumps straight to the next one's code. Memory accesses
 * are checked at run time, except accesses to the own stack, which decode.c has checked. Backward
 * jumps are counted, so that a run ends.
 */
#include "bpf/bpf.h"
#include "bpf/helper_body.h"
#include "bpf/ops.h"
#include "kernel/base/string.h"

static uint64_t swap_bytes(uint64_t value, uint64_t bits, bool to_big)
{
	if (bits == 16)
		return to_big ? __builtin_bswap16((uint16_t)value) : (uint16_t)value;
	if (bits == 32)
		return to_big ? __builtin_bswap32((uint32_t)value) : (uint32_t)value;
	return to_big ? __builtin_bswap64(value) : value;
}

/* BPF_ATOMIC on one word of either size: returns the old value. */
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
	unsigned bytes = BPF_SIZE(insn->code) == BPF_DW ? 8 : 4;
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

/* ---- calls ---- */

/* Counts a backward jump over `instructions`: false if the budget is exhausted. */
static inline bool spend(struct run *run, uint64_t instructions)
{
	if (run->left <= instructions)
		return false;
	run->left -= instructions;
	return true;
}

static void set_depth(struct run *run, uint32_t depth, uint64_t *reg)
{
	run_set_depth(run, depth);
	reg[10] = run_pointer(REGION_STACK, run->stack_bytes);
}

/* Enters a function of the program: it has its own stack, and preserves R6 to R9. */
static bool interpret_enter(struct run *run, uint64_t *reg, uint32_t back)
{
	if (run->depth + 1 >= CALLS_MAX)
		return false;
	run->back[run->depth] = back;
	memcpy(run->saved[run->depth], &reg[6], sizeof(run->saved[0]));
	set_depth(run, run->depth + 1, reg);
	return true;
}

static uint32_t leave(struct run *run, uint64_t *reg)
{
	set_depth(run, run->depth - 1, reg);
	memcpy(&reg[6], run->saved[run->depth], sizeof(run->saved[0]));
	return run->back[run->depth];
}

/* Replaces this program by another one: false if there is none. */
static bool tail_call(struct run *run, uint64_t *reg)
{
	struct bpf_map *map = run_map(run, reg[2]);
	struct bpf_program *next;

	if (!map || map->type != BPF_MAP_TYPE_PROG_ARRAY || run->tail_calls >= 33 || run->depth)
		return false;
	next = prog_array_program(map, (uint32_t)reg[3]);
	/* Helpers of another program type need a context that this run does not have. */
	if (!next || next->type != run->program->type)
		return false;
	run->tail_calls++;
	run->program = next;
	return true;
}

/* Ends a run without cleanup. */
static inline void end(struct run *run)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&run->running, false, __ATOMIC_RELAXED);
}

/* ---- instructions ---- */

#define D     reg[op->dst]
#define S     reg[op->src]
#define NEXT  goto *(++op)->label
#define IS_64 (sizeof(a) == 8)

/* An operation on a and b, 64- and 32-bit, with a register and a constant. */
#define ALU_CASE(label, type, second, expression)     \
	label : {                                     \
		type a = (type)D, b = (type)(second); \
                                                      \
		(void)a;                              \
		(void)b;                              \
		D = (type)(expression);               \
	}                                             \
	NEXT;
#define ALU(name, expression)                               \
	ALU_CASE(name##_64X, uint64_t, S, expression)       \
	ALU_CASE(name##_64K, uint64_t, op->imm, expression) \
	ALU_CASE(name##_32X, uint32_t, S, expression)       \
	ALU_CASE(name##_32K, uint32_t, op->imm, expression)

#define JUMP_CASE(label, type, second, condition)     \
	label : {                                     \
		type a = (type)D, b = (type)(second); \
                                                      \
		if (condition)                        \
			goto taken;                   \
	}                                             \
	NEXT;
#define JUMP(name, condition)                               \
	JUMP_CASE(name##_64X, uint64_t, S, condition)       \
	JUMP_CASE(name##_64K, uint64_t, op->imm, condition) \
	JUMP_CASE(name##_32X, uint32_t, S, condition)       \
	JUMP_CASE(name##_32K, uint32_t, op->imm, condition)

/* Signed, with the width of a. */
#define SIGNED(a, is, b) (IS_64 ? (int64_t)(a)is(int64_t)(b) : (int32_t)(a)is(int32_t)(b))

/* Where an access leads to. */
#define CHECKED(pointer, type, write)                                                            \
	({                                                                                       \
		void *at_ = run_memory(run, (pointer) + (uint64_t)op->off, sizeof(type), write); \
                                                                                                 \
		if (!at_)                                                                        \
			goto fail;                                                               \
		at_;                                                                             \
	})
#define LOAD_CASE(label, type, from)                           \
	label : {                                              \
		type value;                                    \
                                                               \
		__builtin_memcpy(&value, from, sizeof(value)); \
		D = value;                                     \
	}                                                      \
	NEXT;
#define STORE_CASE(label, type, to, from)                    \
	label : {                                            \
		type value = (type)(from);                   \
                                                             \
		__builtin_memcpy(to, &value, sizeof(value)); \
	}                                                    \
	NEXT;
#define FRAME     (run->frame + op->off)
#define MAP_OF_OP ((struct bpf_map *)op->imm)
#define MEMORY_CASES(unused, size, type)                              \
	LOAD_CASE(LOAD_##size, type, CHECKED(S, type, false))         \
	LOAD_CASE(LOAD_STACK_##size, type, FRAME)                     \
	STORE_CASE(STORE_##size, type, CHECKED(D, type, true), S)     \
	STORE_CASE(STORE_STACK_##size, type, FRAME, S)                \
	STORE_CASE(PUT_##size, type, CHECKED(D, type, true), op->imm) \
	STORE_CASE(PUT_STACK_##size, type, FRAME, op->imm)

#define LABELS(name)                                                        \
	[OP_##name##_64X] = &&name##_64X, [OP_##name##_64K] = &&name##_64K, \
	[OP_##name##_32X] = &&name##_32X, [OP_##name##_32K] = &&name##_32K,
#define LABEL_SIZED(kind, size, type) [OP_##kind##_##size] = &&kind##_##size,
#define LABEL(name)                   [OP_##name] = &&name

uint64_t interpret(struct run *run, const struct op *op, uint64_t *reg)
{
	static const void *const labels[NR_OPS] = {
	    /* cppcheck-suppress assignBoolToPointer ; labels, not conditions */
	    OPS_ALU(LABELS) OPS_JUMP(LABELS) OPS_SIZE(LABEL_SIZED, LOAD)
		OPS_SIZE(LABEL_SIZED, STORE) OPS_SIZE(LABEL_SIZED, PUT)
		    OPS_SIZE(LABEL_SIZED, LOAD_STACK) OPS_SIZE(LABEL_SIZED, STORE_STACK)
			OPS_SIZE(LABEL_SIZED, PUT_STACK) LABEL(END),
	    LABEL(JUMP),
	    LABEL(ATOMIC),
	    LABEL(WIDE),
	    LABEL(HELPER),
	    LABEL(TAIL_CALL),
	    LABEL(CALL),
	    LABEL(EXIT),
	    LABEL(RESULT),
	    LABEL(LOOKUP_ARRAY),
	    LABEL(LOOKUP),
	    LABEL(UPDATE),
	    LABEL(OUTPUT),
	    LABEL(ALL_LOOKUP_ARRAY),
	    LABEL(ALL_LOOKUP),
	    LABEL(ALL_UPDATE),
	    LABEL(ALL_OUTPUT),
	    LABEL(PLACE),
	    LABEL(CLEAR),
	    LABEL(HANDLERS)};
	uint32_t at;

	goto *labels[op->code];

	ALU(ADD, a + b)
	ALU(SUB, a - b)
	ALU(MUL, a * b)
	ALU(DIV, b ? a / b : 0)
	ALU(OR, a | b)
	ALU(AND, a & b)
	ALU(LSH, a << (b & (8 * sizeof(a) - 1)))
	ALU(RSH, a >> (b & (8 * sizeof(a) - 1)))
	ALU(NEG, -a)
	ALU(MOD, b ? a % b : a)
	ALU(XOR, a ^ b)
	ALU(MOV, b)
	ALU(ARSH, IS_64 ? (uint64_t)((int64_t)a >> (b & 63)) : (uint32_t)((int32_t)a >> (b & 31)))
	JUMP(JEQ, a == b)
	JUMP(JGT, a > b)
	JUMP(JGE, a >= b)
	JUMP(JSET, a & b)
	JUMP(JNE, a != b)
	JUMP(JSGT, SIGNED(a, >, b))
	JUMP(JSGE, SIGNED(a, >=, b))
	JUMP(JLT, a < b)
	JUMP(JLE, a <= b)
	JUMP(JSLT, SIGNED(a, <, b))
	JUMP(JSLE, SIGNED(a, <=, b))
	OPS_SIZE(MEMORY_CASES, )
END:
	D = swap_bytes(D, op->imm, op->off);
	NEXT;
ATOMIC:
	if (!run_atomic(run, &run->program->insns[op - run->program->ops - 1], reg))
		goto fail;
	NEXT;
PLACE:
	D = reg[10] + op->imm;
	op++;
	NEXT;
WIDE:
	D = op->imm;
	op++;
	NEXT;
HELPER:
	reg[0] = ((helper_fn *)op->imm)(run, &reg[1]);
	if (run->failed)
		goto fail;
	NEXT;
LOOKUP_ARRAY:
	reg[0] = array_pointer(MAP_OF_OP, op->src, FRAME);
	NEXT;
LOOKUP:
	reg[0] = helper_lookup(MAP_OF_OP, op->src, FRAME);
	NEXT;
UPDATE:
	reg[0] = helper_update(MAP_OF_OP, FRAME, run->frame + op->more, reg[4]);
	NEXT;
OUTPUT:
	reg[0] =
	    helper_output(run, MAP_OF_OP, reg[3], &(struct raw_data){FRAME, (uint32_t)op->more});
	NEXT;
ALL_LOOKUP_ARRAY:
	reg[0] = array_pointer(MAP_OF_OP, op->src, FRAME);
	op += op->dst;
	NEXT;
ALL_LOOKUP:
	reg[0] = helper_lookup(MAP_OF_OP, op->src, FRAME);
	op += op->dst;
	NEXT;
ALL_UPDATE:
	reg[0] = helper_update(MAP_OF_OP, FRAME, run->frame + op->more, op->src);
	op += op->dst;
	NEXT;
ALL_OUTPUT:
	reg[0] = helper_output(run, MAP_OF_OP, BPF_F_CURRENT_CPU,
			       &(struct raw_data){FRAME, (uint32_t)op->more});
	op += op->dst;
	NEXT;
TAIL_CALL:
	at = (uint32_t)(op - run->program->ops);
	if (!tail_call(run, reg))
		NEXT;
	if (!spend(run, at))
		goto fail;
	op = run->program->entry;
	goto * op->label;
CALL:
	if (!interpret_enter(run, reg, (uint32_t)(op - run->program->ops) + 1))
		goto fail;
JUMP:
taken:
	if (op->off < 0 && !spend(run, (uint64_t) - (int64_t)op->off))
		goto fail;
	op += op->off;
	NEXT;
RESULT:
	if (!run->begun) {
		end(run);
		return op->imm;
	}
	reg[0] = op->imm;
	op++;
EXIT:
	if (!run->depth)
		goto over;
	if (run->depth == run->bottom) {
		run->end = op;
		return reg[0];
	}
	at = (uint32_t)(op - run->program->ops);
	op = run->program->ops + leave(run, reg);
	if (at >= (uint32_t)(op - run->program->ops) &&
	    !spend(run, at - (uint32_t)(op - run->program->ops) + 1))
		goto fail;
	goto * op->label;
CLEAR:
	reg[0] = reg[2] = reg[3] = reg[4] = reg[5] = reg[6] = reg[7] = reg[8] = reg[9] = 0;
	NEXT;
HANDLERS:
	*(const void *const **)op->imm = labels;
	return 0;
over:
	if (run->begun)
		return run_clean(run, reg[0]);
	end(run);
	return reg[0];
fail:
	run->failed = true;
	return run->bottom ? 0 : run_clean(run, 0);
}

/* Runs the entered function, which counts as a backward jump over its instructions. */
static uint64_t run_entered(struct run *run, const struct op *op, uint64_t *reg)
{
	uint8_t bottom = run->bottom;
	uint64_t result;

	run->bottom = run->depth;
	result = interpret(run, op, reg);
	run->bottom = bottom;
	if (!run->failed && run->end >= op && !spend(run, (uint64_t)(run->end - op) + 1))
		run->failed = true;
	return run->failed ? 0 : result;
}

uint64_t run_function(struct run *run, uint32_t at, const uint64_t arguments[4])
{
	uint64_t reg[11] = {0}, result;

	memcpy(&reg[1], arguments, 4 * sizeof(reg[0]));
	/* A program may have computed the address. */
	if (at >= run->program->nr_insns || !run->program->ops[1 + at].is_function ||
	    !spend(run, 1) || !interpret_enter(run, reg, 0)) {
		run->failed = true;
		return 0;
	}
	result = run_entered(run, run->program->ops + 1 + at, reg);
	if (!run->failed)
		run_set_depth(run, run->depth - 1);
	return result;
}
