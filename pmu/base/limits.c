/* SPDX-License-Identifier: BSD-2-Clause */
/* The limits of /proc/sys/kernel/perf_event_*. */
#include "kernel/task/task.h"
#include "pmu/base/limits.h"

struct perf_limits perf_limits = {
    .paranoid = 2,
    .sample_rate = USUAL_SAMPLE_RATE,
    .mlock_kb = 516,
    .max_stack = CALLCHAIN_USUAL,
    .max_contexts = 8,
    .cpu_percent = USUAL_CPU_PERCENT,
};

uint32_t nr_callchain_events, nr_build_id_events;

bool perf_privileged(void)
{
	return capable(CAP_PERFMON) || capable(CAP_SYS_ADMIN);
}
