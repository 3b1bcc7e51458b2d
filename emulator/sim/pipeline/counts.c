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

/* Sets the slots of a part: as they add up, at most as many as the whole has. */
static void set_part(uint64_t *counts, enum pipe_count part, enum pipe_count spent,
		     enum pipe_count whole)
{
	counts[part] = counts[spent] < counts[whole] ? counts[spent] : counts[whole];
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
	set_part(counts, PIPE_SLOTS_FETCH_LATENCY, PIPE_SPENT_FETCH_LATENCY, PIPE_SLOTS_FRONTEND);
	set_part(counts, PIPE_SLOTS_MEMORY, PIPE_SPENT_MEMORY, PIPE_SLOTS_BACKEND);
	counts[PIPE_ISSUE_CYCLES] = cycles;
	for (unsigned i = PIPE_STALL_FETCH; i <= PIPE_STALL_SERIALISE; i++)
		counts[PIPE_ISSUE_CYCLES] -= counts[i];
	return counts;
}
