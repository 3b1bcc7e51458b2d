/* SPDX-License-Identifier: BSD-2-Clause */
/* Totals of a simulated processor by ring: the parts' sums are added to the ring that the guest was
 * in. */
#include "emulator/sim/cpu/core_state.h"
#include "emulator/sim/cpu/tally.h"

void core_settle_runs(struct core *core)
{
	for (struct code_block *block = core->ran; block; block = block->ran) {
		for (unsigned outcome = 0; outcome < BRANCH_OUTCOMES; outcome++)
			if (block->runs[outcome]) {
				tally_add(core->totals[core->ring], block, outcome,
					  block->runs[outcome]);
				block->runs[outcome] = 0;
			}
		block->ran_on = NULL;
	}
	core->ran = NULL;
}

void core_claim(struct core *core, struct code_block *block)
{
	if (block->ran_on)
		core_settle_runs(block->ran_on);
	block->ran_on = core;
	block->ran = core->ran;
	core->ran = block;
}

#define BUS_RATIO 4 /* reference cycles in one of the bus */

/* Cycles belong to the ring that was running until its work retires: the next ring waits. A core
 * runs at its nominal frequency, at which the guest's TSC follows it, so reference cycles are the
 * same. */
static void settle_cycles(struct core *core)
{
	uint64_t *totals = core->totals[core->ring], cycles = pipeline_retired(core->pipeline);

	totals[CORE_CYCLES] += cycles - core->cycles;
	totals[CORE_REF_CYCLES] += cycles - core->cycles;
	totals[CORE_BUS_CYCLES] += cycles / BUS_RATIO - core->cycles / BUS_RATIO;
	totals[CORE_SLOTS] += (cycles - core->cycles) * core->config->pipe.width;
	core->cycles = cycles;
}

void core_settle(struct core *core)
{
	uint64_t *totals = core->totals[core->ring];

	core_settle_runs(core);
	settle_cycles(core);
	settle_memory(&core->settled, core->memory, totals);
	component_counts_settle(&core->component_counts, totals);
	if (core->details)
		settle_pipeline(&core->settled, core->pipeline, totals);
}

void core_choose_light(struct core *core)
{
	const struct detail *detail = &core->detail;
	bool light =
	    detail->use == DETAIL_NONE || (detail->use == DETAIL_WINDOWS &&
					   detail->phase == DETAIL_SKIP && core_has_windows(core));

	if (light && !core->light)
		pipeline_drain(core->pipeline);
	core->light = light;
}

void core_change_ring(struct core *core, enum core_ring ring)
{
	if (ring == core->ring)
		return;
	if (core->counting)
		core_settle(core);
	core->ring = ring;
	pipeline_change_ring(core->pipeline);
	core->answering &= ring == CORE_RING_KERNEL;
	core_choose_light(core);
	if (core->held)
		core->due_cycles = 0;
}
