/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls of helpers with arguments that are known at decode time. */
#ifndef BPF_SITES_H
#define BPF_SITES_H

#include "bpf/bpf.h"
#include "bpf/ops.h"

/* The known content of a register at an instruction. */
struct known {
	enum { KNOWN_NOT, KNOWN_MAP, KNOWN_PLACE, KNOWN_NUMBER } kind;
	int64_t value; /* the map's number; bytes from R10 on; the number */
};

/* State carried from one instruction to the next, in program order. */
struct sites {
	const struct bpf_program *program;
	uint8_t *entered; /* by instruction: ENTERED_* */
	uint16_t *reads;  /* program_reads() */
	struct known reg[MAX_BPF_REG];
};

/* By a jump or a call: nothing is known there. As a function: helpers may call it. */
enum { ENTERED_BY_JUMP = 1, ENTERED_AS_FUNCTION = 2 };

/* Finds the entry points of a checked program: 0 or -ENOMEM. Context: task. */
int sites_begin(struct sites *sites, const struct bpf_program *program);
void sites_end(struct sites *sites);

/*
 * Handles the next instruction, when `ops` are decoded so far: turns a call of a helper into an
 * operation that skips checks of known arguments. Instructions that only set its arguments are
 * dropped: the first of them becomes the call. Returns the index of that operation, or `at`.
 * Context: task.
 */
uint32_t sites_take(struct sites *sites, uint32_t at, struct op *ops);

#endif
