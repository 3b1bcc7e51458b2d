/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processor Trace of a simulated processor: each block's outcome, or the interrupt after it,
 * becomes packets (emulator/pt/) in the guest's memory. Not called while TraceEn is clear.
 */
#ifndef CORE_TRACE_H
#define CORE_TRACE_H

#include "abi/core_page.h"
#include "emulator/pt/pt.h"
#include "emulator/sim/cpu/code.h"

struct core;

/* The machine's callbacks, valid at the start of a block. All NULL: nothing is traced. */
struct trace_machine {
	void *who;
	/* The guest's memory, as struct pt's at(). */
	uint8_t *(*memory)(void *who, uint64_t physical);
	/* CR3 and enum pt_mode. */
	void (*place)(void *who, uint64_t *cr3, uint8_t *mode);
	/* Reads the return address of the interrupt that has just come; false: unreadable.
	 */
	bool (*frame)(void *who, uint64_t *ip);
	/* Stops the guest soon. */
	void (*stop)(void *who);
};

struct tracer {
	struct trace_machine machine;
	struct pt pt;
	uint64_t ran;     /* instructions since the entry */
	uint64_t entered; /* core_time() at the entry */
};

/* The end of a block. */
struct trace_end {
	const struct code_block *block;
	unsigned nr;    /* instructions that retired */
	uint64_t to;    /* address of the next instruction */
	bool left;      /* an interrupt or exception ended it */
	bool stopped;   /* the guest is outside, where the page says */
	bool broken_in; /* its last branch led to ring 3, and an interrupt came there at once */
	enum core_ring ring, new_ring;
};

/* trace_entered(): the block is the first one after an entry. */
void trace_entered(struct core *core, const struct code_block *block);
void trace_ended(struct core *core, const struct trace_end *end);

/* True if an interrupt or an exception ended the block. `to_user`: the guest is in ring 3 now. */
bool trace_was_left(const struct core *core, const struct trace_end *end, bool to_user);
/* Finds the instruction before which that interrupt came. False: unknown. */
bool trace_interrupted_at(const struct core *core, const struct trace_end *end, uint64_t *ip);
/* True if the block had ended with its branch when the guest was at ip: ip is outside of the block,
 * or its start again. */
bool trace_was_done(const struct trace_end *end, uint64_t ip);

#endif
