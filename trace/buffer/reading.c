/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading tracefs's buffer: by page, or by record. */
#include "arch/x86/cpu/percpu.h"
#include "kernel/base/assert.h"
#include "kernel/base/string.h"
#include "trace/buffer/pages.h"

/* Returns the record at `place` in the page, NULL: no more. Advances the place. */
static const uint8_t *next_record(const struct page_head *page, struct buffer_place *place,
				  uint32_t *bytes)
{
	const uint8_t *data = (const uint8_t *)(page + 1);

	if (!place->offset)
		place->time = page->time;
	while (place->offset < page->bytes) {
		const uint8_t *at = data + place->offset;
		uint32_t words[2];

		memcpy(words, at, sizeof(words));
		place->time += words[0] >> 5;
		if ((words[0] & 31) == TIME_EXTEND) {
			place->time += (uint64_t)words[1] << TIME_BITS;
			place->offset += 8;
			continue;
		}
		*bytes = words[0] & 31 ? (words[0] & 31) * 4 : words[1] - 4;
		place->offset += 4 + (words[0] & 31 ? *bytes : words[1]);
		return words[0] & 31 ? at + 4 : at + 8;
	}
	return NULL;
}

static uint32_t unread_in(const struct cpu_buffer *buffer)
{
	struct buffer_place place = buffer->read;
	uint32_t nr = 0, bytes;

	while (next_record(page_number(buffer, 0), &place, &bytes))
		nr++;
	return nr;
}

uint32_t buffer_drop_page(struct cpu_buffer *buffer)
{
	uint32_t unread = unread_in(buffer);

	buffer->first = (buffer->first + 1) % buffer->nr_pages;
	KASSERT(buffer->nr_used > 0);
	buffer->nr_used--;
	buffer->dropped++;
	buffer->entries -= unread;
	buffer->read = (struct buffer_place){.page = buffer->dropped};
	return unread;
}

void buffer_empty(struct cpu_buffer *buffer)
{
	buffer->dropped += buffer->nr_used;
	buffer->first = buffer->nr_used = 0;
	buffer->entries = 0;
	buffer->read = (struct buffer_place){.page = buffer->dropped};
}

/* ---- records ---- */

/* Returns the record at `place` or, if that was overwritten, the first, and advances the place.
 * NULL: none. */
static const uint8_t *record_from(const struct cpu_buffer *buffer, struct buffer_place *place,
				  uint32_t *bytes)
{
	const uint8_t *record = NULL;

	if (place->page < buffer->read.page ||
	    (place->page == buffer->read.page && place->offset < buffer->read.offset))
		*place = buffer->read;
	while (place->page - buffer->dropped < buffer->nr_used) {
		record =
		    next_record(page_number(buffer, place->page - buffer->dropped), place, bytes);
		if (record || place->page - buffer->dropped + 1 == buffer->nr_used)
			break;
		*place = (struct buffer_place){.page = place->page + 1};
	}
	return record;
}

uint64_t buffer_time(const struct trace_instance *instance, uint32_t cpu,
		     const struct buffer_place *place)
{
	struct cpu_buffer *buffer = instance->buffers ? &instance->buffers[cpu] : NULL;
	struct buffer_place next;
	const uint8_t *record;
	uint32_t bytes;
	uint64_t flags;

	if (!buffer)
		return UINT64_MAX;
	flags = spin_lock_irqsave(&buffer->lock);
	next = place ? *place : buffer->read;
	record = record_from(buffer, &next, &bytes);
	spin_unlock_irqrestore(&buffer->lock, flags);
	return record ? next.time : UINT64_MAX;
}

uint32_t buffer_read(const struct trace_instance *instance, uint32_t cpu,
		     struct buffer_place *place, void *record)
{
	struct cpu_buffer *buffer = &instance->buffers[cpu];
	uint64_t flags = spin_lock_irqsave(&buffer->lock);
	struct buffer_place next = place ? *place : buffer->read;
	const uint8_t *from;
	uint32_t bytes = 0;

	from = record_from(buffer, &next, &bytes);
	if (from)
		memcpy(record, from, bytes);
	if (place) {
		*place = next;
	} else if (from) {
		while (buffer->read.page < next.page)
			buffer_drop_page(buffer);
		buffer->read = next;
		buffer->entries--;
	}
	spin_unlock_irqrestore(&buffer->lock, flags);
	return from ? bytes : 0;
}

/* ---- pages ---- */

/* Copies the unread part of the first page, with the time of the last record read. */
static void copy_unread(const struct cpu_buffer *buffer, uint8_t *page)
{
	const struct page_head *oldest = page_number(buffer, 0);
	uint32_t from = buffer->read.offset;
	struct page_head head = {from ? buffer->read.time : oldest->time, oldest->bytes - from};

	memset(page, 0, PAGE_SIZE);
	memcpy(page + sizeof(head), (const uint8_t *)(oldest + 1) + from, head.bytes);
	if (buffer->missed)
		head.bytes |= MISSED;
	memcpy(page, &head, sizeof(head));
}

bool buffer_take(const struct trace_instance *instance, uint32_t cpu, uint8_t *page)
{
	struct cpu_buffer *buffer = instance->buffers ? &instance->buffers[cpu] : NULL;
	uint64_t flags;
	bool taken;

	if (!buffer)
		return false;
	flags = spin_lock_irqsave(&buffer->lock);
	taken = buffer->nr_used != 0;
	if (taken) {
		copy_unread(buffer, page);
		buffer->missed = false;
		buffer_drop_page(buffer);
	}
	spin_unlock_irqrestore(&buffer->lock, flags);
	return taken;
}

bool buffer_is_empty(const struct trace_instance *instance, uint32_t cpu)
{
	return buffer_time(instance, cpu, NULL) == UINT64_MAX;
}

void buffer_count(const struct trace_instance *instance, uint32_t cpu, uint64_t *entries,
		  uint64_t *overwritten, uint64_t *lost)
{
	*entries = instance->buffers ? instance->buffers[cpu].entries : 0;
	*overwritten = instance->buffers ? instance->buffers[cpu].overwritten : 0;
	*lost = instance->buffers ? instance->buffers[cpu].lost : 0;
}

bool buffer_has_full_page(const struct trace_instance *instance, uint32_t cpu)
{
	return instance->buffers &&
	       __atomic_load_n(&instance->buffers[cpu].nr_used, __ATOMIC_RELAXED) > 1;
}

struct waitq *buffer_waitq(const struct trace_instance *instance, uint32_t cpu)
{
	return &instance->buffers[cpu].readers;
}
