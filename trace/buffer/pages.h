/* SPDX-License-Identifier: BSD-2-Clause */
/* Pages of tracefs's buffer: internals shared by the writer and the reader. */
#ifndef TRACE_BUFFER_PAGES_H
#define TRACE_BUFFER_PAGES_H

#include "arch/x86/cpu/spinlock.h"
#include "kernel/mem/page.h"
#include "kernel/task/waitq.h"
#include "kernel/time/timer.h"
#include "trace/base/points.h"
#include "trace/buffer/buffer.h"
#include "trace/buffer/instance.h"

#define TIME_BITS   27         /* of a record's head: time since the record before */
#define TIME_EXTEND 30         /* in place of a length: more of the time */
#define MISSED      (1u << 31) /* in a page's length: records before it were overwritten */

struct page_head {
	uint64_t time; /* of its first record, ns */
	uint64_t bytes;
};

#define PAGE_ROOM (PAGE_SIZE - sizeof(struct page_head))

/* A processor's pages: `nr_used` pages from `first` on have records; the last one is being
 * written. */
struct cpu_buffer {
	struct spinlock lock; /* with interrupts masked */
	uint8_t **pages;
	uint32_t nr_pages, first, nr_used;
	uint64_t dropped;         /* pages that were before the first */
	struct buffer_place read; /* in the first page: what was read before, once */
	uint64_t last_time;       /* of the last record */
	uint64_t entries, overwritten;
	uint64_t lost; /* there was no room for */
	bool missed;   /* since a page was taken */
	struct waitq readers;
	struct irq_work work;
};

/* Returns the page `number` after the first. Context of all: with the lock. */
static inline struct page_head *page_number(const struct cpu_buffer *buffer, uint64_t number)
{
	return (struct page_head *)buffer->pages[(buffer->first + number) % buffer->nr_pages];
}

/* Removes the first page, which must exist: returns the number of its unread records. */
uint32_t buffer_drop_page(struct cpu_buffer *buffer);
/* Removes all pages. */
void buffer_empty(struct cpu_buffer *buffer);

#endif
