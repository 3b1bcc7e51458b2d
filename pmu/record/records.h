/* SPDX-License-Identifier: BSD-2-Clause */
/* How any record is written. Context of all: any. */
#ifndef PMU_RECORD_RECORDS_H
#define PMU_RECORD_RECORDS_H

#include "pmu/base/event.h"
#include "ringbuf/ring.h"

/* Returns the size of a read(2) of the event with `nr_siblings` siblings in its group. Context:
 * any. */
uint32_t event_read_bytes(const struct perf_event *event, uint32_t nr_siblings);

/*
 * Reserves a record of `size` bytes, which includes the header but not sample_id, and writes the
 * header. A pending LOST record goes first. Returns false when there is no ring, or no room.
 */
bool record_begin(struct ring_writer *writer, struct perf_event *event, uint32_t type,
		  uint16_t misc, uint32_t size);
/* Ends a record: publishes it and requests wake-ups. */
void record_finish(struct ring_writer *writer, struct perf_event *event);
/* Writes the sample_id, and ends the record. */
void record_end(struct ring_writer *writer, struct perf_event *event);
/* As record_end(), for a record about another task than the current one. */
void record_end_of(struct ring_writer *writer, struct perf_event *event, const struct task *task);
/*
 * Writes the read(2) image of the event for `nr_siblings` siblings, event_read_bytes() long. An NMI
 * may interrupt a change of the group: surplus members are left out, and zeros stand for missing
 * ones.
 */
void record_read_values(struct ring_writer *writer, struct perf_event *event, uint32_t nr_siblings);

#endif
