/* SPDX-License-Identifier: BSD-2-Clause */
/* Kinds of branches as branch_sample_type names them, and branch stacks of samples. */
#ifndef PMU_BRANCH_H
#define PMU_BRANCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/linux/perf_event.h"

#define BRANCH_STACK_MAX 32

/* The branches of a sample. */
struct branch_stack {
	uint32_t nr;
	uint64_t hw_idx; /* number of the newest record in the hardware */
	struct perf_branch_entry entries[BRANCH_STACK_MAX];
};

/* Properties of a branch: its type, the ring of its target; also used as a filter. */
enum branch_kind {
	BRANCH_USER = 1 << 0, /* leads into ring 3 */
	BRANCH_KERNEL = 1 << 1,
	BRANCH_CALL = 1 << 2, /* direct */
	BRANCH_RET = 1 << 3,  /* near or far */
	BRANCH_SYSCALL = 1 << 4,
	BRANCH_SYSRET = 1 << 5,
	BRANCH_INT = 1 << 6, /* the instruction */
	BRANCH_IRET = 1 << 7,
	BRANCH_JCC = 1 << 8,
	BRANCH_JMP = 1 << 9,  /* direct */
	BRANCH_IRQ = 1 << 10, /* interrupt or exception out of ring 3 */
	BRANCH_IND_CALL = 1 << 11,
	BRANCH_IND_JMP = 1 << 12,
	BRANCH_ZERO_CALL = 1 << 13, /* to the next instruction: reads RIP */
	BRANCH_ABORT = 1 << 14,     /* of a transaction */
	BRANCH_IN_TX = 1 << 15,
	BRANCH_NO_TX = 1 << 16,
	BRANCH_TYPE_SAVE = 1 << 17, /* filter only */
};

#define BRANCH_RINGS (BRANCH_USER | BRANCH_KERNEL)
#define BRANCH_ANY                                                                              \
	(BRANCH_CALL | BRANCH_RET | BRANCH_SYSCALL | BRANCH_SYSRET | BRANCH_INT | BRANCH_IRET | \
	 BRANCH_JCC | BRANCH_JMP | BRANCH_IRQ | BRANCH_IND_CALL | BRANCH_IND_JMP |              \
	 BRANCH_ZERO_CALL | BRANCH_ABORT)
#define BRANCH_ANY_CALL                                                                   \
	(BRANCH_CALL | BRANCH_IND_CALL | BRANCH_ZERO_CALL | BRANCH_SYSCALL | BRANCH_IRQ | \
	 BRANCH_INT)

/*
 * Translates branch_sample_type into *filter. Returns 0, -EINVAL for a call stack with other kinds
 * of branches, or -EOPNOTSUPP for a call stack without `call_stacks`. Context: any.
 */
int branch_filter(uint64_t sample_type, bool call_stacks, uint32_t *filter);
/* Returns the kind of the instruction in `bytes` bytes of 64-bit code; 0: no branch, or too few
 * bytes. Context: any. Source: SDM volume 2, opcode maps. */
uint32_t branch_decode(const uint8_t *code, size_t bytes);
/* Returns the kind of a recorded branch by its addresses and the instruction at `from`, which it
 * reads without faulting. 0: unknown. Context: any. */
uint32_t branch_kind_of(uint64_t from, uint64_t to);
/* Returns the PERF_BR_* value of a kind. */
unsigned branch_type_of(uint32_t kind);
/* Returns BRANCH_USER or BRANCH_KERNEL, by the address. */
static inline uint32_t branch_ring(uint64_t address)
{
	return address >> 63 ? BRANCH_KERNEL : BRANCH_USER;
}

#endif
