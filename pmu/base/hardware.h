/* SPDX-License-Identifier: BSD-2-Clause */
/* The PMUs of the processors, and which of them can count an event. */
#ifndef PMU_HARDWARE_H
#define PMU_HARDWARE_H

#include "arch/x86/cpu/percpu.h"
#include "pmu/base/context.h"
#include "pmu/base/event.h"

/* The processors' PMU, set once by hardware_init(); NULL: there is none. On a hybrid machine it
 * stands for any kind: operations without an event do what this processor needs. */
extern const struct pmu *hardware_pmu;
/* All hardware PMUs, ended by NULL. */
#define HARDWARE_PMUS 3
extern const struct pmu *hardware_pmus[HARDWARE_PMUS];

/* True on hybrid machines. Constant after hardware_init(). */
extern bool hardware_differs;

/* True when the PMUs of the event's group can count here. */
bool event_group_is_here(const struct perf_event *event);

/* True when the event may count on this processor. */
static inline bool event_matches_cpu(const struct perf_event *event)
{
	return (event->cpu == -1 || event->cpu == (int)this_cpu_read(id)) &&
	       (!hardware_differs || event_group_is_here(event));
}

#endif
