/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decides for which blocks the pipeline is simulated. Where only cycles are wanted of it, most
 * blocks of a long run take the mean cost that they had in sampled windows. After Wunderlich et
 * al., SMARTS: Accelerating Microarchitecture Simulation via Rigorous Statistical Sampling (2003);
 * caches, TLBs and predictors are simulated throughout.
 */
#ifndef CORE_CORE_DETAIL_H
#define CORE_CORE_DETAIL_H

#include "emulator/sim/cpu/code.h"
#include "emulator/sim/memory/memory.h"

/* The use of the pipeline between an entry of the guest and the next. */
enum detail_use {
	DETAIL_NONE,    /* for no block: an instruction takes a cycle */
	DETAIL_ALL,     /* for every block */
	DETAIL_WINDOWS, /* by phases */
};

enum detail_phase {
	DETAIL_FIRST,   /* every block, for a while after an entry or a look at the clock */
	DETAIL_SKIP,    /* no block: they take their mean costs */
	DETAIL_WARM,    /* every block, to fill the pipeline */
	DETAIL_MEASURE, /* every block, and its cost is measured */
	DETAIL_PHASES,
};

#define COST_SHIFT 16 /* of a cycle: a cost's unit */

struct detail {
	int64_t left; /* instructions until the next phase; 0: there was none yet */
	enum detail_use use;
	enum detail_phase phase;
	bool measures; /* costs, now */
	bool changes;  /* the guest does one thing after another: windows stay dense */
	uint64_t ran;  /* instructions of phases since DETAIL_FIRST */
	uint64_t random;
	uint32_t usual;                /* cost of an instruction of an unknown block */
	uint64_t cycles, instructions; /* measured */
	uint64_t estimated;            /* of skipped runs, in cycles << COST_SHIFT */
	int64_t wrong;    /* cycles of the present window, estimated less measured, << COST_SHIFT */
	double squares;   /* of the windows' errors, in cycles */
	uint64_t windows; /* their number */
	uint64_t in_windows; /* their cycles */
};

/* Where accesses that are no plain hits went, in bits. A line in flight is none: when an access
 * begins is known to the pipeline alone. */
enum detail_miss {
	MISSED_NEAR = 1, /* L2, or the second-level TLB */
	MISSED_FAR = 2,  /* L3 */
	MISSED_ALL = 4,  /* beyond, or another processor */
};

/* The events of a block's run that change its cost. */
struct detail_run {
	unsigned executed; /* instructions */
	uint8_t outcome;   /* enum branch_outcome */
	bool part;         /* not the whole block, or a round of a repetition */
	uint8_t misses;    /* enum detail_miss, of its accesses and fetches */
};

static inline unsigned detail_missed(const struct access_result *result)
{
	if (result->level > MEM_L2)
		return result->level == MEM_L3 ? MISSED_FAR : MISSED_ALL;
	return result->level == MEM_L2 || result->dtlb_miss ? MISSED_NEAR : 0;
}

/* Begins that use; of windows with the first phase, or where they were left. */
void detail_begin(struct detail *detail, enum detail_use use, bool resumes);
/* Begins the phase that follows when no instructions are left. */
void detail_next(struct detail *detail);
/* The pipeline has simulated a run in so many cycles. */
void detail_measure(struct detail *detail, struct code_block *block, const struct detail_run *run,
		    uint64_t cycles, const struct core_config *config);
/* Returns two standard errors of all cycles so far, in parts of a million of them. */
uint32_t detail_error(const struct detail *detail);
/* Returns the cycles of a run that the pipeline does not simulate. */
unsigned detail_cost(struct detail *detail, const struct code_block *block,
		     const struct detail_run *run, const struct core_config *config);

/* Adds to the estimated cost. Returns the whole cycles that are new. */
static inline unsigned detail_estimate(struct detail *detail, uint64_t cost)
{
	uint64_t before = detail->estimated;

	detail->estimated = before + cost;
	return (unsigned)((detail->estimated >> COST_SHIFT) - (before >> COST_SHIFT));
}

/* detail_cost() for a whole block: outcome, misses as in struct detail_run. */
static inline unsigned detail_cost_of(struct detail *detail, const struct code_block *block,
				      unsigned outcome, unsigned misses,
				      const struct core_config *config)
{
	unsigned wrong = (outcome & (BRANCH_MISPREDICTED | BRANCH_RESTEERED)) != 0;

	if (!misses && detail->use == DETAIL_WINDOWS && block->costs.runs[wrong])
		return detail_estimate(detail, block->costs.mean[wrong]);
	return detail_cost(detail, block,
			   &(struct detail_run){.executed = block->nr,
						.outcome = (uint8_t)outcome,
						.misses = (uint8_t)misses},
			   config);
}

#endif
