/* SPDX-License-Identifier: BSD-2-Clause */
/* Macros for tables of generic cache events. */
#ifndef PMU_CACHE_TABLE_H
#define PMU_CACHE_TABLE_H

#include "pmu/hw/hw.h"

#define ACCESS      PERF_COUNT_HW_CACHE_RESULT_ACCESS
#define MISS        PERF_COUNT_HW_CACHE_RESULT_MISS
#define READ        PERF_COUNT_HW_CACHE_OP_READ
#define WRITE       PERF_COUNT_HW_CACHE_OP_WRITE
#define FETCH       PERF_COUNT_HW_CACHE_OP_PREFETCH
#define CACHE(name) [PERF_COUNT_HW_CACHE_##name]
#define IMPOSSIBLE                           \
	{                                    \
		EVENT_INVALID, EVENT_INVALID \
	}

typedef const uint64_t cache_table[PERF_COUNT_HW_CACHE_MAX][PERF_COUNT_HW_CACHE_OP_MAX]
				  [PERF_COUNT_HW_CACHE_RESULT_MAX];

#endif
