/* SPDX-License-Identifier: BSD-2-Clause */
/* What distinguishes one modelled processor from another: a row of constants. */
#ifndef VISOR_MODEL_PERSONALITY_H
#define VISOR_MODEL_PERSONALITY_H

#include <stdbool.h>
#include <stdint.h>

#define PERSONALITY_NAME_SIZE 16
#define VENDOR_SIZE           13

/* Sets of events in the event table: a processor has one or more. */
enum event_set {
	EVENTS_ARCH = 1 << 0,    /* Intel's architectural events */
	EVENTS_CORE2 = 1 << 1,   /* Core 2, 45 nm */
	EVENTS_SKYLAKE = 1 << 2, /* Skylake client */
	EVENTS_NEHALEM = 1 << 3,
	EVENTS_ICELAKE = 1 << 4, /* Ice Lake client */
};

struct personality {
	char name[PERSONALITY_NAME_SIZE];
	char vendor[VENDOR_SIZE];           /* CPUID leaf 0: EBX, EDX, ECX */
	uint32_t signature;                 /* CPUID leaf 1, EAX: family, model, stepping */
	uint8_t version;                    /* of architectural performance monitoring; 0: no PMU */
	uint8_t general, fixed;             /* counters of each kind */
	uint8_t general_width, fixed_width; /* bits */
	uint8_t arch_events;     /* CPUID leaf 0AH: how many bits of EBX mean something */
	uint32_t missing_events; /* CPUID leaf 0AH, EBX: architectural events that do not exist */
	uint8_t events;          /* enum event_set */
	bool has_capabilities;   /* IA32_PERF_CAPABILITIES exists (CPUID leaf 1, PDCM) */
	uint64_t capabilities;   /* its value */
	bool masks_lvtpc;        /* delivering a PMI sets LVTPC's mask */
};

#endif
