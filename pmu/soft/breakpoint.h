/* SPDX-License-Identifier: BSD-2-Clause */
/* Breakpoints: events that count how often an address is read, written or executed. */
#ifndef PMU_BREAKPOINT_H
#define PMU_BREAKPOINT_H

#include "pmu/core/cpu.h"

/*
 * PERF_EVENT_IOC_MODIFY_ATTRIBUTES: the breakpoint, and what was inherited from it, watches what
 * `attr` says, and counts unless that is disabled. 0, or -errno and nothing changed: -EINVAL when
 * `attr` differs elsewhere, or as of a new one. Context: task.
 */
int breakpoint_modify(struct perf_event *event, const struct perf_event_attr *attr);

/* Debug registers were hit: `status` is DR6. Returns the bits that are none of theirs. Context:
 * interrupts masked, in ring 0 at any instruction (as an NMI). */
uint64_t breakpoints_hit(struct frame *frame, uint64_t status);

#endif
