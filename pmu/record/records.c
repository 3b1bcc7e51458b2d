/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes records into the ring of an event: header, LOST, sample_id, values, publication. */
#include <linux/poll.h>
#include "arch/x86/apic/tsc.h"
#include "pmu/base/context.h"
#include "pmu/record/begin.h"
#include "pmu/record/records.h"
#include "pmu/record/sample.h"
#include "pmu/record/userpage.h"

/* Writes the tail that identifies a record's event, task and time. */
static void write_identity(struct ring_writer *w, struct perf_event *event, const struct task *task)
{
	if (event->attr.sample_id_all)
		sample_write_id(w, event, task);
}

void record_lost(struct ring_writer *w, struct perf_event *origin)
{
	record_header(w, PERF_RECORD_LOST, 0, record_lost_bytes(origin));
	ring_write_u64(w, origin->id);
	ring_write_u64(w, w->lost);
	write_identity(w, origin, current_task());
}

bool record_begin(struct ring_writer *w, struct perf_event *event, uint32_t type, uint16_t misc,
		  uint32_t size)
{
	struct perf_event *origin = event_origin(event);
	struct ring *ring = __atomic_load_n(&origin->ring, __ATOMIC_ACQUIRE);

	if (!ring)
		return false;
	if (type != PERF_RECORD_SAMPLE && event->attr.sample_id_all)
		size += event->id_size;
	return record_place(w, origin, ring, type, misc, size);
}

void record_wake(struct ring *ring, struct perf_event *origin)
{
	__atomic_store_n(&ring->poll, POLLIN | POLLRDNORM, __ATOMIC_RELAXED);
	origin->pending_wakeup = true;
	irq_work_queue(&origin->work);
}

void record_finish(struct ring_writer *w, struct perf_event *event)
{
	record_publish(w, event_origin(event));
}

void record_end_of(struct ring_writer *w, struct perf_event *event, const struct task *task)
{
	write_identity(w, event, task);
	record_finish(w, event);
}

void record_end(struct ring_writer *w, struct perf_event *event)
{
	record_end_of(w, event, current_task());
}

/* Values in samples of an inherited event are its task's own. */
static uint64_t sampled_count(const struct perf_event *event)
{
	return event->attr.inherit ? (uint64_t)__atomic_load_n(&event->count, __ATOMIC_RELAXED)
				   : event_count(event);
}

static void write_value(struct ring_writer *w, struct perf_event *event, uint64_t format)
{
	ring_write_u64(w, sampled_count(event));
	if (format & PERF_FORMAT_ID)
		ring_write_u64(w, event_origin(event)->id);
	if (format & PERF_FORMAT_LOST)
		ring_write_u64(w, event->lost);
}

static void write_times(struct ring_writer *w, struct perf_event *event, uint64_t format)
{
	uint64_t enabled, running;

	if (!(format & (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)))
		return;
	event_times(event, clock_ns(), &enabled, &running);
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		ring_write_u64(w, enabled + event->child_enabled);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		ring_write_u64(w, running + event->child_running);
}

/* Writes a member's values. Except for the member that caused the sample they may be out of
 * date. */
static void write_member(struct ring_writer *w, struct perf_event *event, struct perf_event *member,
			 uint64_t format)
{
	if (member != event && member->state == EVENT_ACTIVE)
		member->pmu->read(member);
	write_value(w, member, format);
}

static void write_siblings(struct ring_writer *w, struct perf_event *event, uint64_t format,
			   uint32_t nr_siblings)
{
	uint32_t words = 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);
	struct perf_event *sibling;

	event_for_each_sibling(sibling, event->leader) {
		if (!nr_siblings)
			return;
		nr_siblings--;
		write_member(w, event, sibling, format);
	}
	for (words *= nr_siblings; words; words--)
		ring_write_u64(w, 0);
}

uint32_t event_read_bytes(const struct perf_event *event, uint32_t nr_siblings)
{
	uint64_t format = event->attr.read_format;
	uint32_t entry = 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);
	uint32_t words = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
			 !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);

	words += format & PERF_FORMAT_GROUP ? 1 + entry * (1 + nr_siblings) : entry;
	return words * sizeof(uint64_t);
}

void record_read_values(struct ring_writer *w, struct perf_event *event, uint32_t nr_siblings)
{
	uint64_t format = event->attr.read_format;

	if (!(format & PERF_FORMAT_GROUP)) {
		ring_write_u64(w, sampled_count(event));
		write_times(w, event, format);
		if (format & PERF_FORMAT_ID)
			ring_write_u64(w, event_origin(event)->id);
		if (format & PERF_FORMAT_LOST)
			ring_write_u64(w, event->lost);
		return;
	}
	ring_write_u64(w, 1 + nr_siblings);
	write_times(w, event, format);
	write_member(w, event, event->leader, format);
	write_siblings(w, event, format, nr_siblings);
}
