/* SPDX-License-Identifier: BSD-2-Clause */
/* Breakpoints: events that count how often an address is read, written or executed. */
#ifndef PMU_BREAKPOINT_H
#define PMU_BREAKPOINT_H

#include "pmu/base/cpu.h"

/*
 * PERF_EVENT_IOC_MODIFY_ATTRIBUTES: the breakpoint, and the ones inherited from it, get the
 * address, length, type and `disabled` of `attr`. Returns 0, or -errno with nothing changed:
 * -EINVAL if `attr` differs elsewhere, or an error of a new breakpoint. Context: task.
 */
int breakpoint_modify(struct perf_event *event, const struct perf_event_attr *attr);

/* The debug registers of a tracee, as its tracer wrote them: watch.c. */
struct watch {
	uint64_t status, control;               /* DR6, DR7 */
	struct perf_event *events[DEBUG_SLOTS]; /* NULL: never written */
};

/* Handles PTRACE_PEEKUSER of debug register `number` of a stopped tracee. Context: task. */
uint64_t watch_get(const struct task *task, unsigned number);
/* Handles PTRACE_POKEUSER. Returns 0, or -EIO (no such register), -EINVAL (invalid address or
 * control), -ENOSPC or -ENOMEM without any change. Context: task. */
int watch_set(struct task *task, unsigned number, uint64_t value);
/* Drops the watches of a task that exits or executes a program. Context: task. */
void watch_drop(struct task *task);
/* Reports a #DB of ring 3 in the tracee's DR6; `status` is the processor's. Returns `status`
 * without the slots that are not the tracer's. Context: interrupts masked. */
uint64_t watch_hit(struct watch *watch, uint64_t status);

/* Returns the event of the debug register; NULL: none. A register may still hold the address of a
 * task that was switched out. Context: interrupts masked. */
struct perf_event *breakpoint_of_slot(unsigned slot);

/* Handles hits of debug registers: `status` is DR6. Returns the bits that are not breakpoints', and
 * the tracer's. Context: interrupts masked, in ring 0 at any instruction (as an NMI). */
uint64_t breakpoints_hit(struct frame *frame, uint64_t status);

#endif
