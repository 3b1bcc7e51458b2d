/* SPDX-License-Identifier: BSD-2-Clause */
/* The cache event tables of Intel's processors against an independent table: libpfm4's, by Intel's
 * names. Where Linux's choice has a code that libpfm spells otherwise there is no row. */
#include "pmu/intel/tables/intel_tables.h"
#include "tests/host/libpfm/libpfm.h"

#define L1D  PERF_COUNT_HW_CACHE_L1D
#define L1I  PERF_COUNT_HW_CACHE_L1I
#define LL   PERF_COUNT_HW_CACHE_LL
#define DTLB PERF_COUNT_HW_CACHE_DTLB
#define ITLB PERF_COUNT_HW_CACHE_ITLB
#define BPU  PERF_COUNT_HW_CACHE_BPU

struct row {
	uint8_t cache, op, result;
	const char *event; /* as libpfm names it */
};

static const struct row core2[] = {
    {L1D, READ, ACCESS, "L1D_CACHE_LD:MESI"},
    {L1D, READ, MISS, "L1D_CACHE_LD:I_STATE"},
    {L1D, WRITE, ACCESS, "L1D_CACHE_ST:MESI"},
    {L1D, WRITE, MISS, "L1D_CACHE_ST:I_STATE"},
    {L1D, FETCH, ACCESS, "L1D_PREFETCH:REQUESTS"},
    {L1I, READ, ACCESS, "L1I_READS"},
    {L1I, READ, MISS, "L1I_MISSES"},
    {DTLB, READ, MISS, "DTLB_MISSES:MISS_LD"},
    {DTLB, WRITE, MISS, "DTLB_MISSES:MISS_ST"},
    {ITLB, READ, MISS, "ITLB:MISSES"},
    {BPU, READ, ACCESS, "BRANCH_INSTRUCTIONS_RETIRED"},
};

#define NEHALEM                                                                                \
	{L1D, READ, ACCESS, "MEM_INST_RETIRED:LOADS"}, {L1D, READ, MISS, "L1D:REPL"},          \
	    {L1D, WRITE, ACCESS, "MEM_INST_RETIRED:STORES"}, {L1D, WRITE, MISS, "L1D:M_REPL"}, \
	    {L1D, FETCH, ACCESS, "L1D_PREFETCH:REQUESTS"},                                     \
	    {L1D, FETCH, MISS, "L1D_PREFETCH:MISS"}, {L1I, READ, ACCESS, "L1I:READS"},         \
	    {L1I, READ, MISS, "L1I:MISSES"}, {DTLB, READ, MISS, "DTLB_LOAD_MISSES:ANY"},       \
	{                                                                                      \
		DTLB, WRITE, MISS, "MEM_STORE_RETIRED:DTLB_MISS"                               \
	}

static const struct row nehalem[] = {
    NEHALEM,
    {DTLB, READ, ACCESS, "L1D_CACHE_LD:MESI"},
    {DTLB, WRITE, ACCESS, "L1D_CACHE_ST:MESI"},
    {ITLB, READ, MISS, "ITLB_MISS_RETIRED"},
    {BPU, READ, MISS, "BPU_CLEARS:ANY"},
};

static const struct row westmere[] = {
    NEHALEM,
    {DTLB, READ, ACCESS, "MEM_INST_RETIRED:LOADS"},
    {DTLB, WRITE, ACCESS, "MEM_INST_RETIRED:STORES"},
    {ITLB, READ, ACCESS, "INST_RETIRED:ANY_P"},
    {ITLB, READ, MISS, "ITLB_MISSES:ANY"},
};

#define SANDY_BRIDGE                                                              \
	{L1D, READ, MISS, "L1D:REPLACEMENT"}, {L1I, READ, MISS, "ICACHE:MISSES"}, \
	    {DTLB, READ, ACCESS, "MEM_UOPS_RETIRED:ALL_LOADS"},                   \
	    {DTLB, READ, MISS, "DTLB_LOAD_MISSES:MISS_CAUSES_A_WALK"},            \
	    {DTLB, WRITE, ACCESS, "MEM_UOPS_RETIRED:ALL_STORES"},                 \
	    {DTLB, WRITE, MISS, "DTLB_STORE_MISSES:MISS_CAUSES_A_WALK"},          \
	    {ITLB, READ, ACCESS, "ITLB_MISSES:STLB_HIT"},                         \
	{                                                                         \
		ITLB, READ, MISS, "ITLB_MISSES:MISS_CAUSES_A_WALK"                \
	}

#define BRANCHES                                                \
	{BPU, READ, ACCESS, "BR_INST_RETIRED:ALL_BRANCHES"},    \
	{                                                       \
		BPU, READ, MISS, "BR_MISP_RETIRED:ALL_BRANCHES" \
	}

static const struct row sandy_bridge[] = {SANDY_BRIDGE};
static const struct row ivy_bridge[] = {SANDY_BRIDGE, BRANCHES};

static const struct row haswell[] = {
    SANDY_BRIDGE,
    BRANCHES,
    {L1D, READ, ACCESS, "MEM_UOPS_RETIRED:ALL_LOADS"},
    {L1D, WRITE, ACCESS, "MEM_UOPS_RETIRED:ALL_STORES"},
};

#define WALKS                                                        \
	{L1D, READ, ACCESS, "MEM_INST_RETIRED:ALL_LOADS"},           \
	    {L1D, WRITE, ACCESS, "MEM_INST_RETIRED:ALL_STORES"},     \
	    {DTLB, READ, MISS, "DTLB_LOAD_MISSES:WALK_COMPLETED"},   \
	    {DTLB, WRITE, MISS, "DTLB_STORE_MISSES:WALK_COMPLETED"}, \
	{                                                            \
		ITLB, READ, MISS, "ITLB_MISSES:WALK_COMPLETED"       \
	}

static const struct row ice_lake[] = {
    WALKS,
    BRANCHES,
    {L1D, READ, MISS, "L1D:REPLACEMENT"},
    {L1I, READ, MISS, "ICACHE_64B:IFTAG_MISS"},
};

static const struct row skylake[] = {
    WALKS,
    BRANCHES,
    {L1D, READ, MISS, "L1D:REPLACEMENT"},
    {L1I, READ, MISS, "ICACHE_64B:IFTAG_MISS"},
    {ITLB, READ, ACCESS, "ITLB_MISSES:STLB_HIT"},
};

static const struct row golden_cove[] = {
    WALKS,
    {L1D, READ, MISS, "L2_RQSTS:ALL_DEMAND_DATA_RD"},
    {L1I, READ, MISS, "L2_RQSTS:ALL_CODE_RD"},
};

static const struct row bonnell[] = {
    {L1D, READ, ACCESS, "L1D_CACHE:LD"},
    {L1D, WRITE, ACCESS, "L1D_CACHE:ST"},
    {L1I, READ, ACCESS, "ICACHE:ACCESSES"},
    {L1I, READ, MISS, "ICACHE:MISSES"},
    {DTLB, READ, MISS, "DATA_TLB_MISSES:DTLB_MISS_LD"},
    {DTLB, WRITE, MISS, "DATA_TLB_MISSES:DTLB_MISS_ST"},
    {ITLB, READ, MISS, "ITLB:MISSES"},
    {BPU, READ, ACCESS, "BRANCH_INSTRUCTIONS_RETIRED"},
};

static const struct row silvermont[] = {
    {L1D, READ, MISS, "MEM_UOP_RETIRED:LD_DCU_MISS"},
    {L1I, READ, ACCESS, "ICACHE:ACCESSES"},
    {L1I, READ, MISS, "ICACHE:MISSES"},
    {DTLB, READ, MISS, "MEM_UOP_RETIRED:LD_DTLB_MISS"},
    {BPU, READ, ACCESS, "BR_INST_RETIRED:ANY"},
};

#define ATOM_MEMORY                                                                     \
	{L1D, READ, ACCESS, "MEM_UOPS_RETIRED:ALL_LOADS"},                              \
	    {L1D, WRITE, ACCESS, "MEM_UOPS_RETIRED:ALL_STORES"},                        \
	    {L1I, READ, ACCESS, "ICACHE:ACCESSES"}, {L1I, READ, MISS, "ICACHE:MISSES"}, \
	{                                                                               \
		ITLB, READ, MISS, "ITLB:MISS"                                           \
	}

static const struct row goldmont[] = {ATOM_MEMORY,
				      {BPU, READ, ACCESS, "BR_INST_RETIRED:ALL_BRANCHES"},
				      {BPU, READ, MISS, "BR_MISP_RETIRED:ALL_BRANCHES"}};

static const struct row tremont[] = {
    {L1D, READ, ACCESS, "MEM_UOPS_RETIRED:ALL_LOADS"},
    {L1D, WRITE, ACCESS, "MEM_UOPS_RETIRED:ALL_STORES"},
    {L1I, READ, ACCESS, "ICACHE:ACCESSES"},
    {L1I, READ, MISS, "ICACHE:MISSES"},
    {BPU, READ, ACCESS, "BR_INST_RETIRED:ALL_BRANCHES"},
    {BPU, READ, MISS, "BR_MISP_RETIRED:ALL_BRANCHES"},
};

#define ROWS(array) array, sizeof(array) / sizeof((array)[0])

static const struct {
	const struct intel_model *model;
	const char *pmu; /* libpfm's name of the same processor */
	const struct row *rows;
	size_t count;
} tables[] = {
    {&intel_core2, "core", ROWS(core2)},          {&intel_nehalem, "nhm", ROWS(nehalem)},
    {&intel_westmere, "wsm", ROWS(westmere)},     {&intel_sandy_bridge, "snb", ROWS(sandy_bridge)},
    {&intel_ivy_bridge, "ivb", ROWS(ivy_bridge)}, {&intel_haswell, "hsw", ROWS(haswell)},
    {&intel_broadwell, "bdw", ROWS(haswell)},     {&intel_skylake, "skl", ROWS(skylake)},
    {&intel_ice_lake, "icl", ROWS(ice_lake)},     {&intel_golden_cove, "spr", ROWS(golden_cove)},
    {&intel_bonnell, "atom", ROWS(bonnell)},      {&intel_silvermont, "slm", ROWS(silvermont)},
    {&intel_goldmont, "glm", ROWS(goldmont)},     {&intel_tremont, "tmt", ROWS(tremont)},
};

static void codes_agree(void **state)
{
	(void)state;
	for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]); t++)
		for (size_t i = 0; i < tables[t].count; i++) {
			const struct row *row = &tables[t].rows[i];
			uint64_t ours = tables[t]
					    .model->events.cache[row->cache][row->op][row->result],
				 code = theirs(tables[t].pmu, row->event);

			if (ours != code)
				fail_msg("%s: %s: %llx, libpfm says %llx", tables[t].pmu,
					 row->event, (unsigned long long)ours,
					 (unsigned long long)code);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(codes_agree)};

	if (!libpfm_start())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
