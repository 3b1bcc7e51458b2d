/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes the instruction at a probe, and emits out-of-line code for it: Intel SDM volume 2,
 * chapter 2 and appendix A. */
#ifndef TRACE_PROBE_INSN_H
#define TRACE_PROBE_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "arch/x86/paging/text.h"

#define PROBE_INSN_MAX  15
#define PROBE_INT3      0xcc
#define PROBE_PUSH_RBP  0x55
#define PROBE_JUMP_BYTE 0xe9 /* relative, 5 bytes */

/* The kind of out-of-line execution. */
enum probe_kind {
	PROBE_PLAIN,       /* copied as is, then a jump to the next instruction */
	PROBE_JUMP,        /* relative */
	PROBE_CONDITIONAL, /* Jcc */
	PROBE_LOOP,        /* LOOPcc, JRCXZ */
	PROBE_CALL,        /* relative */
	PROBE_CALL_INDIRECT,
};

struct probe_insn {
	uint8_t bytes[PROBE_INSN_MAX];
	uint8_t length;
	uint8_t kind;     /* enum probe_kind */
	uint8_t opcode;   /* where it begins in bytes, after prefixes and 0F */
	uint8_t modrm;    /* where that is, 0: none */
	uint8_t relative; /* where a displacement from RIP is, of 4 bytes; 0: none */
	bool by_stack;    /* an indirect call through an operand at RSP */
	int32_t target;   /* of branches: from the next instruction */
};

/* Decodes the instruction, of which `available` bytes may be read: 0, or -ENOTSUPP (524): it cannot
 * be executed out of line. Context: any. */
int probe_insn_decode(struct probe_insn *insn, const uint8_t *bytes, size_t available);

/* Writes to `code` an out-of-line version, for address `slot`, of the instruction at `at`, followed
 * by a jump back. Returns 0, or -ERANGE: `slot` is too far away. Context: any. */
int probe_insn_place(const struct probe_insn *insn, uint64_t at, uint64_t slot,
		     uint8_t code[PROBE_SLOT_BYTES]);

/* As probe_insn_place(), for consecutive instructions of at least `least` bytes, without calls and
 * unconditional jumps. Returns their bytes, -ENOTSUPP or -ERANGE. `bytes` has PROBE_SLOT_BYTES.
 * Context: any. */
int probe_insns_place(const uint8_t *bytes, uint64_t at, uint64_t slot, unsigned least,
		      uint8_t code[PROBE_SLOT_BYTES]);

#endif
