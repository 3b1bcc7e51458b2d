/* SPDX-License-Identifier: BSD-2-Clause */
/* Classes of instructions that use the same units for the same time on every known core. */
#ifndef CORE_DECODE_INSN_CLASS_H
#define CORE_DECODE_INSN_CLASS_H

/*
 * The computation of an instruction; loads and stores of memory operands are additional. Divisions
 * and one-operand multiplications are in the order of their operands' sizes.
 */
enum insn_class {
	CLASS_MICROCODE, /* whatever no table lists: long */
	CLASS_NONE,      /* nothing is executed: a NOP, or a load or a store alone */
	CLASS_MOVE,      /* between registers; most cores do it by renaming */
	CLASS_MOVE_32,
	CLASS_MOVE_PARTIAL,
	CLASS_MOVE_IMM,
	CLASS_MOVZX,
	CLASS_MOVZX8, /* of the low byte, into 32 bits */
	CLASS_MOVSX,
	CLASS_ALU,
	CLASS_LOGIC,     /* AND, OR, XOR, TEST */
	CLASS_ADD_SMALL, /* of a small constant to a register of 64 bits */
	CLASS_ADC,
	CLASS_LEA,
	CLASS_LEA_SMALL, /* a register of 64 bits and a small displacement */
	CLASS_LEA_RIP,
	CLASS_LEA_SLOW,   /* base, index and displacement */
	CLASS_LEA_ALL,    /* as CLASS_LEA_SLOW, with a scaled index */
	CLASS_LEA_SCALED, /* fewer, but the index is multiplied */
	CLASS_CMOV,
	CLASS_CMOV_BE, /* two groups of flags */
	CLASS_SETCC,
	CLASS_SETCC_BE,
	CLASS_SHIFT,
	CLASS_SHIFT_CL,
	CLASS_SHIFTX,
	CLASS_ROTATE,
	CLASS_ROTATE_CL,
	CLASS_RCL_1,
	CLASS_RCL,
	CLASS_SHLD,
	CLASS_SHLD_CL,
	CLASS_BT,
	CLASS_BT_MEMORY,
	CLASS_BITSCAN,
	CLASS_TZCNT,
	CLASS_LZCNT,
	CLASS_POPCNT,
	CLASS_BMI,
	CLASS_BZHI,
	CLASS_BLS,
	CLASS_BEXTR,
	CLASS_PDEP,
	CLASS_BSWAP32,
	CLASS_BSWAP64,
	CLASS_CRC32,
	CLASS_IMUL,
	CLASS_IMUL_64,
	CLASS_IMUL_16,
	CLASS_MUL8,
	CLASS_MUL16,
	CLASS_MUL32,
	CLASS_MUL64,
	CLASS_MULX,
	CLASS_DIV8,
	CLASS_DIV16,
	CLASS_DIV32,
	CLASS_DIV64,
	CLASS_IDIV8,
	CLASS_IDIV16,
	CLASS_IDIV32,
	CLASS_IDIV64,
	CLASS_CWD,
	CLASS_XCHG,
	CLASS_XADD,
	CLASS_CMPXCHG,
	CLASS_CMPXCHG16B,
	CLASS_LAHF,
	CLASS_FLAG,
	CLASS_CLD,
	CLASS_JCC,
	CLASS_JMP,
	CLASS_JMP_INDIRECT,
	CLASS_CALL,
	CLASS_CALL_INDIRECT,
	CLASS_RET,
	CLASS_LOOP,
	CLASS_LOOP_FLAG, /* LOOPE, LOOPNE */
	CLASS_JCXZ,
	CLASS_PUSHF,
	CLASS_POPF,
	CLASS_LEAVE,
	CLASS_LODS,
	CLASS_STOS,
	CLASS_MOVS,
	CLASS_SCAS,
	CLASS_REP, /* the start of a repeated string instruction */

	CLASS_VMOVE,
	CLASS_VMOVE_SCALAR, /* movss between registers: a merge */
	CLASS_TO_VECTOR,
	CLASS_FROM_VECTOR,
	CLASS_SHUFFLE,
	CLASS_SHUFFLE_FEW, /* two sources by words of 32 or 64 bits, PALIGNR: not by every unit */
	CLASS_PACK,
	CLASS_SHUFFLE_LANES, /* across the halves of 256 bits */
	CLASS_BLEND,
	CLASS_BLEND_WORDS,
	CLASS_BLENDV,
	CLASS_BLENDV_VEX, /* of four operands */
	CLASS_VLOGIC,
	CLASS_VINT,
	CLASS_VINT_SAT, /* compares, minima, averages, saturating sums */
	CLASS_VSHIFT,
	CLASS_VSHIFT_REG, /* by a count in a vector register */
	CLASS_VSHIFTV,
	CLASS_VMUL,
	CLASS_PMULLD,
	CLASS_PSADBW,
	CLASS_PHADD,
	CLASS_MOVMSK,
	CLASS_PTEST,
	CLASS_PINSR,
	CLASS_PEXTR,
	CLASS_MASKMOV,
	CLASS_GATHER,
	CLASS_GATHER_8, /* of eight elements */
	CLASS_ZEROUPPER,

	CLASS_FLOGIC,
	CLASS_FADD,
	CLASS_FCMP, /* compares, minima, maxima */
	CLASS_FMUL,
	CLASS_FMA,
	CLASS_FDIV_S, /* scalar or 128 bits, single precision */
	CLASS_FDIV_D,
	CLASS_FDIV_S256,
	CLASS_FDIV_D256,
	CLASS_FSQRT_S,
	CLASS_FSQRT_D,
	CLASS_FSQRT_S256,
	CLASS_FSQRT_D256,
	CLASS_RCP,
	CLASS_ROUND,
	CLASS_COMIS,
	CLASS_HADD,
	CLASS_DPPS,
	CLASS_CVT,       /* within vectors, elements of one size */
	CLASS_CVT_WIDTH, /* within vectors, to another size */
	CLASS_CVT_FROM_INT,
	CLASS_CVT_TO_INT,

	CLASS_X87_MOVE,
	CLASS_X87_ADD,
	CLASS_X87_MUL,
	CLASS_X87_DIV,
	CLASS_X87_SQRT,
	CLASS_X87_COMPARE,
	CLASS_X87_MISC,
	CLASS_X87_SLOW, /* sines, logarithms, environments */

	CLASS_AES,
	CLASS_AESKEYGEN,
	CLASS_CLMUL,
	CLASS_SHA,
	CLASS_PCMPSTR,
	CLASS_MPSADBW,

	CLASS_LFENCE,
	CLASS_MFENCE,
	CLASS_SFENCE,
	CLASS_PAUSE,
	CLASS_PREFETCH,
	CLASS_CLFLUSH,
	CLASS_CPUID,
	CLASS_RDTSC,
	CLASS_RDPMC,
	CLASS_RDMSR,
	CLASS_WRMSR,
	CLASS_RDRAND,
	CLASS_XSAVE,
	CLASS_SYSCALL,
	CLASS_INTERRUPT, /* INT n, IRET, far branches */
	CLASS_SYSTEM,    /* control registers, ports, tables, TLB entries: serialising */
	CLASSES,
};

#endif
