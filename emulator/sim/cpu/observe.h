/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Statistics of a whole core, whatever the visor's counters ask for: all quantities by ring, the
 * use of prefetches, branches by address, fills by set, and the components' own counts.
 */
#ifndef SIM_CPU_OBSERVE_H
#define SIM_CPU_OBSERVE_H

#include "abi/core_page.h"
#include "abi/sim.h"
#include "emulator/sim/cpu/core.h"
#include "emulator/sim/memory/dram.h"
#include "emulator/sim/memory/prefetch.h"

enum { OBSERVED_COMPONENTS = 16 };

/* A branch instruction. */
struct branch_site {
	uint64_t pc; /* 0: no branch */
	uint64_t executed, mispredicted;
	uint8_t kind; /* enum branch_class */
};

struct core_snapshot {
	uint64_t totals[CORE_RINGS][CORE_NR_QUANTITIES];
	struct prefetch_counts prefetch[SIM_NO_LEVEL];
	struct dram_counts dram;
	/* of each instance, in the order of core_components() */
	uint64_t statistics[OBSERVED_COMPONENTS][SIM_STATISTICS_MAX];
};

struct core_observer;

/* From the guest's next entry on the core simulates and counts all, as if everything were counted.
 * Returns false if there is no memory. */
bool core_observe(struct core *core);

/* Frees what core_observe() made. NULL: does nothing. */
void observer_free(struct core_observer *observer);

/* Fills in all counts so far. Between two of the guest's blocks. */
void core_snapshot(struct core *core, struct core_snapshot *snapshot);

/* Forgets branches and fills. */
void core_forget_sites(struct core *core);

/* Sets *nr to the number of branch instructions seen, and returns them, in no order. The caller
 * frees the result. NULL: no memory. */
struct branch_site *core_branch_sites(const struct core *core, size_t *nr);

/* Returns the fills of each set of a cache (SIM_L1I to SIM_L3), and how many sets there are. */
const uint64_t *core_set_fills(const struct core *core, enum sim_level level, uint32_t *sets);

/* Sets instances to the core's components, users' and built-in ones, and places to the place of
 * each. Returns how many there are, at most OBSERVED_COMPONENTS. */
unsigned core_components(struct core *core,
			 struct component_instance *instances[OBSERVED_COMPONENTS],
			 const char *places[OBSERVED_COMPONENTS]);

/* A branch has executed; outcome: enum branch_outcome. */
void observe_branch(struct core_observer *observer, uint64_t pc, unsigned kind, unsigned outcome);

#endif
