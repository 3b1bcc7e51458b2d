/* SPDX-License-Identifier: BSD-2-Clause */
/* PEBS of the Intel driver: precise samples, which the processor writes into a debug store. SDM
 * volume 3, "Processor Event Based Sampling (PEBS) Facility". */
#ifndef PMU_INTEL_DS_H
#define PMU_INTEL_DS_H

#include <stdbool.h>
#include <stdint.h>

struct frame;
struct hw_cpu;
struct hw_kind;
struct perf_event;

/* Finds PEBS, of formats 0 to 3 on the models whose precise events are known, and the branch trace
 * store; gives the processors of this kind their debug stores, and sets intel_kind.pebs and .bts.
 * Context: start. */
void intel_ds_discover(uint64_t capabilities);
/* Sets this processor's debug store. Context: start, on that processor. */
void intel_ds_start(void);

/* Returns the highest precise_ip of events; 0: there is no PEBS. */
unsigned intel_ds_max_precise(const struct hw_kind *kind);
/* Checks a precise event, and sets the parts of its records: 0, -EOPNOTSUPP or -EINVAL. Context:
 * task. */
int intel_ds_configure(struct perf_event *event);
/* As intel_ds_configure(), once the event's code is set: replaces cycles by a precise event. */
void intel_ds_choose(struct perf_event *event);
extern const struct hw_records intel_ds;

#endif
