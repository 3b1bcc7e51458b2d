/* SPDX-License-Identifier: BSD-2-Clause */
/* The branch trace store (BTS): what its files share. SDM volume 3, "Branch Trace Store (BTS)". */
#ifndef PMU_INTEL_BTS_H
#define PMU_INTEL_BTS_H

#include <stdbool.h>
#include <stdint.h>

struct perf_event;

struct bts_record {
	uint64_t from, to, flags;
};

/* Receives the records of the event that stores them, oldest first. Context: interrupts masked on
 * its processor, or the PMI. */
typedef void bts_reader(struct perf_event *event, const struct bts_record *records, unsigned nr);

/* ---- intel_bts.c ---- */

/* Allocates each processor's buffer, once; kept from then on. Returns 0, -EOPNOTSUPP without a
 * branch trace store, or -ENOMEM. Context: task. */
int bts_prepare(void);
/* Stores the event's branches on this processor; false: another event's are stored already.
 * Context: interrupts masked, or the PMI. */
bool bts_start(struct perf_event *event, bts_reader *reader);
/* Stops it, and reads the rest; does nothing if it does not run. Context: interrupts masked, or the
 * PMI. */
void bts_stop(struct perf_event *event);
/* Reads a buffer that has reached its threshold. Returns the number of events that it was of.
 * Context: the PMI. */
unsigned intel_bts_take(void);
/* Makes an event a sampler of every branch. Returns 0 or -EOPNOTSUPP, as Linux's
 * intel_pmu_bts_config(), or -ENOMEM. Context: task. */
int intel_bts_configure(struct perf_event *event);

/* ---- intel_bts_pmu.c ---- */

/* Offers the PMU intel_bts as `type`. Returns the number of PMUs: 1 or 0. Context: start. */
unsigned intel_bts_init(uint32_t type);

#endif
