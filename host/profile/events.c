/* SPDX-License-Identifier: BSD-2-Clause */
/* One table of events, with perf's names and numbers (Linux: include/uapi/linux/perf_event.h). */
#include "host/profile/events.h"

#include <stddef.h>
#include <string.h>

#include "abi/core_quantities.h"
#include "abi/linux/perf_event.h"

#define MANY 1000003 /* primes, so that no loop hides from a sample */
#define SOME 100003
#define RARE 1009

#define CACHE(cache, op, result)                                          \
	(PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_##op << 8 | \
	 PERF_COUNT_HW_CACHE_RESULT_##result << 16)

#define HARDWARE(name, number, period, ...)                               \
	{                                                                 \
		name, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##number, period, \
		{                                                         \
			__VA_ARGS__                                       \
		}                                                         \
	}
#define CACHED(name, number, period, ...)                 \
	{                                                 \
		name, PERF_TYPE_HW_CACHE, number, period, \
		{                                         \
			__VA_ARGS__                       \
		}                                         \
	}

/* clang-format off */
static const struct boot_event rows[] = {
    HARDWARE("cycles", CPU_CYCLES, MANY, CORE_CYCLES),
    HARDWARE("instructions", INSTRUCTIONS, MANY, CORE_INSTRUCTIONS),
    HARDWARE("branches", BRANCH_INSTRUCTIONS, SOME, CORE_BRANCHES),
    HARDWARE("branch-misses", BRANCH_MISSES, RARE, CORE_MISPREDICTED),
    HARDWARE("cache-references", CACHE_REFERENCES, RARE, CORE_LAST_REQUESTS),
    HARDWARE("cache-misses", CACHE_MISSES, RARE, CORE_LAST_MISSES),
    CACHED("L1-dcache-loads", CACHE(L1D, READ, ACCESS), SOME, CORE_L1D_LOADS),
    CACHED("L1-dcache-load-misses", CACHE(L1D, READ, MISS), RARE, CORE_L1D_LOAD_MISSES),
    CACHED("L1-icache-load-misses", CACHE(L1I, READ, MISS), RARE, CORE_L1I_MISSES),
    CACHED("LLC-load-misses", CACHE(LL, READ, MISS), RARE, CORE_LAST_LOAD_MISSES),
    CACHED("dTLB-load-misses", CACHE(DTLB, READ, MISS), RARE, CORE_DTLB_LOAD_WALKS),
    CACHED("iTLB-load-misses", CACHE(ITLB, READ, MISS), RARE, CORE_ITLB_WALKS),
};
/* clang-format on */

const struct boot_event *boot_event_at(unsigned n)
{
	return n < sizeof(rows) / sizeof(rows[0]) ? &rows[n] : NULL;
}

const struct boot_event *boot_event_find(const char *name)
{
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(rows[i].name, name))
			return &rows[i];
	return NULL;
}

bool boot_event_is_light(const struct boot_event *event)
{
	return event->terms[0] == CORE_INSTRUCTIONS;
}
