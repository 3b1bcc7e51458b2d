/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Event tables of Intel's processors: which counters an event needs, and the events that stand for
 * Linux's generic cache events. Sources: SDM volume 3 and Intel's event lists; the choice of events
 * is Linux's.
 */
#include "arch/x86/cpuid.h"
#include "arch/x86/msr.h"
#include "pmu/cache_table.h"
#include "pmu/intel.h"

#define EVENTS(first, last, counters)               \
	{                                           \
		first, EVTSEL_EVENT, counters, last \
	}
#define EVENT(code, counters) EVENTS(code, 0, counters)
#define UEVENT(code, counters)                                 \
	{                                                      \
		code, EVTSEL_EVENT | EVTSEL_UMASK, counters, 0 \
	}
#define END                \
	{                  \
		0, 0, 0, 0 \
	}

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

#define OFFCORE                                    \
	{                                          \
		[ACCESS] = 0x01b7, [MISS] = 0x01b7 \
	} /* OFFCORE_RESPONSE */

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
#define MEMORY_SNOOP                                                                \
	FIELD(36, 30) /* all but those that other processors' modified data answers \
		       */

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

/* The values that extra registers take: off-core responses, load latency, front-end stalls. */
static const struct hw_extra_event skylake_registers[] = {
    {0x01b7, 0x3fffff8fff}, {0x01bb, 0x3fffff8fff}, {0x01cd, 0xffff}, {0x01c6, 0x7fff17}, {0, 0},
};

/* ---- Ice Lake: Skylake's generic events, but for one ---- */

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

#define FIXED(i) BIT(GLOBAL_FIXED0 + (i))

static const struct hw_constraint icelake_pebs_constraints[] = {
    UEVENT(0x01c0, FIXED(0)), /* INST_RETIRED.PREC_DIST, its old and its new code */
    UEVENT(INTEL_PREC_DIST, FIXED(0)),
    UEVENT(INTEL_SLOTS, FIXED(3)),
    UEVENT(0x01cd, 0xff),    /* MEM_TRANS_RETIRED.LOAD_LATENCY */
    EVENTS(0xd0, 0xd4, 0xf), /* MEM_INST_RETIRED, MEM_LOAD_*_RETIRED */
    END,
};

static const struct hw_extra_event icelake_registers[] = {
    {0x01b7, 0x3fffffbfff}, {0x01bb, 0x3fffffbfff}, {0x01cd, 0xffff}, {0x01c6, 0x7fff17}, {0, 0},
};

/* ---- any other: architectural events only ---- */

static const struct hw_constraint no_constraints[] = {END};

static cache_table architectural_cache = {
    CACHE(LL) =
	{[READ] = {[ACCESS] = 0x4f2e, [MISS] = 0x412e}}, /* LONGEST_LAT_CACHE.REFERENCE, .MISS */
    CACHE(BPU) = {[READ] = {[ACCESS] = 0x00c4, [MISS] = 0x00c5}},
};

static const struct hw_model core2 = {
    .name = "Core 2",
    .constraints = core2_constraints,
    .cache = core2_cache,
};

static const struct hw_model skylake = {
    .name = "Skylake",
    .constraints = skylake_constraints,
    .cache = skylake_cache,
    .cache_extra = skylake_extra,
    .extra = skylake_registers,
};

static const struct hw_model icelake = {
    .name = "Ice Lake",
    .constraints = icelake_constraints,
    .cache = icelake_cache,
    .cache_extra = skylake_extra,
    .extra = icelake_registers,
    .precise = icelake_pebs_constraints,
};

static const struct hw_model architectural = {
    .name = "architectural",
    .constraints = no_constraints,
    .cache = architectural_cache,
};

static const struct {
	uint32_t number; /* model of family 6 */
	const struct hw_model *model;
} models[] = {
    {0x0f, &core2},   {0x16, &core2},   {0x17, &core2},   {0x1d, &core2},
    {0x4e, &skylake}, {0x5e, &skylake}, {0x55, &skylake}, /* client, client, server */
    {0x8e, &skylake}, {0x9e, &skylake},                   /* Kaby Lake, Coffee Lake */
    {0xa5, &skylake}, {0xa6, &skylake},                   /* Comet Lake */
    {0x7d, &icelake}, {0x7e, &icelake},                   /* Ice Lake client */
    {0x6a, &icelake}, {0x6c, &icelake},                   /* Ice Lake server */
    {0x8c, &icelake}, {0x8d, &icelake}, {0xa7, &icelake}, /* Tiger Lake, Rocket Lake */
};

const struct hw_model *intel_find_model(void)
{
	uint32_t number = cpuid_model();

	if (cpuid_family() == 6)
		for (unsigned i = 0; i < sizeof(models) / sizeof(models[0]); i++)
			if (models[i].number == number)
				return models[i].model;
	return &architectural;
}
