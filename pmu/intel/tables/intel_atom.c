/* SPDX-License-Identifier: BSD-2-Clause */
/* Event tables of Atoms, efficient cores, and Knights: pmu/intel/tables/intel_tables.h has their
 * sources. */
#include "pmu/intel/tables/intel_tables.h"

static const struct hw_constraint no_constraints[] = {END};

/* ---- Bonnell, Saltwell: two counters, with Core 2's L2 ---- */

static cache_table bonnell_cache = {
    CACHE(L1D) = {[READ] = {[ACCESS] = 0x2140}, [WRITE] = {[ACCESS] = 0x2240}}, /* L1D_CACHE */
    CACHE(L1I) = CODE_CACHE(0x0380, 0x0280), /* ICACHE.ACCESSES, .MISSES */
    CACHE(LL) = {[READ] = ROW(0x4f29, 0x4129), [WRITE] = ROW(0x4f2a, 0x412a)}, /* L2_LD, L2_ST */
    CACHE(DTLB) =
	{
	    [READ] = ROW(0x2140, 0x0508),  /* ..., DATA_TLB_MISSES.DTLB_MISS_LD */
	    [WRITE] = ROW(0x2240, 0x0608), /* ..., .DTLB_MISS_ST */
	},
    CACHE(ITLB) = LOOKED_UP(0x00c0, 0x0282), /* INST_RETIRED.ANY_P, ITLB.MISSES */
    CACHE(BPU) = LOOKED_UP(0x00c4, 0x00c5),  /* BR_INST_RETIRED.ANY, .MISPRED */
};

#define CYCLES_BY_INSTRUCTIONS \
	.precise_only = true,  \
	.precise_cycles = {INTEL_CYCLES_BY_INSTRUCTIONS, INTEL_CYCLES_BY_INSTRUCTIONS}

const struct intel_model intel_bonnell = {
    .events.name = "Bonnell",
    .events.constraints = no_constraints,
    .events.cache = bonnell_cache,
    .precise = intel_precise_bonnell,
    .branches = &intel_lbr_bonnell,
    CYCLES_BY_INSTRUCTIONS,
};

/* ---- Silvermont, Airmont, Knights Landing ---- */

static cache_table silvermont_cache = {
    CACHE(L1D) = {[READ] = {[MISS] = 0x0104}}, /* MEM_UOPS_RETIRED.L1_MISS_LOADS */
    CACHE(L1I) = CODE_CACHE(0x0380, 0x0280),   /* ICACHE.ACCESSES, .MISSES */
    CACHE(LL) = {[READ] = {[ACCESS] = 0x01b7}, [WRITE] = OFFCORE, [FETCH] = OFFCORE},
    CACHE(DTLB) = {[READ] = {[MISS] = 0x0804}}, /* MEM_UOPS_RETIRED.DTLB_MISS_LOADS */
    /* INST_RETIRED.ANY_P, PAGE_WALKS.I_SIDE_WALKS */
    CACHE(ITLB) = LOOKED_UP(0x00c0, 0x0205 | EVTSEL_EDGE),
    CACHE(BPU) = LOOKED_UP(0x00c4, 0x00c5), /* BR_INST_RETIRED, BR_MISP_RETIRED.ALL_BRANCHES */
};

/* OFFCORE_RSP_x. */
#define DEMAND_READ  BIT(0)
#define DEMAND_WRITE BIT(1)
#define PREFETCH     FIELD(5, 4)
#define NO_MEMORY    BIT(37)
/* Snoops: none or not needed, missed, hit without and with forwarding, hit modified. */
#define SNOOP_NONE      BIT(31)
#define SNOOP_MISS      BIT(33)
#define SNOOP_NO_FWD    BIT(34)
#define SNOOP_HITM      BIT(36)
#define SLM_MISS        (SNOOP_NONE | SNOOP_MISS | SNOOP_NO_FWD | SNOOP_HITM | NO_MEMORY)
#define SLM_LL(request) ROW((request) | ANY_RESPONSE, (request) | SLM_MISS)

static cache_table silvermont_extra = {
    CACHE(LL) = {[READ] = {[ACCESS] = DEMAND_READ | ANY_RESPONSE},
		 [WRITE] = SLM_LL(DEMAND_WRITE),
		 [FETCH] = SLM_LL(PREFETCH)},
};

static const struct intel_extra_event silvermont_registers[] = {
    {0x01b7, 0x768005ffff, EXTRA_OFFCORE0},
    {0x02b7, 0x368005ffff, EXTRA_OFFCORE1},
    {0, 0, 0},
};

const struct intel_model intel_silvermont = {
    .events.name = "Silvermont",
    .events.constraints = no_constraints,
    .events.cache = silvermont_cache,
    .responses = silvermont_extra,
    .extra = silvermont_registers,
    .precise = intel_precise_silvermont,
    .branches = &intel_lbr_silvermont,
    CYCLES_BY_INSTRUCTIONS,
};

/* Hits in another tile's L2; memory of both kinds, near and far; all snoops. */
#define KNL_MISS        (FIELD(24, 19) | FIELD(36, 31) | NO_MEMORY)
#define KNL_LL(request) ROW((request) | ANY_RESPONSE, (request) | KNL_MISS)

static cache_table knights_extra = {
    CACHE(LL) = {[READ] = {[ACCESS] = DEMAND_READ | ANY_RESPONSE},
		 [WRITE] = KNL_LL(DEMAND_WRITE),
		 [FETCH] = KNL_LL(PREFETCH)},
};

static const struct intel_extra_event knights_registers[] = {
    {0x01b7, 0x799ffbb6e7, EXTRA_OFFCORE0},
    {0x02b7, 0x399ffbffe7, EXTRA_OFFCORE1},
    {0, 0, 0},
};

const struct intel_model intel_knights = {
    .events.name = "Knights Landing",
    .events.constraints = no_constraints,
    .events.cache = silvermont_cache,
    .responses = knights_extra,
    .extra = knights_registers,
    .precise = intel_precise_silvermont,
    .branches = &intel_lbr_knights,
    CYCLES_BY_INSTRUCTIONS,
};

/* ---- Goldmont, Goldmont Plus ---- */

#define GLM_MISS        (SNOOP_MISS | SNOOP_NO_FWD | SNOOP_HITM | NO_MEMORY)
#define GLM_LL(request) ROW((request) | ANY_RESPONSE, (request) | GLM_MISS)

static cache_table goldmont_cache = {
    CACHE(L1D) = {[READ] = {[ACCESS] = 0x81d0}, [WRITE] = {[ACCESS] = 0x82d0}},
    CACHE(L1I) = CODE_CACHE(0x0380, 0x0280),
    CACHE(LL) = {[READ] = OFFCORE, [WRITE] = OFFCORE, [FETCH] = OFFCORE},
    CACHE(DTLB) = {[READ] = {[ACCESS] = 0x81d0}, [WRITE] = {[ACCESS] = 0x82d0}},
    CACHE(ITLB) = LOOKED_UP(0x00c0, 0x0481), /* INST_RETIRED.ANY_P, ITLB.MISS */
    CACHE(BPU) = LOOKED_UP(0x00c4, 0x00c5),
};

static cache_table goldmont_extra = {
    CACHE(LL) =
	{[READ] = GLM_LL(DEMAND_READ), [WRITE] = GLM_LL(DEMAND_WRITE), [FETCH] = GLM_LL(PREFETCH)},
};

static const struct intel_extra_event goldmont_registers[] = {
    {0x01b7, 0x760005ffbf, EXTRA_OFFCORE0},
    {0x02b7, 0x360005ffbf, EXTRA_OFFCORE1},
    {0, 0, 0},
};

const struct intel_model intel_goldmont = {
    .events.name = "Goldmont",
    .events.constraints = no_constraints,
    .events.cache = goldmont_cache,
    .responses = goldmont_extra,
    .extra = goldmont_registers,
    .precise = intel_precise_goldmont,
    .precise_only = true,
    .precise_distribution = true,
};

/* Tremont and its successors have all but the accesses of the code TLB. */
#define GOLDMONT_PLUS_CACHE(itlb_access)                                                          \
	{                                                                                         \
		CACHE(L1D) = {[READ] = {[ACCESS] = 0x81d0}, [WRITE] = {[ACCESS] = 0x82d0}},       \
		CACHE(L1I) = CODE_CACHE(0x0380, 0x0280), /* ICACHE.ACCESSES, .MISSES */           \
		    CACHE(LL) = {[READ] = OFFCORE, [WRITE] = OFFCORE},                            \
		CACHE(DTLB) =                                                                     \
		    {                                                                             \
			[READ] = ROW(0x81d0, 0x0e08),  /* ..., DTLB_LOAD_MISSES.WALK_COMPLETED */ \
			[WRITE] = ROW(0x82d0, 0x0e49), /* ..., DTLB_STORE_MISSES */               \
		    },                                                                            \
		CACHE(ITLB) = LOOKED_UP(itlb_access, 0x0481), /* ITLB.MISS */                     \
		    CACHE(BPU) = LOOKED_UP(0x00c4, 0x00c5),                                       \
	}

static cache_table goldmont_plus_cache = GOLDMONT_PLUS_CACHE(0x00c0);
static cache_table tremont_cache = GOLDMONT_PLUS_CACHE(EVENT_INVALID);

static cache_table goldmont_plus_extra = {
    CACHE(LL) = {[READ] = GLM_LL(DEMAND_READ), [WRITE] = GLM_LL(DEMAND_WRITE)},
};

const struct intel_model intel_goldmont_plus = {
    .events.name = "Goldmont Plus",
    .events.constraints = no_constraints,
    .events.cache = goldmont_plus_cache,
    .responses = goldmont_plus_extra,
    .extra = goldmont_registers,
    .precise = intel_precise_goldmont_plus,
    .precise_only = true,
    .precise_distribution = true,
};

/* ---- Tremont, Gracemont, Crestmont, Skymont ---- */

/* Responses from another core's cache, local memory, and non-memory. */
#define TREMONT_MISS        (FIELD(37, 32) | BIT(26))
#define TREMONT_LL(request) ROW((request) | ANY_RESPONSE, (request) | TREMONT_MISS)

static cache_table tremont_extra = {
    CACHE(LL) = {[READ] = TREMONT_LL(DEMAND_READ), [WRITE] = TREMONT_LL(DEMAND_WRITE)},
};

static const struct intel_extra_event tremont_registers[] = {
    {0x01b7, 0x800ff0ffffff9fff, EXTRA_OFFCORE0},
    {0x02b7, 0x000ff0ffffff9fff, EXTRA_OFFCORE1},
    {0, 0, 0},
};

#define TREMONT                                                              \
	.events.constraints = no_constraints, .events.cache = tremont_cache, \
	.responses = tremont_extra

const struct intel_model intel_tremont = {
    .events.name = "Tremont",
    .extra = tremont_registers,
    .most_precise = BIT(0),
    TREMONT,
};

static const struct intel_extra_event gracemont_registers[] = {
    {0x01b7, 0x3fffffffff, EXTRA_OFFCORE0},
    {0x02b7, 0x3fffffffff, EXTRA_OFFCORE1},
    {0x05d0, 0xffff, EXTRA_LATENCY},
    {0, 0, 0},
};

const struct intel_model intel_gracemont = {
    .events.name = "Gracemont",
    .extra = gracemont_registers,
    .memory = &intel_memory_gracemont,
    .two_latencies = true,
    TREMONT,
};

static const struct intel_extra_event crestmont_registers[] = {
    {0x01b7, 0x800ff3ffffffffff, EXTRA_OFFCORE0},
    {0x02b7, 0x000ff3ffffffffff, EXTRA_OFFCORE1},
    {0x05d0, 0xffff, EXTRA_LATENCY},
    {0x0127, ~0ul, EXTRA_SNOOP0},
    {0x0227, ~0ul, EXTRA_SNOOP1},
    {0, 0, 0},
};

/* MEM_UOPS_RETIRED.LOAD_LATENCY, .STORE_LATENCY. */
static const struct hw_constraint crestmont_pebs_constraints[] = {UEVENT(0x05d0, 0x3),
								  UEVENT(0x06d0, 0xf), END};

#define CRESTMONT                                                            \
	.extra = crestmont_registers, .precise = crestmont_pebs_constraints, \
	.memory = &intel_memory_gracemont, .most_precise = BIT(0), .two_latencies = true

const struct intel_model intel_crestmont = {.events.name = "Crestmont", TREMONT, CRESTMONT};

/* Fixed counters 4 to 6 count the slots of topdown's first level. */
static const struct intel_fixed_event skymont_fixed[] = {
    {0x013c, 2}, /* CPU_CLK_UNHALTED.REF_TSC_P */
    {0x0073, 4}, /* TOPDOWN_BAD_SPECULATION.ALL */
    {0x019c, 5}, /* TOPDOWN_FE_BOUND.ALL */
    {0x02c2, 6}, /* TOPDOWN_RETIRING.ALL */
    {0, 0},
};

const struct intel_model intel_skymont = {
    .events.name = "Skymont", .fixed = skymont_fixed, TREMONT, CRESTMONT};
