/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples windows of a run for the pipeline, and estimates the cycles between them. */
#include "emulator/sim/cpu/detail.h"

#include <string.h>

#include "emulator/sim/config/mix.h"

#define ERROR_MIN   100 /* parts of a million: of the drains around windows */
#define WINDOWS_MIN 4   /* whose errors say something */
#define COSTS_MAX   48  /* runs that a mean follows: it adapts to the program's phases */

/* Instructions of each phase. A run that is shorter than the first is simulated whole. */
static const int64_t lengths[DETAIL_PHASES] = {
    [DETAIL_FIRST] = 1000000,
    [DETAIL_WARM] = 1000,
    [DETAIL_MEASURE] = 7000,
};

/* Instructions of a mean skip: a share of those since the phase DETAIL_FIRST, within limits. */
#define SKIP_SHARE 80
#define SKIP_MIN   10000
#define SKIP_MAX   120000

/* Skips are that number of times as long while two standard errors of the windows are below. */
static const struct {
	double error;
	int64_t times;
} sure[] = {{0.002, 8}, {0.004, 4}, {0.008, 2}};

static double square_root(double value)
{
	double root = value > 1 ? value : 1;

	for (unsigned i = 0; i < 64; i++) /* Newton's, without libm */
		root = (root + value / root) / 2;
	return root;
}

/* Returns two standard errors of the windows' cycles, as a share of them; 1: too few are known. */
static double error_of_windows(const struct detail *detail)
{
	if (detail->windows < WINDOWS_MIN)
		return 1;
	return 2 * square_root(detail->squares) / (double)detail->in_windows;
}

/* Returns how many times as long as usual the next skip is. */
static int64_t times_sure(const struct detail *detail)
{
	double error = error_of_windows(detail);

	for (unsigned i = 0; !detail->changes && i < sizeof(sure) / sizeof(sure[0]); i++)
		if (error < sure[i].error)
			return sure[i].times;
	return 1;
}

/* Returns the instructions to skip: irregular, so that windows do not follow a loop's rhythm. */
static int64_t next_skip(struct detail *detail)
{
	int64_t length = (int64_t)(detail->ran / SKIP_SHARE);

	if (length < SKIP_MIN)
		length = SKIP_MIN;
	if (length > SKIP_MAX)
		length = SKIP_MAX;
	length *= times_sure(detail);
	detail->random = detail->random * MIX_FIRST + 1;
	return length / 2 + (int64_t)((detail->random >> 33) % (uint64_t)length);
}

static bool phase_measures(enum detail_phase phase)
{
	return phase == DETAIL_FIRST || phase == DETAIL_MEASURE;
}

static void begin_phase(struct detail *detail, enum detail_phase phase)
{
	detail->phase = phase;
	detail->measures = phase_measures(phase);
	detail->wrong = 0;
	detail->left = phase == DETAIL_SKIP ? next_skip(detail) : lengths[phase];
	detail->ran = phase == DETAIL_FIRST ? 0 : detail->ran + (uint64_t)detail->left;
	if (detail->instructions)
		detail->usual = (uint32_t)((detail->cycles << COST_SHIFT) / detail->instructions);
}

void detail_begin(struct detail *detail, enum detail_use use, bool resumes)
{
	detail->use = use;
	if (use == DETAIL_WINDOWS && !(resumes && detail->left > 0))
		begin_phase(detail, DETAIL_FIRST);
	detail->measures = use == DETAIL_WINDOWS && phase_measures(detail->phase);
}

/* A window has ended. */
static void take_error(struct detail *detail)
{
	double wrong = (double)(detail->wrong >> COST_SHIFT);

	detail->squares += wrong * wrong;
	detail->windows++;
	detail->wrong = 0;
}

void detail_next(struct detail *detail)
{
	static const uint8_t next[DETAIL_PHASES] = {[DETAIL_FIRST] = DETAIL_SKIP,
						    [DETAIL_SKIP] = DETAIL_WARM,
						    [DETAIL_WARM] = DETAIL_MEASURE,
						    [DETAIL_MEASURE] = DETAIL_SKIP};

	if (detail->phase == DETAIL_MEASURE)
		take_error(detail);
	begin_phase(detail, next[detail->phase]);
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

static uint64_t estimate(const struct detail *detail, const struct code_block *block,
			 const struct detail_run *run, const struct core_config *config)
{
	unsigned which = cost_of(run);

	return block->costs.runs[which] ? block->costs.mean[which]
					: guess(detail, block, run, config);
}

/* Compares the run's cost with the mean before the window: with its estimate, had it been skipped.
 */
static void compare(struct detail *detail, struct code_block *block, const struct detail_run *run,
		    int64_t cost, const struct core_config *config)
{
	struct code_costs *costs = &block->costs;
	unsigned which = cost_of(run);
	uint64_t before;

	if (costs->window != detail->windows + 1) {
		costs->window = (uint32_t)detail->windows + 1;
		memcpy(costs->before, costs->mean, sizeof(costs->before));
	}
	before = costs->before[which] ? costs->before[which] : guess(detail, block, run, config);
	detail->wrong += (int64_t)before - cost;
	detail->in_windows += (uint64_t)cost >> COST_SHIFT;
}

void detail_measure(struct detail *detail, struct code_block *block, const struct detail_run *run,
		    uint64_t cycles, const struct core_config *config)
{
	struct code_costs *costs = &block->costs;
	unsigned which = cost_of(run);
	int64_t cost = (int64_t)((cycles < UINT16_MAX ? cycles : UINT16_MAX) << COST_SHIFT);

	if (detail->phase == DETAIL_MEASURE)
		compare(detail, block, run, cost, config);
	detail->cycles += cycles;
	detail->instructions += run->executed;
	if (costs->runs[which] < COSTS_MAX)
		costs->runs[which]++;
	costs->mean[which] += (cost - (int64_t)costs->mean[which]) / costs->runs[which];
}

unsigned detail_cost(struct detail *detail, const struct code_block *block,
		     const struct detail_run *run, const struct core_config *config)
{
	if (detail->use == DETAIL_NONE)
		return run->executed;
	return detail_estimate(detail, estimate(detail, block, run, config));
}

/* A skipped part is as wrong as the windows beside it, one that none was beside yet by as much as
 * it is. */
uint32_t detail_error(const struct detail *detail)
{
	uint64_t estimated = detail->estimated >> COST_SHIFT;
	double share;

	if (!estimated)
		return 0;
	share = (double)estimated / (double)(estimated + detail->cycles);
	return (uint32_t)(share * error_of_windows(detail) * 1e6) + ERROR_MIN;
}
