/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory accesses of PEBS records: the simulated core's, or invented ones without a core.
 * Source: Intel SDM vol. 3, "Data Source Encoding", "Load Latency Performance Monitoring Facility",
 * "TSX Transaction". */
#include "emulator/visor/model/intel/pebs_build.h"

#include "abi/core_page.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* MEM_TRANS_RETIRED, and Nehalem's MEM_INST_RETIRED. */
#define LOAD_LATENCY         0x01cd
#define STORE_SAMPLE         0x02cd
#define NEHALEM_LOAD_LATENCY 0x100b
/* Gracemont's, of MEM_UOPS_RETIRED; where these codes mean nothing nothing is counted. */
#define ATOM_LOAD_LATENCY  0x05d0
#define ATOM_STORE_LATENCY 0x06d0

#define STORES_BIT       0x02u /* among MEM_INST_RETIRED's unit masks: 12H, 22H, 42H, 82H */
#define MEM_INST_RETIRED 0xd0u

/* Beside where the data was; exchanged on Gracemont. */
#define SOURCE_WALK   REG_BIT(4) /* not in the second-level TLB */
#define SOURCE_LOCKED REG_BIT(5)

/* The invented accesses, in turn: data source and latency in cycles (docs/emulated-pmu.md). */
static const struct {
	uint8_t source, cycles;
} accesses[16] = {
    {1, 5}, {1, 5},  {1, 5}, {1, 5}, {3, 14}, {1, 5}, {1, 5}, {4, 45},
    {1, 5}, {2, 10}, {1, 5}, {1, 5}, {3, 14}, {1, 5}, {1, 5}, {12, 210},
};
#define SLOWEST 15

bool pebs_measures(uint64_t select)
{
	switch (select & (EVTSEL_EVENT | EVTSEL_UMASK)) {
	case LOAD_LATENCY:
	case STORE_SAMPLE:
	case NEHALEM_LOAD_LATENCY:
	case ATOM_LOAD_LATENCY:
	case ATOM_STORE_LATENCY:
		return true;
	default:
		return false;
	}
}

static bool counts_stores(uint64_t select)
{
	uint64_t code = select & (EVTSEL_EVENT | EVTSEL_UMASK);

	return code == STORE_SAMPLE || code == ATOM_STORE_LATENCY ||
	       ((code & EVTSEL_EVENT) == MEM_INST_RETIRED && (code >> 8 & STORES_BIT));
}

/* By a quirk: one that ended itself, by a conflict, in a last block of 7 cycles. */
#define TSX_ABORT  (REG_BIT(33) | REG_BIT(34) | REG_BIT(37))
#define TSX_CYCLES 7

uint64_t pebs_transaction(const struct model *model)
{
	bool ends = model->abort_every && model->pebs.records % model->abort_every == 0;

	return ends ? TSX_ABORT | TSX_CYCLES : 0;
}

/* True if HITM has data source 6, not 7. */
static bool has_older_hitm(const struct model *model)
{
	return model->personality->events & (EVENTS_GRACEMONT | EVENTS_SKYMONT | EVENTS_NEHALEM);
}

static uint64_t data_source(const struct model *model, const struct core_access *access)
{
	static const uint8_t sources[] = {
	    [CORE_LEVEL_L1] = 1, [CORE_LEVEL_FILL] = 2, [CORE_LEVEL_L2] = 3,
	    [CORE_LEVEL_L3] = 4, [CORE_LEVEL_HITM] = 7, [CORE_LEVEL_MEMORY] = 10,
	};
	bool exchanged = model->personality->events & (EVENTS_GRACEMONT | EVENTS_SKYMONT);
	uint64_t walk = exchanged ? SOURCE_LOCKED : SOURCE_WALK,
		 locked = exchanged ? SOURCE_WALK : SOURCE_LOCKED;
	uint64_t source = access->level < COUNT(sources) ? sources[access->level] : 0;

	if (access->level == CORE_LEVEL_HITM && has_older_hitm(model))
		source = 6;
	return source | (access->flags & CORE_ACCESS_WALK ? walk : 0) |
	       (access->flags & CORE_ACCESS_LOCKED ? locked : 0);
}

/* Returns the store if an event of the record counts stores, else the load. */
static const struct core_access *sampled_access(const struct model *model,
						const struct model_pebs_source *source)
{
	bool of_stores = false;

	for (unsigned i = 0; i < model->personality->general; i++)
		if (model->pebs.ready >> i & 1)
			of_stores |= counts_stores(model->select[i]);
	return of_stores || !source->load->level ? source->store : source->load;
}

/* Returns the core's access. Without latency only the L1 hit is reported. */
static struct pebs_access seen(const struct model *model, const struct model_pebs_source *source,
			       bool measured)
{
	const struct core_access *access = sampled_access(model, source);
	uint64_t aux = data_source(model, access);

	if (!measured)
		aux = (aux & (SOURCE_WALK | SOURCE_LOCKED)) | (access->level == CORE_LEVEL_L1);
	return (struct pebs_access){access->address, aux, measured ? access->cycles : 0};
}

/* Without a core: returns the next access that is slow enough for a load-latency event. Without
 * latency only the L1 hit is reported. */
static struct pebs_access invented(const struct model *model,
				   const struct model_pebs_source *source, bool measured)
{
	unsigned i = model->pebs.records % COUNT(accesses);

	while (measured && i != SLOWEST && accesses[i].cycles < model->pebs.load_limit)
		i++;
	return (struct pebs_access){source->address,
				    measured ? accesses[i].source : accesses[i].source == 1,
				    measured ? accesses[i].cycles : 0};
}

struct pebs_access pebs_find_access(const struct model *model,
				    const struct model_pebs_source *source, bool measured)
{
	return source->load ? seen(model, source, measured) : invented(model, source, measured);
}
