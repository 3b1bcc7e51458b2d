/* SPDX-License-Identifier: BSD-2-Clause */
/* The driver of Intel's architectural performance monitoring: what its files share. SDM volume 3,
 * "Performance Monitoring". */
#ifndef PMU_INTEL_H
#define PMU_INTEL_H

#include <stdbool.h>
#include <stdint.h>
#include "pmu/hw.h"

#define INTEL_MAX_FIXED   16

/* Codes of event and unit mask. Fixed counter 2 has no code of its own: Linux's stands for it. */
#define INTEL_REF_CYCLES 0x0300

/* What was discovered beside hw_caps; constant after intel_init(). */
struct intel_caps {
	uint32_t version;
	bool offcore; /* the OFFCORE_RSP registers work */
};
extern struct intel_caps intel_caps;

/* ---- intel_events.c ---- */

/* The model that the processor is, or the architectural one. */
const struct hw_model *intel_find_model(void);
/* struct hw_vendor's. */
int intel_configure(struct perf_event *event);
int intel_check_period(const struct perf_event *event, uint64_t period);

/* ---- intel_offcore.c: events that need an OFFCORE_RSP register: struct hw_vendor's ---- */

bool intel_extra_take(struct hw_cpu *cpu, struct hw_event *hw);
void intel_extra_drop(struct hw_cpu *cpu, struct hw_event *hw);
uint64_t intel_extra_select(const struct hw_event *hw);

/* ---- intel.c ---- */

/* Discovers the PMU on the first processor, fills hw_caps; false when there is none that works.
 * Context: start. */
bool intel_init(void);

#endif
