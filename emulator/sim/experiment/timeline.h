/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A core's caches, TLBs and predictors on a trace of instructions, with a plain model of time: the
 * front end takes `width` instructions a cycle into a window of `rob`; each starts when its
 * registers are there, a load takes what the caches say, all others a cycle; a misprediction stops
 * the front end until its branch is done. Portable.
 */
#ifndef SIM_EXPERIMENT_TIMELINE_H
#define SIM_EXPERIMENT_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>

#include "emulator/sim/config/config.h"
#include "emulator/sim/experiment/champsim.h"

struct timeline;

struct timeline_counts {
	uint64_t instructions, cycles, branches, mispredicted, conditional,
	    mispredicted_conditional, mispredicted_jumps_indirect, mispredicted_calls_indirect,
	    mispredicted_returns, l1d_loads, l1d_load_misses, l1d_store_misses, l1i_misses,
	    l2_load_misses, last_load_misses, last_misses, dtlb_load_walks, itlb_walks;
};

/* The caller keeps config. Returns NULL if there is no memory. */
struct timeline *timeline_new(const struct core_config *config);
void timeline_free(struct timeline *timeline);

/* Counts begin here. */
void timeline_measure(struct timeline *timeline);

/* An instruction has executed; the next one is at `next`. Physical addresses are the virtual ones.
 */
void timeline_insn(struct timeline *timeline, const struct champsim_insn *insn, uint64_t next);

/* `nr` instructions that are no branches and take no time. */
void timeline_pass(struct timeline *timeline, uint64_t nr);

/* A branch alone: kind is an enum branch_class. Takes no time. */
void timeline_branch(struct timeline *timeline, uint64_t pc, unsigned kind, bool taken,
		     uint64_t target, uint64_t fallthrough);

/* Fills in the counts since timeline_measure(). */
void timeline_counts(const struct timeline *timeline, struct timeline_counts *counts);

/* Names and values of the counts, as abi/core_quantities.h has them. */
extern const size_t timeline_names;
const char *timeline_name(size_t index);
uint64_t timeline_value(const struct timeline_counts *counts, size_t index);

#endif
