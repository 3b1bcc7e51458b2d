/* SPDX-License-Identifier: BSD-2-Clause */
/* Event tables of performance cores from Golden Cove on: pmu/intel/tables/intel_tables.h has their
 * sources. */
#include "pmu/intel/tables/intel_tables.h"

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
    {0x40ad, 0x7, EXTRA_FRONTEND}, /* INT_MISC.UNKNOWN_BRANCH_CYCLES */
    {0x04c2, 0x8, EXTRA_FRONTEND}, /* UOPS_RETIRED.MS */
    {0, 0, 0},
};

/* Events with the highest precision need a minimum period. */
static const struct intel_period_limit golden_cove_limits[] = {{0, 0, 3, 128, 1}, {0, 0, 0, 0, 0}};

#define GOLDEN_COVE                                                         \
	.events.cache = golden_cove_cache, .responses = golden_cove_extra,  \
	.limits = golden_cove_limits, .most_precise = BIT(0), .metrics = 8, \
	.loads_need_aux = true, .two_latencies = true

const struct intel_model intel_golden_cove = {
    .events.name = "Golden Cove",
    .events.constraints = golden_cove_constraints,
    .extra = golden_cove_registers,
    .precise = golden_cove_pebs_constraints,
    GOLDEN_COVE,
};

/* ---- Redwood Cove: Meteor Lake, Granite Rapids ---- */

static const struct intel_extra_event redwood_cove_registers[] = {
    {0x012a, 0x3fffffffff, EXTRA_OFFCORE0},
    {0x012b, 0x3fffffffff, EXTRA_OFFCORE1},
    {0x01cd, 0xffff, EXTRA_LATENCY},
    {0x02c6, 0x9, EXTRA_FRONTEND}, /* FRONTEND_RETIRED of a miss by prefetched code */
    {0x03c6, 0x7fff1f, EXTRA_FRONTEND},
    {0x40ad, 0x7, EXTRA_FRONTEND},
    {0x04c2, 0x8, EXTRA_FRONTEND},
    {0, 0, 0},
};

const struct intel_model intel_redwood_cove = {
    .events.name = "Redwood Cove",
    .events.constraints = golden_cove_constraints,
    .extra = redwood_cove_registers,
    .precise = golden_cove_pebs_constraints,
    GOLDEN_COVE,
};

/* ---- Lion Cove: Lunar, Arrow, and Panther Lake ---- */

#define ALL_TEN 0x3ff

static const struct hw_constraint lion_cove_constraints[] = {
    EVENT(0x20, 0xf),                             /* OFFCORE_REQUESTS_OUTSTANDING */
    UEVENT(0x012a, 0xf),     UEVENT(0x012b, 0xf), /* OCR */
    UEVENT(0x0148, 0x4),                          /* L1D_PENDING.LOAD */
    UEVENT(0x0175, 0x4),                          /* INST_DECODED.DECODERS */
    EVENT(0x2e, ALL_TEN),                         /* LONGEST_LAT_CACHE */
    EVENT(0x3c, ALL_TEN),                         /* CPU_CLK_UNHALTED */
    UEVENT(0x08a3, 0x4),     UEVENT(0x0ca3, 0x4), /* CYCLE_ACTIVITY of the L1D */
    UEVENT(0x04a4, 0x1),     UEVENT(0x08a4, 0x1), UEVENT(0x10a4, 0x1), /* TOPDOWN */
    UEVENT(0x01b1, 0x8),                                               /* UOPS_EXECUTED.THREAD */
    UEVENT(0x01cd, 0x3fc), /* MEM_TRANS_RETIRED.LOAD_LATENCY */
    UEVENT(0x02cd, 0x3),   /* .STORE_SAMPLE */
    EVENTS(0xd0, 0xdf, 0xf), UEVENT(0x00e0, 0xf), END,
};

static const struct hw_constraint lion_cove_pebs_constraints[] = {
    UEVENT(INTEL_PREC_DIST, FIXED(0)),
    UEVENT(INTEL_SLOTS, FIXED(3)),
    UEVENT(0x01cd, 0x3fc),
    UEVENT(0x02cd, 0x3),
    EVENTS(0xd0, 0xd4, 0xf),
    END,
};

static const struct intel_extra_event lion_cove_registers[] = {
    {0x012a, 0xfffffffffff, EXTRA_OFFCORE0}, {0x012b, 0xfffffffffff, EXTRA_OFFCORE1},
    {0x01cd, 0xffff, EXTRA_LATENCY},         {0x02c6, 0x9, EXTRA_FRONTEND},
    {0x03c6, 0x7fff1f, EXTRA_FRONTEND},      {0x40ad, 0xf, EXTRA_FRONTEND},
    {0x04c2, 0x8, EXTRA_FRONTEND},           {0, 0, 0},
};

/* CPU_CLK_UNHALTED.REF_TSC has a code of its own. */
static const struct intel_fixed_event lion_cove_fixed[] = {{0x013c, 2}, {0, 0}};

const struct intel_model intel_lion_cove = {
    .events.name = "Lion Cove",
    .events.constraints = lion_cove_constraints,
    .extra = lion_cove_registers,
    .precise = lion_cove_pebs_constraints,
    .fixed = lion_cove_fixed,
    GOLDEN_COVE,
};
