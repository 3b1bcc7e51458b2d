/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The AUX area: 2^n pages beside a ring, which a PMU's hardware fills by itself. Records in the
 * ring report which parts are new. One writer at a time: task code or the NMI of the processor that
 * its event counts on.
 */
#ifndef RINGBUF_AUX_H
#define RINGBUF_AUX_H

#include <stdbool.h>
#include <stdint.h>

struct ring_writer;

struct aux_area {
	uint32_t nr_pages;
	bool overwrite;      /* mapped read-only: old data is overwritten, aux_tail means nothing */
	uint64_t page_index; /* of its mapping */
	uint64_t watermark;  /* bytes between two wake-ups */
	uint64_t head;       /* bytes so far. The writer's */
	uint64_t wakeup; /* head at the last wake-up, rounded down to the watermark. The writer's */
	bool busy;       /* a writer has begun and not ended. Set and cleared by the writer */
	bool in_sample;  /* a sample takes a part of it. Its processor's */
	uint32_t mmap_count; /* mappings; 0: no writer may begin. Task writes, NMI reads */
	uint64_t locked_extra;
	uint32_t charged_uid;
	/* The PMU's own, and its destructor (NULL: none). Constant while there are mappings. */
	void *hardware;
	void (*free_hardware)(void *hardware);
	void *pages[]; /* in the direct map */
};

/* Allocates an area of `nr_pages` (a power of two) for a mapping at page `index`. `watermark` 0:
 * half of it. Returns NULL without memory. Context: task. */
struct aux_area *aux_new(uint32_t nr_pages, uint64_t index, uint64_t watermark, bool overwrite);
/* Frees the PMU's part and drops the pages; no writer may be under way. Context: task. */
void aux_free(struct aux_area *aux);

/* Appends `bytes` (a multiple of 8) of the area to a record, from an offset on that may be any
 * number: the area is a ring. Context: any. */
void aux_copy(const struct aux_area *aux, uint64_t from, struct ring_writer *writer,
	      uint32_t bytes);

static inline uint64_t aux_bytes(const struct aux_area *aux)
{
	return (uint64_t)aux->nr_pages << 12;
}

/* Bytes that may be written at `head`, by the reader's `tail`, which may have any value; one byte
 * stays free, so that a full area differs from an empty one. */
static inline uint64_t aux_room(const struct aux_area *aux, uint64_t tail)
{
	uint64_t bytes = aux_bytes(aux);

	if (aux->head - tail >= bytes)
		return 0;
	return (tail - aux->head - 1) & (bytes - 1);
}

#endif
