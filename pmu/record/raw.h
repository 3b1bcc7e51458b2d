/* SPDX-License-Identifier: BSD-2-Clause */
/* Raw data of samples, and samples of only raw data, which programs write to perf buffers. Context
 * of all: any. */
#ifndef PMU_RECORD_RAW_H
#define PMU_RECORD_RAW_H

#include "kernel/base/string.h"
#include "pmu/record/begin.h"

static inline uint16_t misc_of(const struct frame *frame)
{
	return frame_is_user(frame) ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL;
}

/* Returns the size in a record of `data_bytes` bytes of data, with the size before them. */
static inline uint32_t raw_bytes_of(uint32_t data_bytes)
{
	return (data_bytes + (uint32_t)sizeof(uint32_t) + 7) & ~7u;
}

/* Returns the size of the raw data in a record; the smallest has no data. */
static inline uint32_t raw_bytes(const struct raw_data *raw)
{
	return raw ? raw_bytes_of(raw->bytes) : 8;
}

/* Writes raw data that is within one page: raw_bytes_of(data_bytes) bytes. */
static inline void put_raw_data(uint64_t *at, const void *data, uint32_t data_bytes, uint32_t bytes)
{
	at[bytes / sizeof(*at) - 1] = 0;
	*at = bytes - sizeof(uint32_t);
	memcpy((char *)at + sizeof(uint32_t), data, data_bytes);
}

static inline void put_raw_at(uint64_t *at, const struct raw_data *raw, uint32_t bytes)
{
	put_raw_data(at, raw ? raw->data : at, raw ? raw->bytes : 0, bytes);
}

/* Fast path for a sample of an event with raw_output that was opened, not inherited. False: more is
 * needed, for example because the ring is full or a loss is pending; then nothing was written, and
 * sample_write() handles all cases. */
static inline bool sample_write_raw(struct perf_event *opened, const struct frame *frame,
				    const struct raw_data *raw)
{
	struct ring *ring = __atomic_load_n(&opened->ring, __ATOMIC_ACQUIRE);
	uint32_t bytes = raw_bytes_of(raw->bytes), size = (uint32_t)sizeof(uint64_t) + bytes;
	struct ring_writer w;

	if (!ring || !ring_take_in_page(&w, ring, size))
		return false;
	*w.at = record_header_word(PERF_RECORD_SAMPLE, misc_of(frame), size);
	put_raw_data(w.at + 1, raw->data, raw->bytes, bytes);
	/* Wakes for each sample, whatever other samples have counted. */
	if (!opened->attr.watermark && opened->attr.wakeup_events)
		__atomic_add_fetch(&ring->wakeup, 1, __ATOMIC_RELAXED);
	record_publish(&w, opened);
	return true;
}

#endif
