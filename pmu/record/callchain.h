/* SPDX-License-Identifier: BSD-2-Clause */
/* Call chains of samples and of stack maps. */
#ifndef PMU_RECORD_CALLCHAIN_H
#define PMU_RECORD_CALLCHAIN_H

#include "pmu/base/event.h"

/* Makes room for call chains of `frames` frames, or the most that a record holds, on every
 * processor. Returns 0 or -ENOMEM. Context: task, or start. */
int callchain_reserve(uint32_t frames);
/* Collects return addresses with PERF_CONTEXT_ markers. Returns their number; *chain points at
 * them. */
uint32_t callchain_collect(const struct perf_event *event, const struct frame *frame,
			   const uint64_t **chain);
/* Collects the return addresses of the current task's ring 3, behind its marker. Context:
 * interrupts masked, while there are events with call chains. */
uint32_t callchain_of_user(const uint64_t **chain);

#endif
