/* SPDX-License-Identifier: BSD-2-Clause */
/* The properties of an instruction for a simulated core, decoded by Zydis. */
#ifndef CORE_DECODE_DECODE_H
#define CORE_DECODE_DECODE_H

#include <stdbool.h>
#include <stdint.h>

#include "emulator/sim/branch/predictor.h"
#include "emulator/sim/config/pipeline_config.h"

#define INSN_READS_MAX  10
#define INSN_WRITES_MAX 6
#define INSN_MEMORY_MAX 2
#define SIMPLE_REACH    2048 /* bytes from a register, where loads may be quicker */

/* Registers as the pipeline renames them. */
enum pipe_register {
	REG_RAX = 0,
	REG_RSP = 4,
	REG_CARRY = 16, /* CF is renamed apart from the others */
	REG_FLAGS = 17,
	REG_VECTOR = 18,
	REG_X87 = 34,  /* by position in the stack at the block's start; also MMX */
	REG_MISC = 42, /* MXCSR and others of this kind */
	REG_NONE = 0xff,
};

/* Kinds of branches in addition to enum branch_class. */
enum {
	BRANCH_NONE = BRANCH_CLASSES,
	BRANCH_FAR, /* SYSCALL, INT, IRET, far jumps and their kind: not predicted */
};

enum fp_width {
	FP_NONE,
	FP_SCALAR_SINGLE,
	FP_SCALAR_DOUBLE,
	FP_128_SINGLE,
	FP_128_DOUBLE,
	FP_256_SINGLE,
	FP_256_DOUBLE,
	FP_X87,
	FP_WIDTHS,
};

/* The operation of a vector instruction, as far as counters of operations distinguish it. */
enum fp_operation {
	FP_NO_OPERATION,
	FP_ADD, /* and subtract */
	FP_MULTIPLY,
	FP_DIVIDE, /* and square roots */
	FP_MULTIPLY_ADD,
	FP_OPERATIONS,
};

/* A compare or the like that may be joined with a conditional branch after it. */
enum fusible { FUSIBLE_NO, FUSIBLE_TEST, FUSIBLE_CMP, FUSIBLE_AND, FUSIBLE_ADD, FUSIBLE_INC };

/* Parts of a general register that instructions can write and leave the rest. */
enum register_part { PART_LOW, PART_HIGH, PART_WORD, PARTS };

/* The effect of an instruction on the upper halves of the vector registers. */
enum upper_halves { UPPER_KEEPS, UPPER_DIRTIES, UPPER_CLEANS, UPPER_RESTORES };

/* The effect of an instruction on the direction of string instructions. */
enum direction { DIRECTION_KEEPS, DIRECTION_UP, DIRECTION_DOWN };

struct insn_memory {
	bool load, store;
	uint8_t size;        /* bytes, at most 64 */
	uint8_t base, index; /* enum pipe_register */
	int32_t displacement;
	bool simple;  /* [base + displacement below SIMPLE_REACH]: short_latency may hold */
	bool complex; /* three addends, or a scaled index */
};

struct insn {
	enum insn_class kind;
	uint8_t length;
	uint8_t operand_size;          /* bytes */
	uint8_t vector_size;           /* bytes of its widest vector operand, 0 without one */
	uint8_t reads[INSN_READS_MAX]; /* except registers of addresses */
	uint8_t writes[INSN_WRITES_MAX];
	uint8_t read_count, write_count;
	struct insn_memory memory[INSN_MEMORY_MAX];
	uint8_t memory_count;
	uint8_t branch; /* enum branch_class, BRANCH_NONE, BRANCH_FAR */
	bool has_target;
	int64_t target;    /* of a direct branch, relative to the instruction's address */
	uint8_t condition; /* of a conditional branch: the low four bits of its opcode */
	uint8_t fusible;   /* enum fusible */
	uint8_t fp;        /* enum fp_width */
	uint8_t flops;     /* the operation in counters of FP instructions: FMA twice */
	uint8_t operation; /* enum fp_operation */
	uint8_t bits;      /* 64, 32 or 16: the mode it was decoded in; 0: not decodable */
	bool zero_idiom;   /* its result does not depend on its sources; no unit where renamed */
	bool ones_idiom;   /* as zero_idiom, but executed */
	bool same_sources; /* one register twice, as in XOR EAX, EAX */
	bool eliminable;   /* a move or an addition that renaming can do */
	bool repeats;      /* REP, REPE, REPNE of a string instruction */
	uint8_t round;    /* then: cycles of each repetition; 0: MOVS and STOS, which go by bytes */
	bool locked;      /* LOCK, or XCHG with memory */
	bool streams;     /* its stores pass the caches by: MOVNTI and its kind */
	bool serialising; /* nothing after it starts before everything before it has retired */
	bool alone;       /* a segment of its own: a visor may execute it in the guest's place */
	bool stack_engine;    /* PUSH, POP, CALL, RET: RSP moves in the front end */
	bool sign_extends;    /* MOVSX, MOVSXD */
	uint16_t whole_reads; /* bit r: reads 32 or 64 bits of register r */
	uint16_t part_reads[PARTS], part_writes[PARTS];
	uint8_t false_dependency; /* enum false_dependency, or 0 */
	uint8_t elements;         /* that a gather loads one by one, or 0 */
	uint8_t upper;            /* enum upper_halves */
	bool merges_upper;        /* writes a vector register and keeps its upper half */
	uint8_t direction;        /* enum direction */
	bool x87;
	int8_t x87_push; /* places by which it moves the x87 stack: 1, 0, -1, -2 */
};

/*
 * Decodes one instruction of length bytes (1 to 15) that some processor has executed: in 64-bit
 * mode, or if that yields another length, in 32- or 16-bit mode. Always fills in *insn; an
 * undecodable one is CLASS_MICROCODE with bits 0.
 */
void decode_insn(const uint8_t *bytes, unsigned length, struct insn *insn);

#endif
