/* SPDX-License-Identifier: BSD-2-Clause */
/* Event tables from Skylake on: pmu/intel/intel_tables.h has their sources. */
#include "pmu/intel/intel_tables.h"

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
#define ANY_RESPONSE BIT(16)
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

/* ---- Golden Cove: Sapphire Rapids, P cores of Alder Lake ---- */

static const struct hw_constraint golden_cove_constraints[] = {
    EVENT(0x2e, 0xff),       /* LONGEST_LAT_CACHE */
    EVENT(0x3c, 0xff),       /* CPU_CLK_UNHALTED */
    EVENTS(0x01, 0x8f, 0xf), /* the others below 90H */
    UEVENT(0x01a3, 0xf),     /* CYCLE_ACTIVITY */
    UEVENT(0x02a3, 0xf),     UEVENT(0x08a3, 0xf),      UEVENT(0x04a4, 0x1), /* TOPDOWN */
    UEVENT(0x08a4, 0x1),     UEVENT(0x02cd, 0x1), /* MEM_TRANS_RETIRED.STORE_SAMPLE */
    EVENT(0xce, 0x1),                             /* AMX_OPS_RETIRED */
    EVENTS(0xd0, 0xdf, 0xf), EVENTS(0x90, 0xfe, 0xff), END,
};

static const struct hw_constraint golden_cove_pebs_constraints[] = {
    UEVENT(INTEL_PREC_DIST, FIXED(0)),
    UEVENT(INTEL_SLOTS, FIXED(3)),
    EVENT(0xc0, 0xfe),       /* INST_RETIRED */
    UEVENT(0x01cd, 0xfe),    /* MEM_TRANS_RETIRED.LOAD_LATENCY */
    UEVENT(0x02cd, 0x1),     /* .STORE_SAMPLE */
    EVENTS(0xd0, 0xd4, 0xf), /* MEM_INST_RETIRED, MEM_LOAD_*_RETIRED */
    END,
};

#define RESPONSE ROW(0x012a, 0x012a) /* OCR, by its register */

static cache_table golden_cove_cache = {
    CACHE(L1D) =
	{
	    [READ] =
		ROW(0x81d0, 0xe124), /* MEM_INST_RETIRED.ALL_LOADS, L2_RQSTS.ALL_DEMAND_DATA_RD */
	    [WRITE] = {[ACCESS] = 0x82d0}, /* .ALL_STORES */
	},
    CACHE(L1I) = CODE_CACHE(0, 0xe424), /* L2_RQSTS.ALL_CODE_RD */
    CACHE(LL) = {[READ] = RESPONSE, [WRITE] = RESPONSE},
    CACHE(DTLB) =
	{
	    [READ] = ROW(0x81d0, 0x0e12),  /* ..., DTLB_LOAD_MISSES.WALK_COMPLETED */
	    [WRITE] = ROW(0x82d0, 0x0e13), /* ..., DTLB_STORE_MISSES.WALK_COMPLETED */
	},
    CACHE(ITLB) = LOOKED_UP(EVENT_INVALID, 0x0e11), /* ITLB_MISSES.WALK_COMPLETED */
    CACHE(BPU) = LOOKED_UP(0x04c4, 0x04c5),         /* as Linux has them, with a unit mask */
    CACHE(NODE) = {[READ] = RESPONSE},
};

static cache_table golden_cove_extra = {
    CACHE(LL) = {[READ] = ROW(0x10001, 0x3fbfc00001), [WRITE] = ROW(0x3f3ffc0002, 0x3f3fc00002)},
    CACHE(NODE) = {[READ] = ROW(0x10c000001, 0x3fb3000001)},
};

static const struct intel_extra_event golden_cove_registers[] = {
    {0x012a, 0x3fffffffff, EXTRA_OFFCORE0},
    {0x012b, 0x3fffffffff, EXTRA_OFFCORE1},
    {0x01cd, 0xffff, EXTRA_LATENCY},
    {0x01c6, 0x7fff1f, EXTRA_FRONTEND},
    {0, 0, 0},
};

/* Events with the highest precision need a minimum period. */
static const struct intel_period_limit golden_cove_limits[] = {{0, 0, 3, 128, 1}, {0, 0, 0, 0, 0}};

const struct intel_model intel_golden_cove = {
    .events.name = "Golden Cove",
    .events.constraints = golden_cove_constraints,
    .events.cache = golden_cove_cache,
    .responses = golden_cove_extra,
    .extra = golden_cove_registers,
    .precise = golden_cove_pebs_constraints,
    .limits = golden_cove_limits,
    .most_precise = BIT(0),
    .metrics = 8,
    .loads_need_aux = true,
    .two_latencies = true,
};

/* ---- Gracemont: E cores of Alder Lake ---- */

static const struct hw_constraint gracemont_constraints[] = {END};

static cache_table gracemont_cache = {
    CACHE(
	L1D) = {[READ] = {[ACCESS] = 0x81d0}, [WRITE] = {[ACCESS] = 0x82d0}}, /* MEM_UOPS_RETIRED */
    CACHE(L1I) = CODE_CACHE(0x0380, 0x0280), /* ICACHE.ACCESSES, .MISSES */
    CACHE(LL) = {[READ] = OFFCORE, [WRITE] = OFFCORE},
    CACHE(DTLB) =
	{
	    [READ] = ROW(0x81d0, 0x0e08),  /* ..., DTLB_LOAD_MISSES.WALK_COMPLETED */
	    [WRITE] = ROW(0x82d0, 0x0e49), /* ..., DTLB_STORE_MISSES.WALK_COMPLETED */
	},
    CACHE(ITLB) = LOOKED_UP(EVENT_INVALID, 0x0481), /* ITLB.MISS */
    CACHE(BPU) = LOOKED_UP(0x00c4, 0x00c5),         /* BR_INST_RETIRED, BR_MISP_RETIRED */
};

/* Responses from another core's cache, local memory, and non-memory. */
#define ANY_MISS              (FIELD(37, 32) | LOCAL_MEMORY)
#define GRACEMONT_LL(request) ROW((request) | ANY_RESPONSE, (request) | ANY_MISS)

static cache_table gracemont_extra = {
    CACHE(LL) = {[READ] = GRACEMONT_LL(DEMAND_READ), [WRITE] = GRACEMONT_LL(DEMAND_WRITE)},
};

static const struct intel_extra_event gracemont_registers[] = {
    {0x01b7, 0x3fffffffff, EXTRA_OFFCORE0},
    {0x02b7, 0x3fffffffff, EXTRA_OFFCORE1},
    {0x05d0, 0xffff, EXTRA_LATENCY},
    {0, 0, 0},
};

const struct intel_model intel_gracemont = {
    .events.name = "Gracemont",
    .events.constraints = gracemont_constraints,
    .events.cache = gracemont_cache,
    .responses = gracemont_extra,
    .extra = gracemont_registers,
    .two_latencies = true,
};
