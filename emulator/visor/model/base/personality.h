/* SPDX-License-Identifier: BSD-2-Clause */
/* The differences between modelled processors: a row of constants each. */
#ifndef VISOR_MODEL_PERSONALITY_H
#define VISOR_MODEL_PERSONALITY_H

#include <stdbool.h>
#include <stdint.h>

struct model;
struct vendor;

#define PERSONALITY_NAME_SIZE 16

/* Sets of events in a vendor's event table: a processor has one or more. */
enum event_set {
	EVENTS_ARCH = 1 << 0,    /* Intel's architectural events */
	EVENTS_CORE2 = 1 << 1,   /* Core 2, 45 nm */
	EVENTS_SKYLAKE = 1 << 2, /* Skylake client */
	EVENTS_NEHALEM = 1 << 3,
	EVENTS_GOLDEN_COVE = 1 << 4, /* Sapphire Rapids, Alder Lake */
	EVENTS_GRACEMONT = 1 << 5,   /* efficient cores of Alder Lake */
	EVENTS_SANDY_BRIDGE = 1 << 6,
	EVENTS_HASWELL = 1 << 7,
	EVENTS_ICE_LAKE = 1 << 8,
	EVENTS_LION_COVE = 1 << 9,   /* performance cores of Lunar Lake */
	EVENTS_SKYMONT = 1 << 10,    /* its efficient cores */
	EVENTS_AMD = 1 << 16,        /* all of AMD's */
	EVENTS_FAM10H = 1 << 17,     /* AMD family 10h */
	EVENTS_ZEN2 = 1 << 18,       /* from Zen 2 on */
	EVENTS_ZEN4 = 1 << 19,       /* from Zen 4 on */
	EVENTS_ZEN4_ALONE = 1 << 20, /* not Zen 5 */
};

/* Features of a processor besides its PMU version; registers and bits may depend on them. */
enum feature {
	FEATURE_CAPABILITIES = 1 << 0, /* IA32_PERF_CAPABILITIES (CPUID leaf 1, PDCM) */
	FEATURE_FW_WRITE = 1 << 1,     /* IA32_A_PMCx (IA32_PERF_CAPABILITIES) */
	FEATURE_OFFCORE = 1 << 2,      /* MSR_OFFCORE_RSP_x */
	FEATURE_PEBS = 1 << 3,         /* PEBS on counter 0, and a debug store for it */
	FEATURE_METRICS = 1 << 4,      /* MSR_PERF_METRICS */
	FEATURE_CORE = 1 << 5,     /* AMD's core counters (CPUID leaf 80000001H, PerfCtrExtCore) */
	FEATURE_FRONTEND = 1 << 6, /* MSR_PEBS_FRONTEND */
	FEATURE_HYBRID = 1 << 7,   /* processors differ (CPUID leaf 7, HYBRID; leaf 1AH) */
	FEATURE_CRYSTAL = 1 << 8,  /* CPUID leaf 15H */
	FEATURE_IBS = 1 << 9,      /* instruction-based sampling as family 10h has it: ibs.h */
	FEATURE_IBS_EXTENDED = 1 << 10, /* as family 17h */
	FEATURE_IBS_L3_MISS = 1 << 11,  /* as Zen 4: filters for misses in the last level */
	FEATURE_IBS_STICKY = 1 << 12,   /* the count of fetches changes only when it is enabled */

	/* PEBS beyond that of counter 0: of formats 1 to 3, on counters 0 to 3 and with load
	 * latency; of format 4, on all counters and with adaptive records */
	FEATURE_PEBS_FOUR = 1 << 14,
	FEATURE_PEBS_ADAPTIVE = 1 << 15,

	/* Last branch records: lbr.h */
	FEATURE_LBR_RING = 1 << 16, /* in a ring: LBR_SELECT, TOS, FROM, TO */
	FEATURE_LBR_INFO = 1 << 17, /* with LBR_INFO, and as stacks of calls */
	FEATURE_LBR_ARCH = 1 << 18, /* architectural */
	FEATURE_LBR_AMD = 1 << 19,  /* AMD's LbrExtV2 */
	FEATURE_LBR_CORE = 1 << 22, /* four in a ring, without a filter: TOS, FROM, TO */
	FEATURE_LBR_TSX = 1 << 25,  /* the ring's with flags of transactions, and as stacks */

	FEATURE_PT = 1 << 20,   /* Processor Trace: pt.h */
	FEATURE_RAPL = 1 << 23, /* energy counters: energy.h */
	FEATURE_C1 = 1 << 24,   /* time in C1: MSR_CORE_C1_RES */
	/* IA32_ARCH_CAPABILITIES: loads do not leak what page tables protect */
	FEATURE_IMMUNE = 1 << 26,
	FEATURE_IBS_LATENCY = 1 << 27, /* as Zen 5: a filter for slow loads */
	FEATURE_PTWRITE = 1 << 28,     /* PTWRITE, and packets of it */
};

struct personality {
	char name[PERSONALITY_NAME_SIZE];
	const char *alias;     /* a former name, which may still be used. NULL: none */
	const char *processor; /* the one that it looks like */
	uint16_t year;         /* since when that is sold */
	const char *core;      /* the simulated core that it has. NULL: none */
	bool stand_in;         /* that core is another processor's, as it has none of its own */
	/* libpfm4's name of it, and of a processor with the same events where the library does
	 * not know it. NULL: none */
	const char *library, *library_instead;
	const struct vendor *vendor;
	uint32_t signature; /* CPUID leaf 1, EAX: family, model, stepping */
	uint32_t microcode; /* revision in MSR 8BH; 0: QEMU's */
	uint8_t version;    /* of performance monitoring; 0: no PMU; from 2 on: global registers */
	uint8_t general, fixed;             /* counters of each kind */
	uint8_t general_width, fixed_width; /* bits */
	uint8_t arch_events;     /* CPUID leaf 0AH: how many bits of EBX mean something */
	uint32_t missing_events; /* CPUID leaf 0AH, EBX: architectural events that do not exist */
	uint32_t events;         /* enum event_set */
	uint32_t features;       /* enum feature */
	uint64_t capabilities;   /* IA32_PERF_CAPABILITIES */
	uint32_t pmi_delay;      /* instructions from a wrap to its PMI */
	uint8_t ibs_lvt;         /* entry of the extended LVT that IBS interrupts by */
	uint32_t core_type; /* CPUID leaf 1AH: kind of core and native model. 0: no such leaf */
	/* The personality of the second half of several processors. NULL: all are alike */
	const struct personality *efficient;
	bool masks_lvtpc;                    /* delivering a PMI sets LVTPC's mask */
	void (*freeze)(struct model *model); /* freezes on a PMI, if enabled. NULL: nothing */
};

#endif
