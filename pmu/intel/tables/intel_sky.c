/* SPDX-License-Identifier: BSD-2-Clause */
/* Event tables from Skylake on: pmu/intel/tables/intel_tables.h has their sources. */
#include "pmu/intel/tables/intel_tables.h"

/* ---- Skylake ---- */

static const struct hw_constraint skylake_constraints[] = {
    UEVENT(0x01c0, 0x2), /* INST_RETIRED.PREC_DIST */
    EVENT(0xd0, 0xf),    /* MEM_INST_RETIRED: these know the lower four counters only */
    EVENT(0xd1, 0xf),    /* MEM_LOAD_RETIRED */
    EVENT(0xd2, 0xf),    /* MEM_LOAD_L3_HIT_RETIRED */
    EVENT(0xcd, 0xf),    /* MEM_TRANS_RETIRED */
    EVENT(0xc6, 0xf),    /* FRONTEND_RETIRED */
    END,
};

/* Ice Lake has all but the hits of the second-level TLB. */
#define SKYLAKE_CACHE(itlb_hit)                                                                   \
	{                                                                                         \
		CACHE(L1D) =                                                                      \
		    {                                                                             \
			[READ] =                                                                  \
			    {[ACCESS] = 0x81d0, [MISS] = 0x0151}, /* MEM_INST_RETIRED.ALL_LOADS,  \
								     L1D.REPLACEMENT */           \
			[WRITE] = {[ACCESS] = 0x82d0}, /* MEM_INST_RETIRED.ALL_STORES */          \
		    },                                                                            \
		CACHE(L1I) =                                                                      \
		    {                                                                             \
			[READ] = {[MISS] = 0x0283}, /* ICACHE_64B.IFTAG_MISS */                   \
			[WRITE] = IMPOSSIBLE,                                                     \
		    },                                                                            \
		CACHE(LL) =                                                                       \
		    {                                                                             \
			[READ] = OFFCORE,                                                         \
			[WRITE] = OFFCORE,                                                        \
		    },                                                                            \
		CACHE(DTLB) =                                                                     \
		    {                                                                             \
			[READ] = {[ACCESS] = 0x81d0,                                              \
				  [MISS] = 0x0e08}, /* ..., DTLB_LOAD_MISSES.WALK_COMPLETED */    \
			[WRITE] = {[ACCESS] = 0x82d0,                                             \
				   [MISS] = 0x0e49}, /* ..., DTLB_STORE_MISSES.WALK_COMPLETED */  \
		    },                                                                            \
		CACHE(ITLB) =                                                                     \
		    {                                                                             \
			[READ] = {[ACCESS] = itlb_hit, [MISS] = 0x0e85}, /* ITLB_MISSES.STLB_HIT, \
									    .WALK_COMPLETED */    \
			[WRITE] = IMPOSSIBLE,                                                     \
			[FETCH] = IMPOSSIBLE,                                                     \
		    },                                                                            \
		CACHE(BPU) =                                                                      \
		    {                                                                             \
			[READ] =                                                                  \
			    {[ACCESS] = 0x00c4, [MISS] = 0x00c5}, /* BR_INST_RETIRED,             \
								     BR_MISP_RETIRED.ALL_BRANCHES \
								   */                             \
			[WRITE] = IMPOSSIBLE,                                                     \
			[FETCH] = IMPOSSIBLE,                                                     \
		    },                                                                            \
		CACHE(NODE) = {                                                                   \
		    [READ] = OFFCORE,                                                             \
		    [WRITE] = OFFCORE,                                                            \
		},                                                                                \
	}

static cache_table skylake_cache = SKYLAKE_CACHE(0x2085);
static cache_table icelake_cache = SKYLAKE_CACHE(EVENT_INVALID);

/* OFFCORE_RSP_x of Skylake. */
#define DEMAND_READ  BIT(0)
#define DEMAND_WRITE BIT(1)
#define NO_SUPPLIER  BIT(17)
#define L3_MISS      FIELD(29, 26)
#define LOCAL_MEMORY BIT(26)
#define REMOTE       FIELD(29, 27)
#define ANY_SNOOP    FIELD(37, 30)
/* All snoop responses except modified data of another processor. */
#define MEMORY_SNOOP FIELD(36, 30)

#define SKYLAKE_LL(request)                                                                       \
	{                                                                                         \
		[ACCESS] = (request) | ANY_RESPONSE | ANY_SNOOP, [MISS] = (request) | L3_MISS |   \
									  ANY_SNOOP | NO_SUPPLIER \
	}
#define SKYLAKE_NODE(request)                                                                     \
	{                                                                                         \
		[ACCESS] = (request) | LOCAL_MEMORY | MEMORY_SNOOP, [MISS] = (request) | REMOTE | \
									     MEMORY_SNOOP         \
	}

static cache_table skylake_extra = {
    CACHE(LL) = {[READ] = SKYLAKE_LL(DEMAND_READ), [WRITE] = SKYLAKE_LL(DEMAND_WRITE)},
    CACHE(NODE) = {[READ] = SKYLAKE_NODE(DEMAND_READ), [WRITE] = SKYLAKE_NODE(DEMAND_WRITE)},
};

/* The extra registers: off-core responses, load latency, front-end stalls. */
static const struct intel_extra_event skylake_registers[] = {
    {0x01b7, 0x3fffff8fff, EXTRA_OFFCORE0},
    {0x01bb, 0x3fffff8fff, EXTRA_OFFCORE1},
    {0x01cd, 0xffff, EXTRA_LATENCY},
    {0x01c6, 0x7fff17, EXTRA_FRONTEND},
    {0, 0, 0},
};

const struct intel_model intel_skylake = {
    .trace_excludes_branches = true,
    .events.name = "Skylake",
    .events.constraints = skylake_constraints,
    .events.cache = skylake_cache,
    .responses = skylake_extra,
    .extra = skylake_registers,
    .precise = intel_precise_skylake,
    .precise_only = true,
    .precise_distribution = true,
    .precise_cycles = {INTEL_CYCLES_BY_INSTRUCTIONS, INTEL_CYCLES_BY_DISTRIBUTION},
    .memory = &intel_memory_skylake,
};

/* ---- Ice Lake: Skylake's generic events, with one exception ---- */

static const struct hw_constraint icelake_constraints[] = {
    EVENTS(0x03, 0x0a, 0xf), EVENTS(0x1f, 0x28, 0xf),
    EVENT(0x32, 0xf), /* SW_PREFETCH_ACCESS */
    EVENTS(0x48, 0x56, 0xf), EVENTS(0x60, 0x8b, 0xf),
    UEVENT(0x04a3, 0xff), /* CYCLE_ACTIVITY.STALLS_TOTAL */
    UEVENT(0x10a3, 0xff), /* .CYCLES_MEM_ANY */
    UEVENT(0x14a3, 0xff), /* .STALLS_MEM_ANY */
    EVENT(0xa3, 0xf),     /* the others of CYCLE_ACTIVITY */
    EVENTS(0xa8, 0xb0, 0xf), EVENTS(0xb7, 0xbd, 0xf),
    EVENTS(0xd0, 0xe6, 0xf), EVENT(0xef, 0xf),
    EVENTS(0xf0, 0xf4, 0xf), END,
};

static const struct hw_constraint icelake_pebs_constraints[] = {
    UEVENT(0x01c0, FIXED(0)), /* INST_RETIRED.PREC_DIST, its old and its new code */
    UEVENT(INTEL_PREC_DIST, FIXED(0)),
    UEVENT(INTEL_SLOTS, FIXED(3)),
    UEVENT(0x01cd, 0xff),    /* MEM_TRANS_RETIRED.LOAD_LATENCY */
    EVENTS(0xd0, 0xd4, 0xf), /* MEM_INST_RETIRED, MEM_LOAD_*_RETIRED */
    END,
};

static const struct intel_extra_event icelake_registers[] = {
    {0x01b7, 0x3fffffbfff, EXTRA_OFFCORE0},
    {0x01bb, 0x3fffffbfff, EXTRA_OFFCORE1},
    {0x01cd, 0xffff, EXTRA_LATENCY},
    {0x01c6, 0x7fff17, EXTRA_FRONTEND},
    {0, 0, 0},
};

const struct intel_model intel_ice_lake = {
    .events.name = "Ice Lake",
    .events.constraints = icelake_constraints,
    .events.cache = icelake_cache,
    .responses = skylake_extra,
    .extra = icelake_registers,
    .precise = icelake_pebs_constraints,
    .metrics = 4,
};
