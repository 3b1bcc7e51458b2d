/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tracefs's own buffer. A page has a time, the number of bytes in it, and records: four bytes with
 * length and time since the previous one, then the trace point's record.
 */
#include <linux/errno.h>
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/percpu.h"
#include "arch/x86/cpu/spinlock.h"
#include "arch/x86/trap/remote.h"
#include "kernel/base/string.h"
#include "kernel/base/text.h"
#include "kernel/mem/memory.h"
#include "kernel/task/task.h"
#include "kernel/task/waitq.h"
#include "kernel/time/timer.h"
#include "trace/base/event.h"
#include "trace/buffer/clock.h"
#include "trace/buffer/instance.h"
#include "trace/buffer/names.h"
#include "trace/buffer/options.h"
#include "trace/buffer/pages.h"

#define WORDS_SHORT 28 /* maximum length, in words, that fits in a record's header */

/* ---- writing ---- */

/* Returns a page to write to, in place of the oldest if all have records; NULL: the oldest must be
 * kept. */
static struct page_head *next_page(struct cpu_buffer *buffer, bool overwrites, uint64_t now)
{
	struct page_head *page;

	if (buffer->nr_used == buffer->nr_pages && !overwrites)
		return NULL;
	if (buffer->nr_used == buffer->nr_pages) {
		buffer->overwritten += buffer_drop_page(buffer);
		buffer->missed = true;
	}
	if (buffer->nr_used)
		irq_work_queue(&buffer->work);
	page = page_number(buffer, buffer->nr_used++);
	*page = (struct page_head){.time = now};
	buffer->last_time = now;
	return page;
}

static uint8_t *put_word(uint8_t *at, uint32_t word)
{
	memcpy(at, &word, sizeof(word));
	return at + sizeof(word);
}

/* With the lock. */
static void append(const struct trace_instance *instance, struct cpu_buffer *buffer,
		   const void *record, uint32_t bytes)
{
	uint32_t padded = (bytes + 3) & ~3u, whole = 8 + 8 + padded;
	struct page_head *page = buffer->nr_used ? page_number(buffer, buffer->nr_used - 1) : NULL;
	uint64_t now = trace_clock_now(__atomic_load_n(&instance->clock, __ATOMIC_RELAXED)), delta;
	uint8_t *at;

	if (whole > PAGE_ROOM)
		return;
	if (!page || page->bytes + whole > PAGE_ROOM)
		page = next_page(buffer, instance->options & OPTION_OVERWRITE, now);
	if (!page) {
		buffer->lost++;
		return;
	}
	at = (uint8_t *)(page + 1) + page->bytes;
	delta = now > buffer->last_time ? now - buffer->last_time : 0; /* `tai` can be set */
	buffer->last_time += delta;
	if (delta >> TIME_BITS) {
		at = put_word(at, TIME_EXTEND | (uint32_t)delta << 5);
		at = put_word(at, (uint32_t)(delta >> TIME_BITS));
		delta = 0;
	}
	at = put_word(at, (padded / 4 <= WORDS_SHORT ? padded / 4 : 0) | (uint32_t)delta << 5);
	if (padded / 4 > WORDS_SHORT)
		at = put_word(at, padded + 4);
	memset(at + padded - 4, 0, 4);
	memcpy(at, record, bytes);
	page->bytes = (uint64_t)(at + padded - (uint8_t *)(page + 1));
	buffer->entries++;
}

void buffer_add(struct trace_instance *instance, const void *record, uint32_t bytes)
{
	struct cpu_buffer *buffer = &instance->buffers[this_cpu_read(id)];
	uint64_t flags = spin_lock_irqsave(&buffer->lock);

	append(instance, buffer, record, bytes);
	if (instance->options & OPTION_NAMES)
		names_save(current_task());
	spin_unlock_irqrestore(&buffer->lock, flags);
	if (__atomic_load_n(&instance->wanted, __ATOMIC_RELAXED)) {
		__atomic_store_n(&instance->wanted, 0, __ATOMIC_RELAXED);
		irq_work_queue(&instance->work);
	}
}

void buffer_write(struct trace_instance *instance, const struct trace_event *event,
		  struct trace_header *header, uint32_t bytes)
{
	uint64_t flags = irq_save();

	trace_header_fill(event, header, flags);
	buffer_add(instance, header, bytes);
	irq_restore(flags);
}

/* ---- pages ---- */

static void wake(struct irq_work *work)
{
	waitq_wake(&container_of(work, struct cpu_buffer, work)->readers);
}

static void free_pages(uint8_t **pages, uint32_t nr)
{
	for (uint32_t i = 0; pages && i < nr; i++)
		if (pages[i])
			page_put(pages[i]);
	kfree(pages);
}

static uint8_t **new_pages(uint32_t nr)
{
	uint8_t **pages = kalloc(nr * sizeof(*pages));

	for (uint32_t i = 0; pages && i < nr; i++) {
		pages[i] = page_alloc();
		if (!pages[i]) {
			free_pages(pages, i);
			return NULL;
		}
	}
	return pages;
}

/* Replaces a processor's pages by empty ones. */
static int replace_pages(struct cpu_buffer *buffer, uint32_t nr)
{
	uint32_t old_nr = buffer->nr_pages;
	uint8_t **pages = new_pages(nr), **old = buffer->pages;
	uint64_t flags;

	if (!pages)
		return -ENOMEM;
	flags = spin_lock_irqsave(&buffer->lock);
	buffer->pages = pages;
	buffer->nr_pages = nr;
	buffer_empty(buffer);
	spin_unlock_irqrestore(&buffer->lock, flags);
	free_pages(old, old_nr);
	return 0;
}

/* Returns the number of pages as Linux computes it: without their headers. */
static uint32_t pages_of(uint64_t kb)
{
	uint64_t pages = (kb * 1024 + PAGE_ROOM - 1) / PAGE_ROOM;

	return pages < 2 ? 2 : (uint32_t)pages;
}

static void free_buffers(struct cpu_buffer *made)
{
	for (uint32_t cpu = 0; made && cpu < nr_cpus; cpu++) {
		irq_work_sync(&made[cpu].work);
		free_pages(made[cpu].pages, made[cpu].nr_pages);
	}
	kfree(made);
}

int buffer_prepare(struct trace_instance *instance)
{
	struct cpu_buffer *made;
	int err;

	if (instance->buffers)
		return 0;
	err = names_prepare();
	made = err ? NULL : kalloc(nr_cpus * sizeof(*made));
	for (uint32_t cpu = 0; made && !err && cpu < nr_cpus; cpu++) {
		waitq_init(&made[cpu].readers);
		made[cpu].work.run = wake;
		err = replace_pages(&made[cpu], pages_of(instance->size_kb));
	}
	if (!made || err) {
		free_buffers(made);
		return -ENOMEM;
	}
	__atomic_store_n(&instance->buffers, made, __ATOMIC_RELEASE);
	return 0;
}

void buffer_free(struct trace_instance *instance)
{
	free_buffers(instance->buffers);
	instance->buffers = NULL;
}

int buffer_resize(struct trace_instance *instance, uint64_t kb)
{
	uint32_t pages;
	int err = 0;

	if (!kb)
		return -EINVAL;
	if (kb > BUFFER_KB_MAX)
		return -ENOMEM;
	pages = pages_of(kb);
	for (uint32_t cpu = 0; instance->buffers && !err && cpu < nr_cpus; cpu++)
		err = replace_pages(&instance->buffers[cpu], pages);
	if (!err)
		instance->size_kb = (uint32_t)(pages * PAGE_ROOM / 1024);
	return err;
}

/* ---- on and off ---- */

bool buffer_is_on(const struct trace_instance *instance)
{
	return !__atomic_load_n(&instance->is_off, __ATOMIC_RELAXED);
}

void buffer_switch(struct trace_instance *instance, bool on)
{
	__atomic_store_n(&instance->is_off, !on, __ATOMIC_RELAXED);
}

void buffer_clear(struct trace_instance *instance)
{
	for (uint32_t cpu = 0; instance->buffers && cpu < nr_cpus; cpu++) {
		struct cpu_buffer *buffer = &instance->buffers[cpu];
		uint64_t flags = spin_lock_irqsave(&buffer->lock);

		buffer_empty(buffer);
		buffer->overwritten = buffer->lost = 0;
		buffer->missed = false;
		spin_unlock_irqrestore(&buffer->lock, flags);
	}
}
