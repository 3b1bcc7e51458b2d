/* SPDX-License-Identifier: BSD-2-Clause */
/* Event tables from Core to Westmere: pmu/intel/tables/intel_tables.h has their sources. */
#include "pmu/intel/tables/intel_tables.h"

/* ---- Core: nothing but the architectural events ---- */

static const struct hw_constraint core_constraints[] = {
    EVENT(0x11, 0x2), /* FP_ASSIST */
    EVENT(0x12, 0x2), /* MUL */
    EVENT(0x13, 0x2), /* DIV */
    EVENT(0x14, 0x1), /* CYCLES_DIV_BUSY */
    EVENT(0x19, 0x2), /* DELAYED_BYPASS */
    EVENT(0xc1, 0x1), /* FP_COMP_INSTR_RET */
    END,
};

static cache_table core_cache = {0};

const struct intel_model intel_core = {
    .events.name = "Core Duo",
    .events.constraints = core_constraints,
    .events.cache = core_cache,
};

/* ---- Core 2 ---- */

static const struct hw_constraint core2_constraints[] = {
    EVENT(0x10, 0x1), /* FP_COMP_OPS_EXE */
    EVENT(0x11, 0x2), /* FP_ASSIST */
    EVENT(0x12, 0x2), /* MUL */
    EVENT(0x13, 0x2), /* DIV */
    EVENT(0x14, 0x1), /* CYCLES_DIV_BUSY */
    EVENT(0x18, 0x1), /* IDLE_DURING_DIV */
    EVENT(0x19, 0x2), /* DELAYED_BYPASS */
    EVENT(0xa1, 0x1), /* RS_UOPS_DISPATCH_CYCLES */
    EVENT(0xc9, 0x1), /* ITLB_MISS_RETIRED */
    EVENT(0xcb, 0x1), /* MEM_LOAD_RETIRED */
    END,
};

static cache_table core2_cache = {
    CACHE(L1D) =
	{
	    [READ] = {[ACCESS] = 0x0f40, [MISS] = 0x0140},  /* L1D_CACHE_LD.MESI, .I_STATE */
	    [WRITE] = {[ACCESS] = 0x0f41, [MISS] = 0x0141}, /* L1D_CACHE_ST.MESI, .I_STATE */
	    [FETCH] = {[ACCESS] = 0x104e},                  /* L1D_PREFETCH.REQUESTS */
	},
    CACHE(L1I) =
	{
	    [READ] = {[ACCESS] = 0x0080, [MISS] = 0x0081}, /* L1I_READS, L1I_MISSES */
	    [WRITE] = IMPOSSIBLE,
	},
    CACHE(LL) =
	{
	    [READ] = {[ACCESS] = 0x4f29, [MISS] = 0x4129},  /* L2_LD.MESI, .I_STATE */
	    [WRITE] = {[ACCESS] = 0x4f2a, [MISS] = 0x412a}, /* L2_ST.MESI, .I_STATE */
	},
    CACHE(DTLB) =
	{
	    [READ] =
		{[ACCESS] = 0x0f40, [MISS] = 0x0208}, /* L1D_CACHE_LD.MESI, DTLB_MISSES.MISS_LD */
	    [WRITE] =
		{[ACCESS] = 0x0f41, [MISS] = 0x0808}, /* L1D_CACHE_ST.MESI, DTLB_MISSES.MISS_ST */
	},
    CACHE(ITLB) =
	{
	    [READ] = {[ACCESS] = 0x00c0, [MISS] = 0x1282}, /* INST_RETIRED.ANY_P, ITLB.MISSES */
	    [WRITE] = IMPOSSIBLE,
	    [FETCH] = IMPOSSIBLE,
	},
    CACHE(BPU) =
	{
	    [READ] = {[ACCESS] = 0x00c4, [MISS] = 0x00c5}, /* BR_INST_RETIRED.ANY, .MISPRED */
	    [WRITE] = IMPOSSIBLE,
	    [FETCH] = IMPOSSIBLE,
	},
};

#define CORE2                                                                              \
	.events.name = "Core 2", .events.constraints = core2_constraints,                  \
	.events.cache = core2_cache, .precise = intel_precise_core2, .precise_only = true, \
	.precise_cycles = {INTEL_CYCLES_BY_INSTRUCTIONS, INTEL_CYCLES_BY_INSTRUCTIONS}

const struct intel_model intel_core2 = {CORE2};

/* Merom's PEBS has errata AJ67, AJ68, AJ69 and AJ106: leaks of other rings, late and unreported
 * PMIs, branch records that do not freeze. */
const struct intel_model intel_merom = {CORE2, .broken_records = true, .errata = "AJ106"};

/* ---- Nehalem ---- */

static const struct hw_constraint nehalem_constraints[] = {
    EVENT(0x40, 0x3), /* L1D_CACHE_LD */
    EVENT(0x41, 0x3), /* L1D_CACHE_ST */
    EVENT(0x42, 0x3), /* L1D_CACHE_LOCK */
    EVENT(0x43, 0x3), /* L1D_ALL_REF */
    EVENT(0x48, 0x3), /* L1D_PEND_MISS */
    EVENT(0x4e, 0x3), /* L1D_PREFETCH */
    EVENT(0x51, 0x3), /* L1D */
    EVENT(0x63, 0x3), /* CACHE_LOCK_CYCLES */
    END,
};

/* Nehalem and Westmere differ in the events of data TLB accesses and code TLB misses. */
#define NEHALEM_CACHE(load, store, itlb_miss)                                                     \
	{                                                                                         \
		CACHE(L1D) =                                                                      \
		    {                                                                             \
			[READ] = ROW(0x010b, 0x0151),  /* MEM_INST_RETIRED.LOADS, L1D.REPL */     \
			[WRITE] = ROW(0x020b, 0x0251), /* MEM_INST_RETIRED.STORES, L1D.M_REPL */  \
			[FETCH] = ROW(0x014e, 0x024e), /* L1D_PREFETCH.REQUESTS, .MISS */         \
		    },                                                                            \
		CACHE(L1I) = CODE_CACHE(0x0380, 0x0280), /* L1I.READS, .MISSES */                 \
		    CACHE(LL) = {[READ] = OFFCORE, [WRITE] = OFFCORE, [FETCH] = OFFCORE},         \
		CACHE(DTLB) =                                                                     \
		    {                                                                             \
			[READ] = ROW(load, 0x0108),   /* DTLB_LOAD_MISSES.ANY */                  \
			[WRITE] = ROW(store, 0x010c), /* MEM_STORE_RETIRED.DTLB_MISS */           \
		    },                                                                            \
		CACHE(ITLB) = LOOKED_UP(0x01c0, itlb_miss), /* INST_RETIRED.ANY_P */              \
		    CACHE(BPU) = LOOKED_UP(0x00c4, 0x03e8), /* BR_INST_RETIRED, BPU_CLEARS.ANY */ \
		    CACHE(NODE) = {[READ] = OFFCORE, [WRITE] = OFFCORE, [FETCH] = OFFCORE},       \
	}

/* L1D_CACHE_LD.MESI, _ST.MESI, ITLB_MISS_RETIRED; MEM_INST_RETIRED, ITLB_MISSES.ANY. */
static cache_table nehalem_cache = NEHALEM_CACHE(0x0f40, 0x0f41, 0x20c8);
static cache_table westmere_cache = NEHALEM_CACHE(0x010b, 0x020b, 0x0185);

/* OFFCORE_RSP_x. */
#define DEMAND_READ  BIT(0)
#define DEMAND_WRITE (BIT(1) | BIT(3))
#define PREFETCH     FIELD(5, 4)
#define L3_HIT       FIELD(10, 8)
#define L3_MISS      FIELD(15, 12)
#define REMOTE       BIT(13)
#define MEMORY       FIELD(14, 12)

#define NEHALEM_LL(request)   ROW((request) | L3_HIT | L3_MISS, (request) | L3_MISS)
#define NEHALEM_NODE(request) ROW((request) | MEMORY, (request) | REMOTE)

static cache_table nehalem_extra = {
    CACHE(LL) = {[READ] = NEHALEM_LL(DEMAND_READ),
		 [WRITE] = NEHALEM_LL(DEMAND_WRITE),
		 [FETCH] = NEHALEM_LL(PREFETCH)},
    CACHE(NODE) = {[READ] = NEHALEM_NODE(DEMAND_READ),
		   [WRITE] = NEHALEM_NODE(DEMAND_WRITE),
		   [FETCH] = NEHALEM_NODE(PREFETCH)},
};

static const struct intel_extra_event nehalem_registers[] = {
    {0x01b7, 0xffff, EXTRA_OFFCORE0}, {0x100b, 0xffff, EXTRA_LATENCY}, {0, 0, 0}};

/* Cycles in which no micro-operation is issued or executed. BR_MISP_EXEC.ANY replaces the count of
 * mispredicted branches where that is wrong (erratum AAJ80), which CPUID reports. */
#define QUIET (EVTSEL_INVERT | FIELD_PUT(EVTSEL_CMASK, 1))

static const struct intel_generic nehalem_generic[] = {
    {PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, 0x010e | QUIET}, /* UOPS_ISSUED.ANY */
    {PERF_COUNT_HW_STALLED_CYCLES_BACKEND, 0x3fb1 | QUIET},  /* UOPS_EXECUTED.CORE_ACTIVE */
    {PERF_COUNT_HW_BRANCH_MISSES, 0x7f89},
    {0, 0},
};

/* Shorter periods overwhelm the processor. */
static const struct intel_period_limit nehalem_limits[] = {{0, 0, 0, 32, 1}, {0, 0, 0, 0, 0}};

#define NEHALEM_RECORDS                                                                 \
	.precise_only = true,                                                           \
	.precise_cycles = {INTEL_CYCLES_BY_INSTRUCTIONS, INTEL_CYCLES_BY_INSTRUCTIONS}, \
	.memory = &intel_memory_nehalem, .events.neighbours = HW_CORE,                  \
	.events.registers_shared = true

const struct intel_model intel_nehalem = {
    .events.name = "Nehalem",
    .events.constraints = nehalem_constraints,
    .events.cache = nehalem_cache,
    .responses = nehalem_extra,
    .extra = nehalem_registers,
    .generic = nehalem_generic,
    .limits = nehalem_limits,
    .errata = "AAJ80",
    .precise = intel_precise_nehalem,
    NEHALEM_RECORDS,
};

/* ---- Westmere ---- */

static const struct hw_constraint westmere_constraints[] = {
    EVENT(0x51, 0x3), /* L1D */
    EVENT(0x60, 0x1), /* OFFCORE_REQUESTS_OUTSTANDING */
    EVENT(0x63, 0x3), /* CACHE_LOCK_CYCLES */
    EVENT(0xb3, 0x1), /* SNOOPQ_REQUEST_OUTSTANDING */
    END,
};

static const struct intel_extra_event westmere_registers[] = {
    {0x01b7, 0xffff, EXTRA_OFFCORE0},
    {0x01bb, 0xffff, EXTRA_OFFCORE1},
    {0x100b, 0xffff, EXTRA_LATENCY},
    {0, 0, 0},
};

const struct intel_model intel_westmere = {
    .events.name = "Westmere",
    .events.constraints = westmere_constraints,
    .events.cache = westmere_cache,
    .responses = nehalem_extra,
    .extra = westmere_registers,
    .generic = nehalem_generic,
    .precise = intel_precise_westmere,
    NEHALEM_RECORDS,
};
