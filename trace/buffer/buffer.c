/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tracefs's own buffer. A page has a time, the bytes that are in it, and records: four bytes of
 * length and of time since the one before, then what a place handed on.
 */
#include "trace/buffer/pages.h"
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
#include "trace/buffer/clock.h"
#include "trace/buffer/pids.h"
#include "trace/buffer/pipe.h"
#include "trace/base/event.h"
#include "trace/base/program.h"

#define TIME_BITS   27
#define FAULT_ROOM  128 /* of what is wrong with a filter, besides the text and its mark */
#define WORDS_SHORT 28  /* words of a record whose length lies in its head */

struct cpu_buffer *buffers;
static uint32_t size_kb = BUFFER_KB;
static bool is_off;

/* ---- writing ---- */

/* A page to write to, in place of the oldest when all have records. */
static struct page_head *next_page(struct cpu_buffer *buffer, uint64_t now)
{
	struct page_head *page;

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
static void append(struct cpu_buffer *buffer, const void *record, uint32_t bytes)
{
	uint32_t padded = (bytes + 3) & ~3u, whole = 8 + 8 + padded;
	struct page_head *page = buffer->nr_used ? page_number(buffer, buffer->nr_used - 1) : NULL;
	uint64_t now = trace_clock_now(), delta;
	uint8_t *at;

	if (whole > PAGE_ROOM)
		return;
	if (!page || page->bytes + whole > PAGE_ROOM)
		page = next_page(buffer, now);
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

static void save_name(struct cpu_buffer *buffer, const struct task *task)
{
	struct saved_name *name = &buffer->names[(uint32_t)task->pid % NAMES];

	if (task->pid) {
		name->pid = task->pid;
		memcpy(name->comm, task->comm, sizeof(name->comm));
	}
}

/* To this processor's, interrupts masked. */
static void write_here(const void *record, uint32_t bytes)
{
	struct cpu_buffer *buffer = &buffers[this_cpu_read(id)];
	uint64_t flags = spin_lock_irqsave(&buffer->lock);

	append(buffer, record, bytes);
	save_name(buffer, current_task());
	spin_unlock_irqrestore(&buffer->lock, flags);
	trace_pipe_record();
}

/* As a program at the event: it wants the record to go on. */
static uint64_t write_record(struct trace_program *at, const struct trace_record *record)
{
	const struct trace_filter *filter =
	    __atomic_load_n(&record->event->filter, __ATOMIC_ACQUIRE);

	(void)at;
	if (__atomic_load_n(&is_off, __ATOMIC_RELAXED) ||
	    (filter && !trace_filter_match(filter, record->header)) || !pids_want(record))
		return 1;
	write_here(record->header, record->bytes);
	return 1;
}

void buffer_write(const struct trace_event *event, struct trace_header *header, uint32_t bytes)
{
	uint64_t flags = irq_save();

	trace_header_fill(event, header, flags);
	write_here(header, bytes);
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

/* Gives a processor's buffer other pages, which are empty. */
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

/* As Linux reckons them: what is not their heads counts. */
static uint32_t pages_of(uint64_t kb)
{
	uint64_t pages = (kb * 1024 + PAGE_ROOM - 1) / PAGE_ROOM;

	return pages < 2 ? 2 : (uint32_t)pages;
}

int buffer_prepare(void)
{
	struct cpu_buffer *made;
	int err = 0;

	if (buffers)
		return 0;
	made = kalloc(nr_cpus * sizeof(*made));
	for (uint32_t cpu = 0; made && !err && cpu < nr_cpus; cpu++) {
		waitq_init(&made[cpu].readers);
		made[cpu].work.run = wake;
		err = replace_pages(&made[cpu], pages_of(size_kb));
	}
	if (!made || err) {
		for (uint32_t cpu = 0; made && cpu < nr_cpus; cpu++)
			free_pages(made[cpu].pages, made[cpu].nr_pages);
		kfree(made);
		return -ENOMEM;
	}
	__atomic_store_n(&buffers, made, __ATOMIC_RELEASE);
	return 0;
}

uint32_t buffer_kb(void)
{
	return size_kb;
}

int buffer_resize(uint64_t kb)
{
	uint32_t pages;
	int err = 0;

	if (!kb)
		return -EINVAL;
	if (kb > BUFFER_KB_MOST)
		return -ENOMEM;
	pages = pages_of(kb);
	for (uint32_t cpu = 0; buffers && !err && cpu < nr_cpus; cpu++)
		err = replace_pages(&buffers[cpu], pages);
	if (!err)
		size_kb = (uint32_t)(pages * PAGE_ROOM / 1024);
	return err;
}

/* ---- on and off ---- */

int buffer_enable(struct trace_event *event, bool on)
{
	struct trace_program *writer = event->buffered;
	int err;

	if (on == (writer != NULL))
		return 0;
	if (!on) {
		programs_remove(event, writer);
		event->buffered = NULL;
		kfree(writer);
		return 0;
	}
	err = buffer_prepare();
	writer = err ? NULL : kalloc(sizeof(*writer));
	if (!writer)
		return -ENOMEM;
	writer->run = write_record;
	err = programs_add(event, writer);
	if (err)
		kfree(writer);
	else
		event->buffered = writer;
	return err;
}

/* The text, a mark below the place, and what is wrong there. NULL: no memory. */
static char *fault_text(const char *text, const struct trace_filter_fault *fault)
{
	size_t length = strlen(text), room = 2 * length + FAULT_ROOM;
	char *shown = kalloc(room);
	struct text out;

	if (!shown)
		return NULL;
	text_init(&out, shown, room);
	text_print(&out, "%s\n", text);
	for (uint32_t at = 0; fault->what && at < fault->at; at++)
		text_char(&out, ' ');
	if (fault->what)
		text_print(&out, "^\nparse_error: %s\n", fault->what);
	else
		text_print(&out, "Error: (0)\n");
	return shown;
}

/* Nobody looks at the old one any more when all processors have answered. */
int buffer_filter(struct trace_event *event, const char *text)
{
	struct trace_filter *old = event->filter, *filter = NULL;
	struct trace_filter_fault fault = {0};
	int err = strcmp(text, "0") == 0 ? 0 : trace_filter_new(event, text, &filter, &fault);

	if (err == -ENOMEM)
		return err;
	kfree(event->fault);
	event->fault = err ? fault_text(text, &fault) : NULL;
	__atomic_store_n(&event->filter, filter, __ATOMIC_RELEASE);
	remote_synchronize();
	trace_filter_free(old);
	return err;
}

bool buffer_is_on(void)
{
	return !is_off;
}

void buffer_switch(bool on)
{
	__atomic_store_n(&is_off, !on, __ATOMIC_RELAXED);
}

void buffer_clear(void)
{
	for (uint32_t cpu = 0; buffers && cpu < nr_cpus; cpu++) {
		struct cpu_buffer *buffer = &buffers[cpu];
		uint64_t flags = spin_lock_irqsave(&buffer->lock);

		buffer_empty(buffer);
		buffer->overwritten = 0;
		buffer->missed = false;
		spin_unlock_irqrestore(&buffer->lock, flags);
	}
}
