/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An AUX area as a ring of tables of physical addresses (ToPA): an entry is a page, the last entry
 * of a table leads to the next table. SDM volume 3, "Table of Physical Addresses".
 */
#include "arch/x86/cpu/cpu.h"
#include "kernel/mem/memory.h"
#include "pmu/intel/intel_pt.h"

#define ENTRY_END  BIT(0)
#define ENTRY_INT  BIT(2)
#define ENTRY_STOP BIT(4)
#define ENTRIES    (PAGE_SIZE / 8 - 1) /* of pages, in a table */

#define MASK_ONES   0x7ful
#define MASK_INDEX  FIELD(31, 7)
#define MASK_OFFSET FIELD(63, 32)

static uint64_t *entry_of(const struct pt_buffer *buffer, uint32_t page)
{
	return &buffer->tables[page / ENTRIES][page % ENTRIES];
}

void pt_buffer_free(void *object)
{
	struct pt_buffer *buffer = object;

	for (uint32_t i = 0; i < buffer->nr_tables; i++)
		if (buffer->tables[i])
			page_put(buffer->tables[i]);
	kfree(buffer);
}

/* Each table is full, except the last one; the entry after its last page leads on. */
static void fill(struct pt_buffer *buffer)
{
	uint32_t nr = buffer->aux->nr_pages;

	for (uint32_t page = 0; page < nr; page++)
		*entry_of(buffer, page) = page_phys(buffer->aux->pages[page]);
	for (uint32_t i = 0; i < buffer->nr_tables; i++) {
		bool last = i + 1 == buffer->nr_tables;

		buffer->tables[i][last ? (nr - 1) % ENTRIES + 1 : ENTRIES] =
		    page_phys(buffer->tables[last ? 0 : i + 1]) | ENTRY_END;
	}
}

struct pt_buffer *pt_buffer_new(const struct aux_area *aux)
{
	uint32_t nr_tables = (uint32_t)((aux->nr_pages + ENTRIES - 1) / ENTRIES);
	struct pt_buffer *buffer = kalloc(sizeof(*buffer) + nr_tables * sizeof(buffer->tables[0]));

	if (!buffer)
		return NULL;
	buffer->aux = aux;
	buffer->nr_tables = nr_tables;
	for (uint32_t i = 0; i < nr_tables; i++) {
		buffer->tables[i] = page_alloc();
		if (!buffer->tables[i]) {
			pt_buffer_free(buffer);
			return NULL;
		}
	}
	fill(buffer);
	return buffer;
}

/*
 * STOP is at the page that the room ends in, as pages are filled whole; INT at the page with the
 * reader's watermark, and one page before STOP at the latest. As Linux's pt_buffer_reset_markers().
 */
static bool set_marks(struct pt_buffer *buffer, struct aux_writer *writer)
{
	uint64_t first = writer->head / PAGE_SIZE, pages = writer->size / PAGE_SIZE, wake;

	if (buffer->offset + writer->size + 1 < PAGE_SIZE) {
		writer->flags |= PERF_AUX_FLAG_TRUNCATED;
		return false;
	}
	*entry_of(buffer, buffer->stop_page) &= ~(ENTRY_STOP | ENTRY_INT);
	*entry_of(buffer, buffer->wake_page) &= ~ENTRY_INT;
	if ((writer->head + writer->size + 1) % PAGE_SIZE == 0)
		pages++;
	wake = first + pages - 1;
	if (wake > writer->wakeup / PAGE_SIZE)
		wake = writer->wakeup / PAGE_SIZE;
	buffer->stop_page = (uint32_t)((first + pages - 1) & (buffer->aux->nr_pages - 1));
	buffer->wake_page = (uint32_t)((wake - 1) & (buffer->aux->nr_pages - 1));
	*entry_of(buffer, buffer->stop_page) |= ENTRY_STOP | ENTRY_INT;
	*entry_of(buffer, buffer->wake_page) |= ENTRY_INT;
	return true;
}

static void write_place(const struct pt_buffer *buffer)
{
	wrmsr(MSR_RTIT_OUTPUT_BASE, page_phys(buffer->tables[buffer->page / ENTRIES]));
	wrmsr(MSR_RTIT_OUTPUT_MASK, MASK_ONES | FIELD_PUT(MASK_INDEX, buffer->page % ENTRIES) |
					FIELD_PUT(MASK_OFFSET, buffer->offset));
}

bool pt_buffer_begin(struct pt_buffer *buffer, struct aux_writer *writer)
{
	uint64_t head = writer->head & (aux_bytes(buffer->aux) - 1);

	buffer->page = (uint32_t)(head / PAGE_SIZE);
	buffer->offset = head % PAGE_SIZE;
	if (!buffer->aux->overwrite && !set_marks(buffer, writer))
		return false;
	write_place(buffer);
	return true;
}

/* The hardware follows links by itself: its table may be any. */
static void read_place(struct pt_buffer *buffer)
{
	uint64_t base = rdmsr(MSR_RTIT_OUTPUT_BASE), mask = rdmsr(MSR_RTIT_OUTPUT_MASK);

	for (uint32_t i = 0; i < buffer->nr_tables; i++)
		if (page_phys(buffer->tables[i]) == base)
			buffer->page = (uint32_t)(i * ENTRIES + FIELD_GET(MASK_INDEX, mask));
	buffer->offset = (uint32_t)FIELD_GET(MASK_OFFSET, mask);
}

uint64_t pt_buffer_head(struct pt_buffer *buffer)
{
	read_place(buffer);
	return buffer->page * PAGE_SIZE + buffer->offset;
}

uint64_t pt_buffer_end(struct pt_buffer *buffer, struct aux_writer *writer)
{
	uint64_t status = rdmsr(MSR_RTIT_STATUS);

	read_place(buffer);
	if ((status & PT_STOPPED) && buffer->offset == PAGE_SIZE)
		writer->flags |= PERF_AUX_FLAG_TRUNCATED;
	wrmsr(MSR_RTIT_STATUS, status & ~(PT_STOPPED | PT_ERROR));
	return (buffer->page * PAGE_SIZE + buffer->offset) & (aux_bytes(buffer->aux) - 1);
}
