/* SPDX-License-Identifier: BSD-2-Clause */
/* A reader of perf rings, written from the manual page: takes records out one by one, whole even
 * where the buffer wraps. */
#ifndef TESTS_HOST_RING_READER_H
#define TESTS_HOST_RING_READER_H

#include <stdint.h>
#include <string.h>

#include "abi/linux/perf_event.h"

struct ring_record {
	struct perf_event_header header;
	uint64_t words[8192]; /* after the header */
};

struct ring_reader {
	struct perf_event_mmap_page *page;
	const unsigned char *data;
	uint64_t size, head, tail;
	struct ring_record record;
};

static inline struct ring_reader ring_reader(void *map, uint64_t data_pages)
{
	struct ring_reader r = {
	    .page = map, .data = (unsigned char *)map + 4096, .size = data_pages * 4096};

	r.head = __atomic_load_n(&r.page->data_head, __ATOMIC_ACQUIRE);
	r.tail = r.page->data_tail;
	return r;
}

/* The next record, or NULL. It stays valid until the next call. */
static inline const struct ring_record *ring_next(struct ring_reader *r)
{
	unsigned char *to = (unsigned char *)r->record.words;

	if (r->tail == r->head)
		return NULL;
	memcpy(&r->record.header, r->data + r->tail % r->size,
	       sizeof(r->record.header)); /* never split: all is aligned to 8 */
	for (uint64_t i = sizeof(r->record.header); i < r->record.header.size; i++)
		*to++ = r->data[(r->tail + i) % r->size];
	r->tail += r->record.header.size;
	return &r->record;
}

/* Gives the space back. */
static inline void ring_done(struct ring_reader *r)
{
	__atomic_store_n(&r->page->data_tail, r->tail, __ATOMIC_RELEASE);
}

#endif
