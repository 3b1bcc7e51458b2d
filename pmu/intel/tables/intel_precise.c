/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The events that make PEBS records of formats 0 to 3, and their counters. SDM volume 3, the tables
 * of precise events of each microarchitecture; the selection, and the events that replace cycles,
 * are Linux's.
 */
#include "pmu/intel/tables/intel_tables.h"

/* Fields beside the code that must be as a row has them. */
#define FIELDS (EVTSEL_EDGE | EVTSEL_INVERT | EVTSEL_CMASK | EVTSEL_ANY)

/* One event; an event with any unit mask; any event with none of these fields. */
#define PRECISE(code, counters)                                                       \
	{                                                                             \
		code, EVTSEL_EVENT | EVTSEL_UMASK | FIELDS, counters, 0, HW_ANY_UNITS \
	}
#define PRECISE_EVENTS(first, last, counters)                                          \
	{                                                                              \
		first, EVTSEL_EVENT | FIELDS, counters, (last) - (first), HW_ANY_UNITS \
	}
#define PRECISE_EVENT(code, counters) PRECISE_EVENTS(code, code, counters)
#define ANY_EVENT(counters)                          \
	{                                            \
		0, FIELDS, counters, 0, HW_ANY_UNITS \
	}

const struct hw_constraint intel_precise_core2[] = {
    PRECISE(0x00c0, 0x1),     /* INST_RETIRED.ANY_P */
    PRECISE(0xfec1, 0x1),     /* X87_OPS_RETIRED.ANY */
    PRECISE(0x00c5, 0x1),     /* BR_INST_RETIRED.MISPRED */
    PRECISE(0x1fc7, 0x1),     /* SIMD_INST_RETIRED.ANY */
    PRECISE_EVENT(0xcb, 0x1), /* MEM_LOAD_RETIRED */
    PRECISE(INTEL_CYCLES_BY_INSTRUCTIONS, 0x1),
    END,
};

const struct hw_constraint intel_precise_bonnell[] = {
    PRECISE(0x00c0, 0x1),     /* INST_RETIRED.ANY_P */
    PRECISE(0x00c5, 0x1),     /* BR_INST_RETIRED.MISPRED */
    PRECISE_EVENT(0xcb, 0x1), /* MEM_LOAD_RETIRED */
    PRECISE(INTEL_CYCLES_BY_INSTRUCTIONS, 0x1),
    ANY_EVENT(0x1),
    END,
};

const struct hw_constraint intel_precise_silvermont[] = {
    PRECISE(INTEL_CYCLES_BY_INSTRUCTIONS, 0x1),
    ANY_EVENT(0x1),
    END,
};

const struct hw_constraint intel_precise_goldmont[] = {ANY_EVENT(0x1), END};
const struct hw_constraint intel_precise_goldmont_plus[] = {ANY_EVENT(0xf), END};

/* Westmere has all mispredicted branches, Nehalem only mispredicted calls. */
#define NEHALEM_PRECISE(mispredicted)                                                        \
	{                                                                                    \
		PRECISE(0x100b, 0xf),         /* MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD */ \
		    PRECISE_EVENT(0x0f, 0xf), /* MEM_UNCORE_RETIRED */                       \
		    PRECISE(0x010c, 0xf),     /* MEM_STORE_RETIRED.DTLB_MISS */              \
		    PRECISE_EVENT(0xc0, 0xf), /* INST_RETIRED */                             \
		    EVENT(0xc2, 0xf),         /* UOPS_RETIRED, with any field */             \
		    PRECISE_EVENT(0xc4, 0xf), /* BR_INST_RETIRED */                          \
		    mispredicted, PRECISE_EVENT(0xc7, 0xf), /* SSEX_UOPS_RETIRED */          \
		    PRECISE(0x20c8, 0xf),                   /* ITLB_MISS_RETIRED */          \
		    PRECISE_EVENT(0xcb, 0xf),               /* MEM_LOAD_RETIRED */           \
		    PRECISE_EVENT(0xf7, 0xf),               /* FP_ASSIST */                  \
		    PRECISE(INTEL_CYCLES_BY_INSTRUCTIONS, 0xf), END,                         \
	}

const struct hw_constraint intel_precise_nehalem[] = NEHALEM_PRECISE(PRECISE(0x02c5, 0xf));
const struct hw_constraint intel_precise_westmere[] = NEHALEM_PRECISE(PRECISE_EVENT(0xc5, 0xf));

#define MEMORY_EVENTS EVENT(0xd0, 0xf), EVENT(0xd1, 0xf), EVENT(0xd2, 0xf), EVENT(0xd3, 0xf)

const struct hw_constraint intel_precise_sandy_bridge[] = {
    PRECISE(0x01c0, 0x2), /* INST_RETIRED.PREC_DIST */
    PRECISE(0x01cd, 0x8), /* MEM_TRANS_RETIRED.LOAD_LATENCY */
    PRECISE(0x02cd, 0x8), /* .PRECISE_STORE */
    PRECISE(INTEL_CYCLES_BY_UOPS, 0xf),
    MEMORY_EVENTS,
    ANY_EVENT(0xf),
    END,
};

const struct hw_constraint intel_precise_ivy_bridge[] = {
    PRECISE(0x01c0, 0x2), /* INST_RETIRED.PREC_DIST */
    PRECISE(0x01cd, 0x8), /* MEM_TRANS_RETIRED.LOAD_LATENCY */
    PRECISE(0x02cd, 0x8), /* .PRECISE_STORE */
    PRECISE(INTEL_CYCLES_BY_UOPS, 0xf),
    PRECISE(INTEL_CYCLES_BY_DISTRIBUTION, 0x2),
    MEMORY_EVENTS,
    ANY_EVENT(0xf),
    END,
};

const struct hw_constraint intel_precise_haswell[] = {
    PRECISE(0x01c0, 0x2), /* INST_RETIRED.PREC_DIST */
    PRECISE(INTEL_CYCLES_BY_UOPS, 0xf),
    PRECISE(INTEL_CYCLES_BY_DISTRIBUTION, 0x2),
    ANY_EVENT(0xf),
    END,
};

const struct hw_constraint intel_precise_skylake[] = {
    PRECISE(0x01c0, 0x2), /* INST_RETIRED.PREC_DIST */
    PRECISE(INTEL_CYCLES_BY_DISTRIBUTION, 0x2),
    PRECISE(INTEL_CYCLES_BY_INSTRUCTIONS, 0xf),
    ANY_EVENT(0xf),
    END,
};
