/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples windows of a run for the pipeline, and estimates the cycles between them. */
#include "emulator/sim/cpu/detail.h"

#include "emulator/sim/config/mix.h"

#define COST_SHIFT 16 /* of a cycle: a cost's unit */
#define COSTS_MAX  48 /* runs that a mean follows: it adapts to the program's phases */

/* Instructions of each phase. A run that is shorter than the first is simulated whole. */
static const int64_t lengths[DETAIL_PHASES] = {
    [DETAIL_NONE] = INT64_MAX, [DETAIL_ALL] = INT64_MAX, [DETAIL_FIRST] = 1000000,
    [DETAIL_WARM] = 1000,      [DETAIL_MEASURE] = 7000,
};

#define SKIP_SHARE 80     /* a skip is this part of what ran since the phase DETAIL_FIRST, */
#define SKIP_MIN   10000  /* but no less */
#define SKIP_MAX   120000 /* and no more instructions, */

/* Returns the instructions to skip: irregular, so that windows do not follow a loop's rhythm. */
static int64_t next_skip(struct detail *detail)
{
	int64_t length = (int64_t)(detail->ran / SKIP_SHARE);

	if (length < SKIP_MIN)
		length = SKIP_MIN;
	if (length > SKIP_MAX)
		length = SKIP_MAX;
	detail->random = detail->random * MIX_FIRST + 1;
	return length / 2 + (int64_t)((detail->random >> 33) % (uint64_t)length);
}

void detail_begin(struct detail *detail, enum detail_phase phase)
{
	detail->phase = phase;
	detail->left = phase == DETAIL_SKIP ? next_skip(detail) : lengths[phase];
	detail->ran = phase == DETAIL_FIRST ? 0 : detail->ran + (uint64_t)detail->left;
	detail->measures = phase == DETAIL_FIRST || phase == DETAIL_MEASURE;
	if (detail->instructions)
		detail->usual = (uint32_t)((detail->cycles << COST_SHIFT) / detail->instructions);
}

enum detail_phase detail_next(const struct detail *detail)
{
	switch (detail->phase) {
	case DETAIL_FIRST:
	case DETAIL_MEASURE:
		return DETAIL_SKIP;
	case DETAIL_SKIP:
		return DETAIL_WARM;
	case DETAIL_WARM:
		return DETAIL_MEASURE;
	default:
		return detail->phase;
	}
}

/* Returns which of its block's costs a run has: by its branch and by its farthest miss. */
static unsigned cost_of(const struct detail_run *run)
{
	unsigned wrong = (run->outcome & (BRANCH_MISPREDICTED | BRANCH_RESTEERED)) != 0;

	if (run->part)
		return CODE_COSTS - 2 + (run->misses != 0);
	return wrong + 2u * ((run->misses != 0) + (run->misses >= MISSED_FAR) +
			     (run->misses >= MISSED_ALL));
}

void detail_measure(struct detail *detail, struct code_block *block, const struct detail_run *run,
		    uint64_t cycles)
{
	struct code_costs *costs = &block->costs;
	unsigned which = cost_of(run);
	int64_t cost = (int64_t)((cycles < UINT16_MAX ? cycles : UINT16_MAX) << COST_SHIFT);

	detail->cycles += cycles;
	detail->instructions += run->executed;
	if (costs->runs[which] < COSTS_MAX)
		costs->runs[which]++;
	costs->mean[which] += (cost - (int64_t)costs->mean[which]) / costs->runs[which];
}

/* Returns the cost of a run unlike any in a window. */
static uint64_t guess(const struct detail *detail, const struct code_block *block,
		      const struct detail_run *run, const struct core_config *config)
{
	uint64_t usual = block->costs.runs[0] && !run->part
			     ? block->costs.mean[0]
			     : (uint64_t)run->executed * detail->usual;
	unsigned late = run->outcome & BRANCH_MISPREDICTED ? config->pipe.mispredict : 0;

	if (run->misses & MISSED_ALL)
		late += config->memory.memory_latency;
	else if (run->misses & MISSED_FAR)
		late += config->memory.l3.latency;
	else if (run->misses)
		late += config->memory.l2.latency;
	return usual + ((uint64_t)late << COST_SHIFT);
}

unsigned detail_cost(struct detail *detail, const struct code_block *block,
		     const struct detail_run *run, const struct core_config *config)
{
	unsigned which = cost_of(run);
	uint64_t cycles;

	if (detail->phase == DETAIL_NONE)
		return run->executed;
	detail->cost +=
	    block->costs.runs[which] ? block->costs.mean[which] : guess(detail, block, run, config);
	cycles = detail->cost >> COST_SHIFT;
	detail->cost &= (1u << COST_SHIFT) - 1;
	return (unsigned)cycles;
}
