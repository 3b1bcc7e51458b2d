/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums up a pipeline's counts. */
#include <string.h>

#include "emulator/sim/pipeline/memo/memo.h"
#include "emulator/sim/pipeline/memo/memo_state.h"

uint64_t pipeline_instructions(struct pipeline *pipeline)
{
	memo_settle(pipeline);
	return pipeline->instructions;
}

uint64_t pipeline_retired(const struct pipeline *pipeline)
{
	uint64_t retired = state_word(pipeline, TIME_RETIRED);

	return retired > pipeline->cycles ? retired : pipeline->cycles;
}

void add_up(struct pipeline *pipeline)
{
	uint32_t *added = pipeline->added.each;

	for (unsigned i = 0; i < PIPE_PORT_FIRST; i++)
		pipeline->counts[i] += added[i];
	for (unsigned i = 0; i < PIPE_PORTS_MAX; i++)
		pipeline->port_parts[i] += added[PIPE_PORT_FIRST + i];
	memset(&pipeline->added, 0, sizeof(pipeline->added));
	pipeline->added_blocks = 0;
}

const uint64_t *pipeline_counts(struct pipeline *pipeline)
{
	uint64_t *counts = pipeline->counts, cycles = pipeline_cycles(pipeline);
	uint64_t slots = cycles * pipeline->config->pipe.width, elsewhere;

	add_up(pipeline);
	memo_settle(pipeline);
	for (unsigned i = 0; i < PIPE_PORTS_MAX; i++)
		counts[PIPE_PORT_FIRST + i] = pipeline->port_parts[i] / PORT_PARTS;
	counts[PIPE_CYCLES] = cycles;
	counts[PIPE_INSTRUCTIONS] = pipeline->instructions;
	counts[PIPE_SLOTS_RETIRING] = counts[PIPE_UOPS_ISSUED];
	elsewhere = counts[PIPE_SLOTS_RETIRING] + counts[PIPE_SLOTS_BAD_SPECULATION] +
		    counts[PIPE_SLOTS_FRONTEND];
	/* A cycle's slots are only complete at its end. */
	if (elsewhere + counts[PIPE_SLOTS_BACKEND] < slots)
		counts[PIPE_SLOTS_BACKEND] = slots - elsewhere;
	counts[PIPE_ISSUE_CYCLES] = cycles;
	for (unsigned i = PIPE_STALL_FETCH; i <= PIPE_STALL_SERIALISE; i++)
		counts[PIPE_ISSUE_CYCLES] -= counts[i];
	return counts;
}
