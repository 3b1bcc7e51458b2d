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

#define EVENT(code, counters)                \
	{                                    \
		code, EVTSEL_EVENT, counters \
	}
#define UEVENT(code, counters)                              \
	{                                                   \
		code, EVTSEL_EVENT | EVTSEL_UMASK, counters \
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
    {0, 0, 0},
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
    {0, 0, 0},
};

#define OFFCORE                                    \
	{                                          \
		[ACCESS] = 0x01b7, [MISS] = 0x01b7 \
	} /* OFFCORE_RESPONSE */

static cache_table skylake_cache = {
    CACHE(L1D) =
	{
	    [READ] = {[ACCESS] = 0x81d0, [MISS] = 0x0151}, /* MEM_INST_RETIRED.ALL_LOADS,
							      L1D.REPLACEMENT */
	    [WRITE] = {[ACCESS] = 0x82d0},                 /* MEM_INST_RETIRED.ALL_STORES */
	},
    CACHE(L1I) =
	{
	    [READ] = {[MISS] = 0x0283}, /* ICACHE_64B.IFTAG_MISS */
	    [WRITE] = IMPOSSIBLE,
	},
    CACHE(LL) =
	{
	    [READ] = OFFCORE,
	    [WRITE] = OFFCORE,
	},
    CACHE(DTLB) =
	{
	    [READ] =
		{[ACCESS] = 0x81d0, [MISS] = 0x0e08}, /* ..., DTLB_LOAD_MISSES.WALK_COMPLETED */
	    [WRITE] =
		{[ACCESS] = 0x82d0, [MISS] = 0x0e49}, /* ..., DTLB_STORE_MISSES.WALK_COMPLETED */
	},
    CACHE(ITLB) =
	{
	    [READ] =
		{[ACCESS] = 0x2085, [MISS] = 0x0e85}, /* ITLB_MISSES.STLB_HIT, .WALK_COMPLETED */
	    [WRITE] = IMPOSSIBLE,
	    [FETCH] = IMPOSSIBLE,
	},
    CACHE(BPU) =
	{
	    [READ] = {[ACCESS] = 0x00c4, [MISS] = 0x00c5}, /* BR_INST_RETIRED,
							      BR_MISP_RETIRED.ALL_BRANCHES */
	    [WRITE] = IMPOSSIBLE,
	    [FETCH] = IMPOSSIBLE,
	},
    CACHE(NODE) =
	{
	    [READ] = OFFCORE,
	    [WRITE] = OFFCORE,
	},
};

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

/* ---- any other: architectural events only ---- */

static const struct hw_constraint no_constraints[] = {{0, 0, 0}};

static cache_table architectural_cache = {
    CACHE(LL) =
	{[READ] = {[ACCESS] = 0x4f2e, [MISS] = 0x412e}}, /* LONGEST_LAT_CACHE.REFERENCE, .MISS */
    CACHE(BPU) = {[READ] = {[ACCESS] = 0x00c4, [MISS] = 0x00c5}},
};

static const struct hw_model core2 = {"Core 2", core2_constraints, core2_cache, NULL};
static const struct hw_model skylake = {"Skylake", skylake_constraints, skylake_cache,
					skylake_extra};
static const struct hw_model architectural = {"architectural", no_constraints, architectural_cache,
					      NULL};

static const struct {
	uint32_t number; /* model of family 6 */
	const struct hw_model *model;
} models[] = {
    {0x0f, &core2},   {0x16, &core2},   {0x17, &core2},   {0x1d, &core2},
    {0x4e, &skylake}, {0x5e, &skylake}, {0x55, &skylake}, /* client, client, server */
    {0x8e, &skylake}, {0x9e, &skylake},                   /* Kaby Lake, Coffee Lake */
    {0xa5, &skylake}, {0xa6, &skylake},                   /* Comet Lake */
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
