/* SPDX-License-Identifier: BSD-2-Clause */
/* Decoded programs: each instruction is decoded at load. */
#ifndef BPF_OPS_H
#define BPF_OPS_H

#include <stdbool.h>
#include <stdint.h>

struct bpf_program;
struct run;

/* By BPF_OP: arithmetic, and jumps after JA, without CALL and EXIT. */
/* clang-format off */
#define OPS_ALU(A) \
	A(ADD) A(SUB) A(MUL) A(DIV) A(OR) A(AND) A(LSH) A(RSH) A(NEG) A(MOD) A(XOR) A(MOV) A(ARSH)
#define OPS_JUMP(J) \
	J(JEQ) J(JGT) J(JGE) J(JSET) J(JNE) J(JSGT) J(JSGE) J(JLT) J(JLE) J(JSLT) J(JSLE)
/* By BPF_SIZE. */
#define OPS_SIZE(S, kind) S(kind, W, uint32_t) S(kind, H, uint16_t) S(kind, B, uint8_t) S(kind, DW, uint64_t)
/* For 64 and 32 bits, each with a register and a constant. */
#define OPS_KINDS(name) OP_##name##_64X, OP_##name##_64K, OP_##name##_32X, OP_##name##_32K,
#define OPS_SIZED(kind, size, type) OP_##kind##_##size,

enum {
	OPS_ALU(OPS_KINDS)
	OPS_JUMP(OPS_KINDS)
	OPS_SIZE(OPS_SIZED, LOAD)
	OPS_SIZE(OPS_SIZED, STORE)
	OPS_SIZE(OPS_SIZED, PUT) /* a constant */
	/* As above, on the program's own stack. */
	OPS_SIZE(OPS_SIZED, LOAD_STACK)
	OPS_SIZE(OPS_SIZED, STORE_STACK)
	OPS_SIZE(OPS_SIZED, PUT_STACK)
	/*
	 * PLACE: two instructions that compute a stack address. RESULT: two that exit with a
	 * constant. LOOKUP to OUTPUT: helpers whose arguments are known (sites.c): `off` is a stack
	 * offset, `imm` the map. ALL: also replaces the `dst` instructions that set the arguments.
	 * CLEAR: zeroes registers at the start of a run that may read unwritten ones. `TELL` writes
	 * the address of each operation's code to `imm`, a const void *const **.
	 */
	OP_END, OP_PLACE, OP_JUMP, OP_ATOMIC, OP_WIDE, OP_HELPER, OP_TAIL_CALL, OP_CALL, OP_EXIT, OP_RESULT,
	OP_LOOKUP_ARRAY, OP_LOOKUP, OP_UPDATE, OP_OUTPUT,
	OP_ALL_LOOKUP_ARRAY, OP_ALL_LOOKUP, OP_ALL_UPDATE, OP_ALL_OUTPUT,
	OP_CLEAR, OP_HANDLERS, NR_OPS
};
/* clang-format on */

struct op {
	const void *label; /* where the interpreter does it */
	uint8_t code;      /* OP_* */
	uint8_t dst, src;  /* LOOKUP: the map's number in src; ALL_UPDATE: the flags */
	bool is_function;  /* helpers may call it */
	int16_t more;      /* UPDATE: the value's place; OUTPUT: how many bytes */
	int32_t off;       /* of an access; of a jump or call, from the next one on */
	uint64_t
	    imm; /* extended; OP_WIDE: all of it; OP_HELPER: the function; OP_PLACE: from R10 on */
};

/* Decodes a checked program: 0 or -ENOMEM. Context: task. */
int program_decode(struct bpf_program *program);

/* run.c: ends a run that needs cleanup; returns its result. Context: any. */
uint64_t run_clean(struct run *run, uint64_t result);

/* interpret.c: runs from `op` on until the current function exits. For the first function that ends
 * the run: returns 0 if the program did something invalid. For a function of run_function() sets
 * run->failed then. Context: any. */
uint64_t interpret(struct run *run, const struct op *op, uint64_t *reg);

/* reads.c: returns, for each instruction of a checked program, a bit for each register that may be
 * read from there on before it is written; free it with kfree(). NULL: no memory. Context: task. */
uint16_t *program_reads(const struct bpf_program *program);

#endif
