/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Event tables of AMD's processors: the events that stand for Linux's generic and cache events.
 * Sources: the BKDGs of families 10h and 15h, the PPRs of families 17h and 19h; the choice of
 * events is Linux's.
 */
#include <stddef.h>
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/msr.h"
#include "pmu/amd/amd.h"
#include "pmu/hw/cache_table.h"

#define CODE            (EVTSEL_EVENT | EVTSEL_AMD_EVENT)
#define HIGH_CODE(code) FIELD_PUT(EVTSEL_AMD_EVENT, (code) >> 8)
/* One event, in all 12 bits of its code. */
#define EVENT(code, counters)                                                    \
	{                                                                        \
		HIGH_CODE(code) | ((code)&0xff), CODE, counters, 0, HW_ANY_UNITS \
	}
/* A range of the low eight bits, for all high bits. */
#define EVENTS(first, last, counters)                                         \
	{                                                                     \
		first, EVTSEL_EVENT, counters, (last) - (first), HW_ANY_UNITS \
	}
#define UNITS(code, counters, units)           \
	{                                      \
		code, CODE, counters, 0, units \
	}
#define END                   \
	{                     \
		0, 0, 0, 0, 0 \
	}

static const struct hw_constraint no_constraints[] = {END};

/* The events of the northbridge, which its cores share. */
static const struct hw_constraint northbridge[] = {{0xe0, 0xe0, ~0ul, 0, HW_ANY_UNITS}, END};

/* ---- K8 to family 16h ---- */

static cache_table k8_cache = {
    CACHE(L1D) =
	{
	    [READ] = {[ACCESS] = 0x0040, [MISS] = 0x0141},  /* data cache accesses, misses */
	    [FETCH] = {[ACCESS] = 0x0267, [MISS] = 0x0167}, /* prefetches attempted, cancelled */
	},
    CACHE(L1I) =
	{
	    [READ] = {[ACCESS] = 0x0080, [MISS] = 0x0081}, /* instruction fetches, misses */
	    [WRITE] = IMPOSSIBLE,
	    [FETCH] = {[ACCESS] = 0x014b}, /* prefetch instructions: loads */
	},
    CACHE(LL) =
	{
	    [READ] = {[ACCESS] = 0x037d, [MISS] = 0x037e}, /* L2: code and data */
	    [WRITE] = {[ACCESS] = 0x017f},                 /* L2 fills */
	},
    CACHE(DTLB) =
	{
	    [READ] = {[ACCESS] = 0x0040, [MISS] = 0x0746}, /* ..., both levels missed */
	},
    CACHE(ITLB) =
	{
	    [READ] = {[ACCESS] = 0x0080, [MISS] = 0x0385}, /* ..., both levels missed */
	    [WRITE] = IMPOSSIBLE,
	    [FETCH] = IMPOSSIBLE,
	},
    CACHE(BPU) =
	{
	    [READ] = {[ACCESS] = 0x00c2, [MISS] = 0x00c3}, /* retired branches, mispredicted */
	    [WRITE] = IMPOSSIBLE,
	    [FETCH] = IMPOSSIBLE,
	},
    CACHE(NODE) =
	{
	    [READ] = {[ACCESS] = 0xb8e9, [MISS] = 0x98e9}, /* requests to memory: all, remote */
	    [WRITE] = IMPOSSIBLE,
	    [FETCH] = IMPOSSIBLE,
	},
};

#define K8_GENERIC                                                                                \
	[PERF_COUNT_HW_CPU_CYCLES] = 0x0076, [PERF_COUNT_HW_INSTRUCTIONS] = 0x00c0,               \
	[PERF_COUNT_HW_CACHE_REFERENCES] = 0x077d, /* requests to L2 */                           \
	    [PERF_COUNT_HW_CACHE_MISSES] = 0x077e, /* L2 misses */                                \
	    [PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = 0x00c2, [PERF_COUNT_HW_BRANCH_MISSES] = 0x00c3, \
	[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] = 0x00d0,    /* decoder empty */                  \
	    [PERF_COUNT_HW_STALLED_CYCLES_BACKEND] = 0x00d1, /* dispatch stalls */

static const struct amd_model k8 = {
    .events = {.name = "K8",
	       .constraints = no_constraints,
	       .cache = k8_cache,
	       .exclusive = northbridge,
	       .neighbours = HW_PACKAGE},
    .generic = {K8_GENERIC},
};

/* ---- family 15h: each unit of the core reaches some of its six counters ---- */

#define ALL_COUNTERS 0x3f
#define LOW_COUNTERS 0x07
#define FP_COUNTERS  0x38 /* of the floating point unit, which the cores of a module share */

static const struct hw_constraint family15h_constraints[] = {
    UNITS(0x00, 0x08, HW_BOTH_HALVES), /* pipe assignment of both kinds */
    UNITS(0x04, 0x08, HW_SEVERAL_UNITS),
    EVENT(0x003, 0x08),
    EVENT(0x00b, 0x08),
    EVENT(0x00d, 0x08),
    EVENTS(0x00, 0x1f, FP_COUNTERS),
    EVENT(0x023, LOW_COUNTERS),
    EVENT(0x043, LOW_COUNTERS),
    EVENT(0x045, LOW_COUNTERS),
    EVENT(0x046, LOW_COUNTERS),
    EVENT(0x054, LOW_COUNTERS),
    EVENT(0x055, LOW_COUNTERS),
    EVENT(0x02d, 0x08),
    EVENT(0x02e, 0x09),
    UNITS(0x31, HW_NO_COUNTER, HW_SEVERAL_UNITS),
    EVENT(0x031, LOW_COUNTERS),
    EVENT(0x1c0, FP_COUNTERS),
    EVENTS(0x20, 0x5f, ALL_COUNTERS),
    EVENTS(0xc0, 0xcf, ALL_COUNTERS),
    EVENT(0x08f, 0x01),
    EVENT(0x187, 0x01),
    EVENT(0x188, 0x01),
    EVENT(0x0db, ALL_COUNTERS),
    EVENT(0x0dc, ALL_COUNTERS),
    EVENT(0x0dd, ALL_COUNTERS),
    EVENT(0x0de, ALL_COUNTERS),
    EVENT(0x0df, ALL_COUNTERS),
    EVENT(0x1d6, ALL_COUNTERS),
    EVENT(0x1d8, ALL_COUNTERS),
    EVENTS(0x60, 0x9f, LOW_COUNTERS),
    EVENTS(0xd0, 0xdf, LOW_COUNTERS),
    EVENTS(0xa0, 0xff, HW_NO_COUNTER), /* none, and the northbridge, which has its own */
    END,
};

static const struct amd_model family15h = {
    .events = {.name = "family 15h", .constraints = family15h_constraints, .cache = k8_cache},
    .generic = {K8_GENERIC},
};

/* ---- families 17h and later ---- */

static cache_table zen_cache = {
    CACHE(L1D) =
	{
	    [READ] = {[ACCESS] = 0x0040, [MISS] = 0xc860}, /* ..., requests to L2 by misses */
	    [FETCH] = {[ACCESS] = 0xff5a},                 /* hardware prefetch fills */
	},
    CACHE(L1I) =
	{
	    [READ] = {[ACCESS] = 0x0080, [MISS] = 0x0081},
	    [WRITE] = IMPOSSIBLE,
	},
    CACHE(DTLB) =
	{
	    [READ] = {[ACCESS] = 0xff45, [MISS] = 0xf045}, /* L2 TLB accesses, walks */
	},
    CACHE(ITLB) =
	{
	    [READ] = {[ACCESS] = 0x0084, [MISS] = 0xff85}, /* L1 TLB misses: L2 hits, misses */
	    [WRITE] = IMPOSSIBLE,
	    [FETCH] = IMPOSSIBLE,
	},
    CACHE(BPU) =
	{
	    [READ] = {[ACCESS] = 0x00c2, [MISS] = 0x00c3},
	    [WRITE] = IMPOSSIBLE,
	    [FETCH] = IMPOSSIBLE,
	},
    CACHE(NODE) =
	{
	    [WRITE] = IMPOSSIBLE,
	    [FETCH] = IMPOSSIBLE,
	},
};

#define ZEN_GENERIC                                                                 \
	[PERF_COUNT_HW_CPU_CYCLES] = 0x0076, [PERF_COUNT_HW_INSTRUCTIONS] = 0x00c0, \
	[PERF_COUNT_HW_CACHE_REFERENCES] = 0xff60, /* requests to L2 */             \
	    [PERF_COUNT_HW_CACHE_MISSES] = 0x0964, /* L2: code and data */          \
	    [PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = 0x00c2, [PERF_COUNT_HW_BRANCH_MISSES] = 0x00c3

static const struct amd_model zen1 = {
    .events = {.name = "Zen", .constraints = no_constraints, .cache = zen_cache},
    .generic = {ZEN_GENERIC, [PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] = 0x0287, /* fetch stalls:
										  front end */
		[PERF_COUNT_HW_STALLED_CYCLES_BACKEND] = 0x0187},              /* back pressure */
    .pairs = true,
};

#define ZEN2_GENERIC ZEN_GENERIC, [PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] = 0x00a9 /* no ops */

static const struct amd_model zen2 = {
    .events = {.name = "Zen 2", .constraints = no_constraints, .cache = zen_cache},
    .generic = {ZEN2_GENERIC},
    .pairs = true,
};

/* Since Linux 6.9: cycles at the frequency of the first performance state. */
static const struct amd_model zen4 = {
    .events = {.name = "Zen 4", .constraints = no_constraints, .cache = zen_cache},
    .generic = {ZEN2_GENERIC, [PERF_COUNT_HW_REF_CPU_CYCLES] = 0x100000120},
    .pairs = true,
};

const struct amd_processor amd_processors[] = {
    {0x0f, 0x00, "K8: Athlon 64, Opteron", &k8},
    {0x10, 0x00, "Family 10h: Phenom, Opteron", &k8},
    {0x11, 0x00, "Griffin: Turion X2 Ultra", &k8},
    {0x12, 0x00, "Llano: A series", &k8},
    {0x14, 0x00, "Bobcat: C, E, Z series", &k8},
    {0x15, 0x00, "Bulldozer, Piledriver, Steamroller, Excavator", &family15h},
    {0x16, 0x00, "Jaguar, Puma", &k8},
    {0x17, 0x00, "Zen, Zen+", &zen1},
    {0x17, 0x30, "Zen 2", &zen2},
    {0x17, 0x50, "Zen (Dali)", &zen1},
    {0x17, 0x60, "Zen 2", &zen2},
    {0x18, 0x00, "Hygon Dhyana", &zen1},
    {0x19, 0x00, "Zen 3", &zen2},
    {0x19, 0x10, "Zen 4", &zen4},
    {0x19, 0x20, "Zen 3", &zen2},
    {0x19, 0x60, "Zen 4", &zen4},
    {0x1a, 0x00, "Zen 5, and later", &zen4},
};
const unsigned amd_processors_count = sizeof(amd_processors) / sizeof(amd_processors[0]);

/* The last row at or below the processor's numbers applies. */
const struct amd_model *amd_find_model(void)
{
	uint32_t family = cpuid_family(), number = cpuid_model();
	const struct amd_model *found = NULL;

	for (unsigned i = 0; i < amd_processors_count; i++) {
		const struct amd_processor *row = &amd_processors[i];

		if (family > row->family || (family == row->family && number >= row->first))
			found = row->model;
	}
	return found;
}
