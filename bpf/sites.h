/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls of helpers whose arguments are known before the program runs. */
#ifndef BPF_SITES_H
#define BPF_SITES_H

#include "bpf/bpf.h"
#include "bpf/ops.h"

/* What a register holds where an instruction stands. */
struct known {
	enum { KNOWN_NOT, KNOWN_MAP, KNOWN_PLACE, KNOWN_NUMBER } kind;
	int64_t value; /* the map's number; bytes from R10 on; the number */
};

/* Of one instruction to the next, in the order in which they stand. */
struct sites {
	const struct bpf_program *program;
	uint8_t *entered; /* by instruction: ENTERED_* */
	uint16_t *reads;  /* program_reads() */
	struct known reg[MAX_BPF_REG];
};

/* By a jump or a call: nothing is known there. As a function: helpers may call it. */
enum { ENTERED_BY_JUMP = 1, ENTERED_AS_FUNCTION = 2 };

/* Finds out where the program, which was checked, can be entered: 0 or -ENOMEM. Context: task. */
int sites_begin(struct sites *sites, const struct bpf_program *program);
void sites_end(struct sites *sites);

/* Takes the next instruction, when `ops` are decoded so far: a call of a helper becomes one that
 * checks nothing which is known. What did no more than set its arguments is then left out: the
 * first of these becomes the call. Returns which one that is, or `at`. Context: task. */
uint32_t sites_take(struct sites *sites, uint32_t at, struct op *ops);

#endif
