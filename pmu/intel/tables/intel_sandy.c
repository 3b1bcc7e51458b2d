/* SPDX-License-Identifier: BSD-2-Clause */
/* Event tables from Sandy Bridge to Broadwell: pmu/intel/tables/intel_tables.h has their sources.
 */
#include "pmu/intel/tables/intel_tables.h"

/* Memory pipeline events use the lower four counters even where there are eight. */
#define MEMORY_EVENTS EVENT(0xd0, 0xf), EVENT(0xd1, 0xf), EVENT(0xd2, 0xf), EVENT(0xd3, 0xf)

#define QUIET (EVTSEL_INVERT | FIELD_PUT(EVTSEL_CMASK, 1))

/* ---- Sandy Bridge ---- */

static const struct hw_constraint sandy_bridge_constraints[] = {
    UEVENT(0x04a3, 0xf), /* CYCLE_ACTIVITY.CYCLES_NO_DISPATCH */
    UEVENT(0x05a3, 0xf), /* .STALLS_L2_PENDING */
    UEVENT(0x02a3, 0x4), /* .CYCLES_L1D_PENDING */
    UEVENT(0x06a3, 0x4), /* .STALLS_L1D_PENDING */
    EVENT(0x48, 0x4),    /* L1D_PEND_MISS.PENDING */
    UEVENT(0x01c0, 0x2), /* INST_RETIRED.PREC_DIST */
    EVENT(0xcd, 0x8),    /* MEM_TRANS_RETIRED.LOAD_LATENCY */
    MEMORY_EVENTS,       END,
};

#define SANDY_BRIDGE_CACHE(dtlb_miss)                                                              \
	{                                                                                          \
		CACHE(L1D) =                                                                       \
		    {                                                                              \
			[READ] = ROW(0xf1d0, 0x0151), /* MEM_UOP_RETIRED.LOADS, L1D.REPLACEMENT */ \
			[WRITE] = ROW(0xf2d0, 0x0851), /* .STORES, L1D.ALL_M_REPLACEMENT */        \
			[FETCH] = {[MISS] = 0x024e},   /* HW_PRE_REQ.DL1_MISS */                   \
		    },                                                                             \
		CACHE(L1I) = CODE_CACHE(0, 0x0280), /* ICACHE.MISSES */                            \
		    CACHE(LL) = {[READ] = OFFCORE, [WRITE] = OFFCORE, [FETCH] = OFFCORE},          \
		CACHE(DTLB) =                                                                      \
		    {                                                                              \
			[READ] = ROW(0x81d0, dtlb_miss), /* MEM_UOP_RETIRED.ALL_LOADS */           \
			[WRITE] = ROW(0x82d0, 0x0149), /* .ALL_STORES, DTLB_STORE_MISSES.WALKS */  \
		    },                                                                             \
		CACHE(ITLB) = LOOKED_UP(0x1085, 0x0185),    /* ITLB_MISSES.STLB_HIT, .WALKS */     \
		    CACHE(BPU) = LOOKED_UP(0x00c4, 0x00c5), /* BR_INST_, BR_MISP_RETIRED */        \
		    CACHE(NODE) = {[READ] = OFFCORE, [WRITE] = OFFCORE, [FETCH] = OFFCORE},        \
	}

/* DTLB_LOAD_MISSES.CAUSES_A_WALK; .DEMAND_LD_WALK_COMPLETED. */
static cache_table sandy_bridge_cache = SANDY_BRIDGE_CACHE(0x0108);
static cache_table ivy_bridge_cache = SANDY_BRIDGE_CACHE(0x8108);

/* OFFCORE_RSP_x. */
#define SNB_READ     (BIT(0) | BIT(7))
#define SNB_WRITE    (BIT(1) | BIT(8))
#define SNB_PREFETCH FIELD(5, 4)
#define SNB_SNOOP    FIELD(36, 31)
#define SNB_MEMORY   (FIELD(30, 22) | SNB_SNOOP)
#define SNB_REMOTE   (FIELD(30, 23) | SNB_SNOOP)
#define NO_MEMORY    BIT(37)

#define SNB_LL(request)   ROW((request) | ANY_RESPONSE, (request) | SNB_MEMORY | NO_MEMORY)
#define SNB_NODE(request) ROW((request) | SNB_MEMORY, (request) | SNB_REMOTE)

static cache_table sandy_bridge_extra = {
    CACHE(LL) =
	{[READ] = SNB_LL(SNB_READ), [WRITE] = SNB_LL(SNB_WRITE), [FETCH] = SNB_LL(SNB_PREFETCH)},
    CACHE(NODE) = {[READ] = SNB_NODE(SNB_READ),
		   [WRITE] = SNB_NODE(SNB_WRITE),
		   [FETCH] = SNB_NODE(SNB_PREFETCH)},
};

#define SANDY_BRIDGE_REGISTERS(responses)                                                 \
	{                                                                                 \
		{0x01b7, responses, EXTRA_OFFCORE0}, {0x01bb, responses, EXTRA_OFFCORE1}, \
		    {0x01cd, 0xffff, EXTRA_LATENCY},                                      \
		{                                                                         \
			0, 0, 0                                                           \
		}                                                                         \
	}

/* Servers, and everything from Haswell on, have more bits. */
static const struct intel_extra_event sandy_bridge_registers[] =
    SANDY_BRIDGE_REGISTERS(0x3f807f8fff);
static const struct intel_extra_event server_registers[] = SANDY_BRIDGE_REGISTERS(0x3fffff8fff);

/* With hyper-threading, these events of a thread corrupt the counter of the same number that its
 * sibling has: errata BJ122, BV98, HSD29. */
static const struct hw_constraint corrupting[] = {MEMORY_EVENTS, END};

#define HYPER_THREADING_ERRATUM \
	.events.exclusive = corrupting, .events.neighbours = HW_CORE, .events.strict = true

static const struct intel_generic sandy_bridge_generic[] = {
    {PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, 0x010e | QUIET}, /* UOPS_ISSUED.ANY */
    {PERF_COUNT_HW_STALLED_CYCLES_BACKEND, 0x01b1 | QUIET},  /* UOPS_DISPATCHED.THREAD */
    {0, 0},
};

#define SANDY_BRIDGE                                                                          \
	.events.name = "Sandy Bridge", .events.constraints = sandy_bridge_constraints,        \
	.events.cache = sandy_bridge_cache, .responses = sandy_bridge_extra,                  \
	.generic = sandy_bridge_generic, .precise = intel_precise_sandy_bridge,               \
	.precise_only = true, .precise_cycles = {INTEL_CYCLES_BY_UOPS, INTEL_CYCLES_BY_UOPS}, \
	.memory = &intel_memory_sandy_bridge, .errata = "BJ122", HYPER_THREADING_ERRATUM,     \
	.branches = &intel_lbr_sandy_bridge

const struct intel_model intel_sandy_bridge = {SANDY_BRIDGE, .extra = sandy_bridge_registers};
const struct intel_model intel_sandy_bridge_x = {SANDY_BRIDGE, .extra = server_registers};

/* ---- Ivy Bridge ---- */

static const struct hw_constraint ivy_bridge_constraints[] = {
    UEVENT(0x0148, 0x4), /* L1D_PEND_MISS.PENDING */
    UEVENT(0x0279, 0xf), /* IDQ.EMPTY */
    UEVENT(0x019c, 0xf), /* IDQ_UOPS_NOT_DELIVERED.CORE */
    UEVENT(0x02a3, 0xf), /* CYCLE_ACTIVITY.CYCLES_LDM_PENDING */
    UEVENT(0x04a3, 0xf), /* .CYCLES_NO_EXECUTE */
    UEVENT(0x05a3, 0xf), /* .STALLS_L2_PENDING */
    UEVENT(0x06a3, 0xf), /* .STALLS_LDM_PENDING */
    UEVENT(0x08a3, 0x4), /* .CYCLES_L1D_PENDING */
    UEVENT(0x0ca3, 0x4), /* .STALLS_L1D_PENDING */
    UEVENT(0x01c0, 0x2), /* INST_RETIRED.PREC_DIST */
    MEMORY_EVENTS,       END,
};

static const struct intel_generic ivy_bridge_generic[] = {
    {PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, 0x010e | QUIET}, /* UOPS_ISSUED.ANY */
    {0, 0},
};

/* From Ivy Bridge to Broadwell. */
#define IVY_BRIDGE_RECORDS                                  \
	.precise_only = true, .precise_distribution = true, \
	.precise_cycles = {INTEL_CYCLES_BY_UOPS, INTEL_CYCLES_BY_DISTRIBUTION}

#define IVY_BRIDGE                                                                       \
	.events.name = "Ivy Bridge", .events.constraints = ivy_bridge_constraints,       \
	.events.cache = ivy_bridge_cache, .responses = sandy_bridge_extra,               \
	.generic = ivy_bridge_generic, .precise = intel_precise_ivy_bridge,              \
	.memory = &intel_memory_sandy_bridge, .errata = "BV98", HYPER_THREADING_ERRATUM, \
	.branches = &intel_lbr_sandy_bridge, IVY_BRIDGE_RECORDS

const struct intel_model intel_ivy_bridge = {IVY_BRIDGE, .extra = sandy_bridge_registers};
const struct intel_model intel_ivy_bridge_x = {IVY_BRIDGE, .extra = server_registers};

/* ---- Haswell ---- */

static const struct hw_constraint haswell_constraints[] = {
    UEVENT(0x0148, 0x4), /* L1D_PEND_MISS.PENDING */
    UEVENT(0x01c0, 0x2), /* INST_RETIRED.PREC_DIST */
    EVENT(0xcd, 0x8),    /* MEM_TRANS_RETIRED.LOAD_LATENCY */
    UEVENT(0x08a3, 0x4), /* CYCLE_ACTIVITY.CYCLES_L1D_PENDING */
    UEVENT(0x0ca3, 0x4), /* .STALLS_L1D_PENDING */
    UEVENT(0x04a3, 0xf), /* .CYCLES_NO_EXECUTE */
    MEMORY_EVENTS,       END,
};

static cache_table haswell_cache = {
    CACHE(L1D) =
	{
	    [READ] = ROW(0x81d0, 0x0151),  /* MEM_UOPS_RETIRED.ALL_LOADS, L1D.REPLACEMENT */
	    [WRITE] = {[ACCESS] = 0x82d0}, /* MEM_UOPS_RETIRED.ALL_STORES */
	},
    CACHE(L1I) = CODE_CACHE(0, 0x0280), /* ICACHE.MISSES */
    CACHE(LL) = {[READ] = OFFCORE, [WRITE] = OFFCORE},
    CACHE(DTLB) =
	{
	    [READ] = ROW(0x81d0, 0x0108),  /* ..., DTLB_LOAD_MISSES.MISS_CAUSES_A_WALK */
	    [WRITE] = ROW(0x82d0, 0x0149), /* ..., DTLB_STORE_MISSES.MISS_CAUSES_A_WALK */
	},
    CACHE(ITLB) = LOOKED_UP(0x6085, 0x0185), /* ITLB_MISSES.STLB_HIT, .MISS_CAUSES_A_WALK */
    CACHE(BPU) = LOOKED_UP(0x00c4, 0x00c5),  /* BR_INST_RETIRED, BR_MISP_RETIRED */
    CACHE(NODE) = {[READ] = OFFCORE, [WRITE] = OFFCORE},
};

/* Broadwell has another bit for local memory in OFFCORE_RSP_x. */
#define DEMAND_READ  BIT(0)
#define DEMAND_WRITE BIT(1)
#define HSW_LOCAL    BIT(22)
#define BDW_LOCAL    BIT(26)
#define REMOTE       FIELD(29, 27)
#define MEMORY_SNOOP FIELD(36, 31)

#define HASWELL_LL(request, local, snoop) \
	ROW((request) | ANY_RESPONSE, (request) | (local) | REMOTE | (snoop))
#define HASWELL_NODE(request, local) \
	ROW((request) | (local) | MEMORY_SNOOP, (request) | REMOTE | MEMORY_SNOOP)
#define HASWELL_EXTRA(local, snoop)                                             \
	{                                                                       \
		CACHE(LL) = {[READ] = HASWELL_LL(DEMAND_READ, local, snoop),    \
			     [WRITE] = HASWELL_LL(DEMAND_WRITE, local, snoop)}, \
		CACHE(NODE) = {[READ] = HASWELL_NODE(DEMAND_READ, local),       \
			       [WRITE] = HASWELL_NODE(DEMAND_WRITE, local)},    \
	}

static cache_table haswell_extra = HASWELL_EXTRA(HSW_LOCAL, MEMORY_SNOOP | NO_MEMORY);
static cache_table broadwell_extra = HASWELL_EXTRA(BDW_LOCAL, MEMORY_SNOOP);

/* Errata HSW11 and BDM11: INST_RETIRED.ALL needs a period above 100. Short periods of two other
 * events leave the processor no time for anything else. */
static const struct intel_period_limit haswell_limits[] = {
    {0x01c0, 0xffff, 0, 128, 1},
    {0, 0, 0, 32, 1},
    {0, 0, 0, 0, 0},
};

const struct intel_model intel_haswell = {
    .events.name = "Haswell",
    .events.constraints = haswell_constraints,
    .events.cache = haswell_cache,
    .responses = haswell_extra,
    .extra = server_registers,
    .limits = haswell_limits,
    .errata = "HSW11 HSD29",
    HYPER_THREADING_ERRATUM,
    .precise = intel_precise_haswell,
    .memory = &intel_memory_haswell,
    IVY_BRIDGE_RECORDS,
};

/* ---- Broadwell ---- */

static const struct hw_constraint broadwell_constraints[] = {
    UEVENT(0x0148, 0x4), /* L1D_PEND_MISS.PENDING */
    UEVENT(0x08a3, 0x4), /* CYCLE_ACTIVITY.CYCLES_L1D_MISS */
    EVENT(0xd0, 0xf),    /* MEM_INST_RETIRED */
    EVENT(0xd1, 0xf),    /* MEM_LOAD_RETIRED */
    EVENT(0xd2, 0xf),    /* MEM_LOAD_L3_HIT_RETIRED */
    EVENT(0xcd, 0xf),    /* MEM_TRANS_RETIRED */
    END,
};

/* Erratum BDM55 in addition: the lowest 6 bits must be clear. */
static const struct intel_period_limit broadwell_limits[] = {
    {0x01c0, 0xffff, 0, 128, 64},
    {0, 0, 0, 0, 0},
};

const struct intel_model intel_broadwell = {
    .trace_excludes_branches = true,
    .events.name = "Broadwell",
    .events.constraints = broadwell_constraints,
    .events.cache = haswell_cache,
    .responses = broadwell_extra,
    .extra = server_registers,
    .limits = broadwell_limits,
    .errata = "BDM11 BDM55",
    .precise = intel_precise_haswell,
    .memory = &intel_memory_haswell,
    IVY_BRIDGE_RECORDS,
};
