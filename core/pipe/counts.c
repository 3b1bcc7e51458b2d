/* SPDX-License-Identifier: BSD-2-Clause */
/* What a pipeline has counted. */
#include "core/pipe/pipeline_state.h"

void count_memo(struct pipeline *pipeline, struct memo *memo)
{
	const struct segment_counts *segment = &memo->counts;
	const struct outcome *out = &memo->out;
	uint64_t *counts = pipeline->counts, times = memo->executed;

	memo->executed = 0;
	counts[PIPE_UOPS_ISSUED] += times * segment->slots;
	counts[PIPE_SLOTS_RETIRING] += times * segment->slots;
	counts[PIPE_SLOTS_HEAVY] += times * segment->heavy_slots;
	counts[PIPE_UOPS_MICROCODE] += times * segment->microcode_slots;
	counts[PIPE_FUSED_BRANCHES] += times * segment->fused_branches;
	counts[PIPE_MOVES_ELIMINATED] += times * segment->moves_eliminated;
	counts[PIPE_DIVIDER_ACTIVE] += times * segment->divider;
	counts[PIPE_UOPS_EXECUTED] += times * out->executed;
	counts[PIPE_RETIRE_CYCLES] += times * out->retire_cycles;
	counts[PIPE_STALL_SCHEDULER] += times * out->stall_scheduler;
	counts[PIPE_STALL_SERIALISE] += times * out->stall_serialise;
	counts[PIPE_LOADS] += times * segment->loads;
	counts[PIPE_STORES] += times * segment->stores;
	counts[PIPE_LOCKED_LOADS] += times * segment->locked;
	for (unsigned i = 0; i < FP_WIDTHS; i++)
		counts[PIPE_FP_FIRST + i] += times * segment->fp[i];
	for (unsigned i = 0; i < EXECUTED_LEVELS; i++)
		counts[PIPE_EXECUTED_GE_1 + i] += times * out->executed_levels[i];
	for (unsigned i = 0; i < PIPE_PORTS_MAX; i++)
		counts[PIPE_PORT_FIRST + i] += times * out->ports[i];
}

const uint64_t *pipeline_counts(struct pipeline *pipeline)
{
	uint64_t *counts = pipeline->counts, cycles = pipeline_cycles(pipeline);
	uint64_t slots = cycles * pipeline->config->pipe.width;
	struct memo *next;

	for (struct memo *memo = pipeline->counted; memo; memo = next) {
		next = memo->next_counted;
		memo->next_counted = NULL;
		memo->listed = false;
		count_memo(pipeline, memo);
	}
	pipeline->counted = NULL;
	if (cycles == pipeline->now)
		slots += pipeline->slot;
	counts[PIPE_CYCLES] = cycles;
	counts[PIPE_INSTRUCTIONS] = pipeline->instructions;
	counts[PIPE_UOPS_RETIRED] = counts[PIPE_UOPS_ISSUED];
	counts[PIPE_SLOTS_BACKEND] = slots - counts[PIPE_SLOTS_RETIRING] -
				     counts[PIPE_SLOTS_BAD_SPECULATION] -
				     counts[PIPE_SLOTS_FRONTEND];
	counts[PIPE_ISSUE_CYCLES] = cycles;
	for (unsigned i = PIPE_STALL_FETCH; i <= PIPE_STALL_SERIALISE; i++)
		counts[PIPE_ISSUE_CYCLES] -= counts[i];
	return counts;
}
