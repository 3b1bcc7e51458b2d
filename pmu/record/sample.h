/* SPDX-License-Identifier: BSD-2-Clause */
/* SAMPLE records, and the identification of other records. */
#ifndef PMU_RECORD_SAMPLE_H
#define PMU_RECORD_SAMPLE_H

#include "pmu/base/event.h"
#include "ringbuf/ring.h"

/* Writes a SAMPLE record. Context: any. */
void sample_write(struct perf_event *event, struct frame *frame, uint64_t address, uint64_t period);
/* Writes sample_id, the id_size bytes that end other records of an event with sample_id_all, for
 * `task`. Context: any. */
void sample_write_id(struct ring_writer *writer, struct perf_event *event, const struct task *task);
/* Computes sample_size and id_size of a new event. Context: task. */
void sample_sizes(struct perf_event *event);

#endif
