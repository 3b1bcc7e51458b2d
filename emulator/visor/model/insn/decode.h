/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes the relevant properties of one x86 instruction: whether it is a branch and which, or one
 * that an SVM hypervisor handles. Source: Intel SDM vol. 2, "Instruction Format" and the opcode
 * maps; AMD APM vol. 3 for VMMCALL and for near branches with an operand-size prefix in 64-bit mode
 * (where QEMU behaves as an AMD processor).
 */
#ifndef VISOR_MODEL_DECODE_H
#define VISOR_MODEL_DECODE_H

#include <stdbool.h>
#include <stdint.h>

#define DECODE_MAX 15 /* bytes of the longest instruction */

/* The default operand size of the code segment, or 64-bit mode. */
enum decode_mode { DECODE_16, DECODE_32, DECODE_64 };

enum insn_kind {
	INSN_OTHER, /* none of the kinds below, an invalid instruction, or one that the bytes do not
		     * complete */
	/* Branches, in the classes of Intel's LBR filter */
	INSN_JCC,           /* Jcc, LOOPcc, JCXZ */
	INSN_JMP,           /* near relative */
	INSN_JMP_INDIRECT,  /* near */
	INSN_CALL,          /* near relative */
	INSN_CALL_INDIRECT, /* near */
	INSN_RET,           /* near */
	INSN_FAR,           /* far JMP, CALL and RET, INT n, INT1, INT3, INTO, IRET, RSM */
	INSN_SYSCALL,       /* far branches too, as the following */
	INSN_SYSRET,
	INSN_SYSENTER,
	INSN_SYSEXIT,
	/* Instructions that exit without reporting their length */
	INSN_CPUID,
	INSN_RDMSR,
	INSN_WRMSR,
	INSN_RDPMC,
	INSN_HLT,
	INSN_VMMCALL,
	INSN_PAUSE,
};

struct insn {
	enum insn_kind kind;
	uint8_t length; /* bytes with prefixes; 0 for INSN_OTHER */
};

/* Decodes the instruction at `bytes`, of which `available` may be read (at most DECODE_MAX are).
 * Any context. */
struct insn decode(const uint8_t *bytes, unsigned available, enum decode_mode mode);

/* True for a branch instruction counted by BR_INST_RETIRED.ALL_BRANCHES: when it retires, taken or
 * not. */
static inline bool insn_is_branch(struct insn insn)
{
	return insn.kind >= INSN_JCC && insn.kind <= INSN_SYSEXIT;
}

/* True for a branch that may fall through to the next instruction. */
static inline bool insn_is_conditional(struct insn insn)
{
	return insn.kind == INSN_JCC;
}

#endif
