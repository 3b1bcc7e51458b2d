/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Macros for event tables of Intel's processors: the counters of an event, and the events that
 * stand for Linux's generic ones. Sources: SDM volume 3 and Intel's event lists; the choice of
 * events is Linux's.
 */
#ifndef PMU_INTEL_TABLES_H
#define PMU_INTEL_TABLES_H

#include "arch/x86/cpu/msr.h"
#include "pmu/hw/cache_table.h"
#include "pmu/intel/intel.h"

/* Constraints: for all events of a range, for an event with any unit mask, for one event. */
#define EVENTS(first, last, counters)                                         \
	{                                                                     \
		first, EVTSEL_EVENT, counters, (last) - (first), HW_ANY_UNITS \
	}
#define EVENT(code, counters) EVENTS(code, code, counters)
#define UEVENT(code, counters)                                               \
	{                                                                    \
		code, EVTSEL_EVENT | EVTSEL_UMASK, counters, 0, HW_ANY_UNITS \
	}
#define END                   \
	{                     \
		0, 0, 0, 0, 0 \
	}
#define FIXED(i) BIT(GLOBAL_FIXED0 + (i))

/* Rows of cache tables: code is only read, translations and predictions only looked up. */
#define ROW(access, miss)                        \
	{                                        \
		[ACCESS] = access, [MISS] = miss \
	}
#define CODE_CACHE(access, miss)                                 \
	{                                                        \
		[READ] = ROW(access, miss), [WRITE] = IMPOSSIBLE \
	}
#define LOOKED_UP(access, miss)                                                        \
	{                                                                              \
		[READ] = ROW(access, miss), [WRITE] = IMPOSSIBLE, [FETCH] = IMPOSSIBLE \
	}
#define OFFCORE ROW(0x01b7, 0x01b7) /* OFFCORE_RESPONSE, by its register */

/* OFFCORE_RESPONSE's bit for a request with any response. */
#define ANY_RESPONSE BIT(16)

/* Precise events that count every cycle: cycles in which fewer than 16 instructions or
 * micro-operations retire. */
#define NEVER_SO_MANY                (EVTSEL_INVERT | FIELD_PUT(EVTSEL_CMASK, 16))
#define INTEL_CYCLES_BY_INSTRUCTIONS (0x00c0 | NEVER_SO_MANY) /* INST_RETIRED */
#define INTEL_CYCLES_BY_UOPS         (0x01c2 | NEVER_SO_MANY) /* UOPS_RETIRED.ALL */
#define INTEL_CYCLES_BY_DISTRIBUTION (0x01c0 | NEVER_SO_MANY) /* INST_RETIRED.PREC_DIST */

/* intel_precise.c: of each family of processors with PEBS before format 4. */
extern const struct hw_constraint intel_precise_core2[], intel_precise_nehalem[],
    intel_precise_westmere[], intel_precise_sandy_bridge[], intel_precise_ivy_bridge[],
    intel_precise_haswell[], intel_precise_skylake[], intel_precise_bonnell[],
    intel_precise_silvermont[], intel_precise_goldmont[], intel_precise_goldmont_plus[];

/* Formats of branch records that a model chooses: intel_lbr.c. */
extern const struct lbr_format intel_lbr_bonnell, intel_lbr_silvermont, intel_lbr_knights,
    intel_lbr_sandy_bridge;

/* intel_core.c, intel_sandy.c, intel_sky.c, intel_cove.c, intel_atom.c */
extern const struct intel_model intel_core, intel_merom, intel_core2, intel_nehalem, intel_westmere;
extern const struct intel_model intel_sandy_bridge, intel_sandy_bridge_x, intel_ivy_bridge,
    intel_ivy_bridge_x, intel_haswell, intel_broadwell;
extern const struct intel_model intel_skylake, intel_ice_lake;
extern const struct intel_model intel_golden_cove, intel_redwood_cove, intel_lion_cove;
extern const struct intel_model intel_bonnell, intel_silvermont, intel_knights, intel_goldmont,
    intel_goldmont_plus, intel_tremont, intel_gracemont, intel_crestmont, intel_skymont;

#endif
