/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks the visor's watches: sums are computed only when a watch can have run out. */
#include "emulator/sim/cpu/core_state.h"
#include "emulator/sim/cpu/tally.h"

static uint64_t sum(const struct core *core, const struct core_watch *what)
{
	uint64_t total = 0;

	for (unsigned ring = 0; ring < CORE_RINGS; ring++)
		for (unsigned i = 0; (what->rings >> ring & 1) && i < CORE_TERMS; i++)
			if (what->terms[i] < CORE_NR_QUANTITIES)
				total += core->totals[ring][what->terms[i]];
	return total;
}

static unsigned nr_terms(const struct core_watch *what)
{
	unsigned nr = 0;

	while (nr < CORE_TERMS && what->terms[nr])
		nr++;
	return nr ? nr : 1;
}

/* A watch has this much left: computes the latest time of the next check. */
static void look_again(struct core *core, const struct core_watch *what, uint64_t left)
{
	unsigned terms = nr_terms(what);

	for (unsigned i = 0; i < CORE_TERMS; i++) {
		unsigned quantity = what->terms[i];
		uint64_t blocks = left / (tally_most(quantity) * terms),
			 misses = left / (settles_most(quantity) * terms);

		if (quantity >= CORE_CYCLES && quantity <= CORE_BUS_CYCLES) { /* none is faster */
			uint64_t end = pipeline_retired(core->pipeline) + left;

			if (end < core->due_cycles)
				core->due_cycles = end;
		} else if (settles_memory(quantity) && quantity != CORE_L1D_LOADS &&
			   quantity != CORE_L1D_STORES && quantity != CORE_L1I_FETCHES &&
			   quantity != CORE_LOADS_L1) {
			if (misses < core->due_misses)
				core->due_misses = misses;
			core->watch_memory = true;
		} else if (quantity == CORE_LOADS_SLOW) {
			if (!core->slow_left || left < core->slow_left)
				core->slow_left = left;
		} else if (quantity && blocks < core->due_blocks) {
			core->due_blocks = blocks;
		}
	}
}

/* A watch that runs out in the block that leaves its ring stops the guest when it is in that ring
 * again: a sample in the other ring, which the event does not count, would be wrong. */
bool core_look(struct core *core, uint64_t ip)
{
	uint32_t ended = 0;
	uint8_t rings = 0;

	core_settle(core);
	core->due_cycles = UINT64_MAX;
	core->due_blocks = core->due_misses = UINT32_MAX;
	core->watch_memory = core->missed = core->held = false;
	core->slow_left = 0;
	for (unsigned i = 0; i < core->nr_watches; i++) {
		const struct watch *watch = &core->watches[i];
		uint64_t now = sum(core, watch->what);

		if (now >= watch->end) {
			ended |= 1u << (watch->what->number & 31);
			rings |= watch->what->rings;
		} else {
			look_again(core, watch->what, watch->end - now);
		}
	}
	if (!core->watch_memory)
		core->due_misses = 0;
	core_find_quick(core);
	if (!ended)
		return false;
	sampler_end(&core->sampler, ended, ip);
	core->held = !(rings >> core->ring & 1);
	if (core->held)
		return false;
	core->nr_watches = 0; /* once */
	core->answering = true;
	return true;
}

void core_arm(struct core *core)
{
	unsigned nr = core->page->nr_watches;

	core->nr_watches = nr < CORE_WATCHES ? nr : CORE_WATCHES;
	for (unsigned i = 0; i < core->nr_watches; i++) {
		const struct core_watch *what = &core->page->watches[i];

		core->watches[i] = (struct watch){sum(core, what) + what->left, what};
	}
	core->due_cycles = core->due_blocks = core->due_misses = 0;
	core->held = false;
}
