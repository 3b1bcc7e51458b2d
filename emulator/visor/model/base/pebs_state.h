/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Precise event-based sampling: a counter that wraps arms, the next instruction that it counts
 * becomes a record in the guest's debug store, of the format that PERF_CAPABILITIES names. Source:
 * Intel SDM vol. 3, "Processor Event Based Sampling (PEBS) Facility", "Adaptive PEBS".
 */
#ifndef VISOR_MODEL_PEBS_STATE_H
#define VISOR_MODEL_PEBS_STATE_H

#include <stdbool.h>
#include <stdint.h>

/* Counters are bits as in IA32_PERF_GLOBAL_CTRL. */
struct pebs {
	uint64_t enable;     /* IA32_PEBS_ENABLE */
	uint64_t counters;   /* the enabled ones whose events make records: pebs_choose() */
	uint64_t config;     /* MSR_PEBS_DATA_CFG */
	uint64_t ds_area;    /* IA32_DS_AREA */
	uint64_t load_limit; /* MSR_PEBS_LD_LAT: loads that take at least so long */
	uint64_t frontend;   /* MSR_PEBS_FRONTEND */
	uint64_t armed;      /* counters that wrapped */
	uint64_t ready;      /* those whose next instruction has retired */
	uint32_t sought;     /* instructions since one was armed */
	uint32_t records;    /* written so far: what the modelled memory access depends on */
};

#endif
