/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Event tables of AMD's processors: the events that stand for Linux's generic and cache events.
 * Sources: the BKDG of family 10h, the PPRs of families 17h and 19h; the choice of events is
 * Linux's.
 */
#include <stddef.h>
#include "arch/x86/cpu/cpuid.h"
#include "pmu/amd/amd.h"
#include "pmu/hw/cache_table.h"

static const struct hw_constraint no_constraints[] = {{0, 0, 0, 0}};

/* ---- K7 to family 16h ---- */

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

static const struct amd_model k8 = {
    {.name = "K8", .constraints = no_constraints, .cache = k8_cache},
    {
	[PERF_COUNT_HW_CPU_CYCLES] = 0x0076,
	[PERF_COUNT_HW_INSTRUCTIONS] = 0x00c0,
	[PERF_COUNT_HW_CACHE_REFERENCES] = 0x077d, /* requests to L2 */
	[PERF_COUNT_HW_CACHE_MISSES] = 0x077e,     /* L2 misses */
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = 0x00c2,
	[PERF_COUNT_HW_BRANCH_MISSES] = 0x00c3,
	[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] = 0x00d0, /* decoder empty */
	[PERF_COUNT_HW_STALLED_CYCLES_BACKEND] = 0x00d1,  /* dispatch stalls */
    },
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
    {.name = "Zen", .constraints = no_constraints, .cache = zen_cache},
    {
	ZEN_GENERIC, [PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] = 0x0287, /* fetch stalls: front end */
	[PERF_COUNT_HW_STALLED_CYCLES_BACKEND] = 0x0187,               /* back pressure */
    },
};

static const struct amd_model zen2 = {
    {.name = "Zen 2", .constraints = no_constraints, .cache = zen_cache},
    {
	ZEN_GENERIC, [PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] = 0x00a9, /* op queue empty */
    },
};

/* Families and their models in ascending order; the last row at or below the processor's
 * applies. */
static const struct {
	uint16_t family;
	uint8_t model;
	const struct amd_model *events;
} models[] = {
    {0x06, 0x00, &k8},   {0x17, 0x00, &zen1}, {0x17, 0x30, &zen2}, {0x17, 0x50, &zen1},
    {0x17, 0x60, &zen2}, {0x18, 0x00, &zen1}, {0x19, 0x00, &zen2},
};

const struct amd_model *amd_find_model(void)
{
	uint32_t family = cpuid_family(), number = cpuid_model();
	const struct amd_model *found = NULL;

	for (unsigned i = 0; i < sizeof(models) / sizeof(models[0]); i++)
		if (family > models[i].family ||
		    (family == models[i].family && number >= models[i].model))
			found = models[i].events;
	return found;
}
