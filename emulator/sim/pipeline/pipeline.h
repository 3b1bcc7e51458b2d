/* SPDX-License-Identifier: BSD-2-Clause */
/* A processor's pipeline: takes the executed blocks, and counts cycles and their causes. */
#ifndef CORE_PIPE_PIPELINE_H
#define CORE_PIPE_PIPELINE_H

#include <stdint.h>

#include "emulator/sim/pipeline/block.h"

struct pipeline;

/* Counts that only grow. Cycles are the core's; there are width slots per cycle. */
enum pipe_count {
	/* Counts that every execution of a block adds. */
	PIPE_UOPS_ISSUED,    /* slots filled; there are none of a wrong path */
	PIPE_UOPS_EXECUTED,  /* by the ports */
	PIPE_UOPS_MICROCODE, /* slots filled by the microcode sequencer */
	PIPE_SLOTS_HEAVY, /* of instructions of more than one slot: top-down level 2 of retiring */
	PIPE_FUSED_BRANCHES, /* pairs joined into one micro-operation */
	PIPE_MOVES_ELIMINATED,
	PIPE_DIVIDER_ACTIVE, /* cycles */
	PIPE_DIVISIONS,      /* instructions that a divider works for */
	PIPE_LOADS,          /* instructions that load */
	PIPE_STORES,
	PIPE_LOCKED_LOADS,
	PIPE_FP_FIRST, /* by enum fp_width; an FMA counts twice */
	PIPE_FP_LAST = PIPE_FP_FIRST + FP_WIDTHS - 1,
	PIPE_FLOPS_FIRST, /* operations on elements, by enum fp_operation from FP_ADD on */
	PIPE_FLOPS_LAST = PIPE_FLOPS_FIRST + FP_OPERATIONS - FP_ADD - 1,
	PIPE_PORT_FIRST, /* micro-operations by port */
	PIPE_PORT_LAST = PIPE_PORT_FIRST + PIPE_PORTS_MAX - 1,
	PIPE_FIXED_COUNTS,

	PIPE_CYCLES = PIPE_FIXED_COUNTS,
	PIPE_INSTRUCTIONS, /* retired; a repeated string instruction once */
	/* Instructions that load, by the level that provided the data; L1 is the rest. */
	PIPE_LOADS_LFB,
	PIPE_LOADS_L2,
	PIPE_LOADS_L3,
	PIPE_LOADS_HITM,
	PIPE_LOADS_DRAM,
	PIPE_LOADS_STLB_MISS,
	PIPE_STORES_STLB_MISS,
	PIPE_LOADS_SPLIT,
	PIPE_STORES_SPLIT,
	PIPE_FORWARDS,         /* loads from the store buffer */
	PIPE_FORWARDS_BLOCKED, /* loads that waited until a store had left it */
	PIPE_FORWARDS_ALIASED, /* loads that waited for a store to the same offset in a page */
	PIPE_MISPREDICTS,
	PIPE_RESTEERS,
	/* Slots, top-down level 1: these four add up to width * cycles. */
	PIPE_SLOTS_RETIRING,
	PIPE_SLOTS_BAD_SPECULATION, /* level 2: all of it branches' */
	PIPE_SLOTS_FRONTEND,
	PIPE_SLOTS_BACKEND,
	/* Level 2 of the front end and of the back end; the rest is bandwidth, and core bound. */
	PIPE_SLOTS_FETCH_LATENCY,
	PIPE_SLOTS_MEMORY,
	/* As they add up; their cycles are rounded, so that they may be above what they are part
	   of. */
	PIPE_SPENT_FETCH_LATENCY,
	PIPE_SPENT_MEMORY,
	/* Cycles in which nothing issued, by cause. */
	PIPE_STALL_FETCH, /* misses of L1I and ITLB */
	PIPE_STALL_RESTEER,
	PIPE_STALL_RECOVERY, /* mispredicted branches, from their issue until the right path's */
	PIPE_STALL_ROB,
	PIPE_STALL_SCHEDULER,
	PIPE_STALL_LOAD_BUFFER,
	PIPE_STALL_STORE_BUFFER,
	PIPE_STALL_SERIALISE,
	/* Stalls of the back end while a load was missing the level. */
	PIPE_STALL_L1D_MISS,
	PIPE_STALL_L2_MISS,
	PIPE_STALL_L3_MISS,
	/* Cycles in which loads were missing the level. */
	PIPE_PENDING_L1D_MISS,
	PIPE_PENDING_L2_MISS,
	PIPE_PENDING_L3_MISS,
	PIPE_ISSUE_CYCLES,  /* cycles in which something issued */
	PIPE_RETIRE_CYCLES, /* cycles in which something retired */
	/* Sums over all cycles: */
	PIPE_OUTSTANDING,   /* loads that are missing L1D */
	PIPE_ROB_ENTRIES,   /* slots in the reorder buffer */
	PIPE_LOAD_ENTRIES,  /* loads in the load buffer */
	PIPE_STORE_ENTRIES, /* stores in the store buffer */
	PIPE_COUNTS,
};

/* The caller keeps config, which must live as long. Returns NULL if there is no memory. */
struct pipeline *pipeline_new(const struct core_config *config);
void pipeline_free(struct pipeline *pipeline);

/*
 * The processor has executed a block. A repeated string instruction that QEMU executes iteration by
 * iteration comes as one block per iteration: it counts once, until another block comes. Only one
 * thread at a time may use a pipeline.
 */
void pipeline_block(struct pipeline *pipeline, struct block *block,
		    const struct block_events *events);

/* A block that was not simulated changes these: enum upper_halves, enum direction. */
void pipeline_change(struct pipeline *pipeline, uint8_t upper, uint8_t direction);

/* The other ring, of kernel and user, runs from now on. */
void pipeline_change_ring(struct pipeline *pipeline);

/* Returns the cycle in which the next block's access begins, given the addresses' registers and the
 * block's loads so far: pipeline_cycles() plus their latency. */
uint64_t pipeline_begin(const struct pipeline *pipeline, const struct block *block, unsigned insn,
			bool store);

/* Returns the first cycle from begin on in which a fill buffer is free for it, as far as known. */
uint64_t pipeline_room(struct pipeline *pipeline, uint64_t begin);

/* The next block accesses memory; called in program order. */
void pipeline_access(struct pipeline *pipeline, const struct block *block,
		     const struct block_access *access);
/* Discards the accesses, because no block follows. */
void pipeline_forget(struct pipeline *pipeline);
/* All current blocks are about to be freed. */
void pipeline_forget_blocks(struct pipeline *pipeline);

/* Completes the work in flight before the next block. */
void pipeline_drain(struct pipeline *pipeline);
/* An interrupt or a fault: completes the work in flight and restarts the front end. */
void pipeline_interrupt(struct pipeline *pipeline);

/* A machine clear: completes the work in flight and restarts the front end, after longer. */
void pipeline_clear(struct pipeline *pipeline);
/* An assist for a floating-point instruction, likewise. */
void pipeline_assist(struct pipeline *pipeline);

/* Nothing issues for `cycles` cycles. */
void pipeline_wait(struct pipeline *pipeline, uint64_t cycles);

/* Returns the core's cycles so far, without halts; never decreases. Cheap: the first member of a
 * pipeline. */
static inline uint64_t pipeline_cycles(const struct pipeline *pipeline)
{
	return *(const uint64_t *)(const void *)pipeline;
}

/* Returns the cycle in which all work so far has retired: later than pipeline_cycles() by the work
 * in flight; never decreases. */
uint64_t pipeline_retired(const struct pipeline *pipeline);

/* Returns the instructions retired so far. */
uint64_t pipeline_instructions(struct pipeline *pipeline);

/*
 * Returns all counts, by enum pipe_count, as of the last block; valid until the next call for this
 * pipeline. Takes about 50 ns for each different block executed since the last call.
 */
const uint64_t *pipeline_counts(struct pipeline *pipeline);

#endif
