/* SPDX-License-Identifier: BSD-2-Clause */
/* Transactions in an AUX area, as Linux's kernel/events/ring_buffer.c has them. Layouts:
 * perf_event_open(2). */
#include <linux/poll.h>
#include "pmu/record/aux.h"
#include "pmu/record/begin.h"
#include "pmu/record/records.h"
#include "pmu/record/userpage.h"

#define RECORD_AUX_BYTES    32
#define RECORD_ITRACE_BYTES 16

static struct ring *ring_of(const struct perf_event *event)
{
	return __atomic_load_n(&event->origin->ring, __ATOMIC_ACQUIRE);
}

/* Disables the event soon and wakes its reader, which must make room. */
static void disable_and_wake(struct perf_event *event, struct ring *ring)
{
	event->pending_disable = true;
	irq_work_queue(&event->work);
	record_wake(ring, event->origin);
}

/*
 * The room depends on aux_tail, a value of the application's; the branch on it orders the reader's
 * loads before the hardware's stores.
 */
void *aux_begin(struct aux_writer *writer, struct perf_event *event)
{
	struct ring *ring = ring_of(event);
	struct aux_area *aux = ring ? __atomic_load_n(&ring->aux, __ATOMIC_ACQUIRE) : NULL;

	if (!aux || !aux->mmap_count || aux->busy)
		return NULL;
	*writer = (struct aux_writer){.event = event, .aux = aux, .head = aux->head};
	if (!aux->overwrite) {
		writer->size =
		    aux_room(aux, __atomic_load_n(&ring->user_page->aux_tail, __ATOMIC_RELAXED));
		writer->wakeup = aux->wakeup + aux->watermark;
		if (!writer->size) {
			writer->event = NULL;
			disable_and_wake(event, ring);
			return NULL;
		}
	}
	aux->busy = true;
	return aux->hardware;
}

static void write_record(struct perf_event *event, uint64_t offset, uint64_t size, uint64_t flags)
{
	struct ring_writer w;

	if (!record_begin(&w, event, PERF_RECORD_AUX, 0, RECORD_AUX_BYTES))
		return;
	ring_write_u64(&w, offset);
	ring_write_u64(&w, size);
	ring_write_u64(&w, flags);
	record_end(&w, event);
}

/* A record that has nothing to say but OVERWRITE is left out, as on Linux: the user page has the
 * head. */
static uint64_t advance(struct aux_writer *writer, uint64_t size)
{
	struct aux_area *aux = writer->aux;
	uint64_t offset = aux->head;

	if (aux->overwrite) {
		writer->flags |= PERF_AUX_FLAG_OVERWRITE;
		offset = aux->head = writer->head;
	} else {
		aux->head += size;
	}
	return offset;
}

static bool passes_watermark(struct aux_area *aux)
{
	if (aux->overwrite || aux->head - aux->wakeup < aux->watermark)
		return false;
	aux->wakeup = aux->head - aux->head % aux->watermark;
	return true;
}

void aux_end(struct aux_writer *writer, uint64_t size)
{
	struct perf_event *event = writer->event;
	struct aux_area *aux = writer->aux;
	struct ring *ring = ring_of(event);
	uint64_t offset = advance(writer, size);
	bool wakes = passes_watermark(aux);

	writer->event = NULL;
	aux->busy = false;
	if (!ring || ring->aux != aux)
		return;
	if (size || (writer->flags & ~(uint64_t)PERF_AUX_FLAG_OVERWRITE))
		write_record(event, offset, size, writer->flags);
	__atomic_store_n(&ring->user_page->aux_head, aux->head, __ATOMIC_RELEASE);
	if (writer->flags & PERF_AUX_FLAG_TRUNCATED)
		disable_and_wake(event, ring);
	else if (wakes)
		record_wake(ring, event->origin);
}

/* As Linux's perf_prepare_sample_aux(). A group's events are on one processor. */
uint32_t aux_sample_bytes(const struct perf_event *event, uint32_t room)
{
	const struct perf_event *leader = event->leader;
	const struct ring *ring;
	const struct aux_area *aux;
	uint64_t bytes = event->attr.aux_sample_size;

	if (!bytes || leader == event || !leader->pmu->snapshot || leader->state != EVENT_ACTIVE)
		return 0;
	ring = ring_of(leader);
	aux = ring ? __atomic_load_n(&ring->aux, __ATOMIC_ACQUIRE) : NULL;
	if (!aux || aux->in_sample)
		return 0;
	if (bytes > room)
		bytes = room;
	bytes &= ~7ul;
	return (uint32_t)(bytes > aux_bytes(aux) ? aux_bytes(aux) : bytes);
}

/* A sample that comes while another one is written has no part of the area. */
void aux_sample_write(const struct perf_event *event, struct ring_writer *w, uint32_t bytes)
{
	struct aux_area *aux = ring_of(event->leader)->aux;

	__atomic_store_n(&aux->in_sample, true, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	event->leader->pmu->snapshot(event->leader, w, bytes);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&aux->in_sample, false, __ATOMIC_RELAXED);
}

void aux_trace_started(struct perf_event *event)
{
	struct perf_event *origin = event_origin(event);
	const struct task *task = current_task();
	struct ring_writer w;

	if (origin->trace_started)
		return;
	origin->trace_started = true;
	if (!record_begin(&w, event, PERF_RECORD_ITRACE_START, 0, RECORD_ITRACE_BYTES))
		return;
	ring_write_u32s(&w, (uint32_t)task->tgid, (uint32_t)task->pid);
	record_end(&w, event);
}
