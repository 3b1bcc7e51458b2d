/* SPDX-License-Identifier: BSD-2-Clause */
/* The interface of trace/: start-up. */
#ifndef TRACE_TRACE_H
#define TRACE_TRACE_H

/* Registers trace events with perf_event_open(2) and tracefs. Context: start, after pmu_init(). */
void trace_init(void);

#endif
