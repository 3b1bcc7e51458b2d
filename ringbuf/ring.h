/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The mmap'd buffer of perf_event_open(2): a user page and 2^n data pages. It knows nothing of
 * events.
 *
 * One processor writes at a time, but its task, interrupt and NMI code nest. Space is reserved by a
 * compare and exchange of `head`; the outermost writer alone publishes data_head, so that the
 * reader sees whole records only.
 */
#ifndef RINGBUF_RING_H
#define RINGBUF_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "abi/linux/perf_event.h"
#include "kernel/base/list.h"
#include "kernel/base/string.h"

struct aux_area;

struct ring {
	struct perf_event_mmap_page *user_page;
	uint32_t nr_pages;  /* data pages: 0 or a power of two */
	bool overwrite;     /* mapped read-only: old records give way, data_tail means nothing */
	bool paused;        /* takes no records. Task writes, all read */
	uint32_t poll;      /* POLL* bits since the last poll(). Atomic */
	uint64_t watermark; /* bytes between two wake-ups */
	uint64_t mask;      /* ring_data_bytes() - 1; nothing while there are no pages */

	/* Shared by the nested writers of one processor; atomic. */
	uint64_t head;   /* bytes reserved since the start */
	uint64_t wakeup; /* advances when readers must be woken */
	uint64_t lost;   /* records since the last LOST record */
	uint32_t events; /* samples since the last wake-up by number of events */
	uint32_t nest;   /* writers under way */

	/* Task only. */
	uint32_t refs;         /* atomic: events that write here, and mappings */
	uint32_t mmap_count;   /* mappings */
	uint64_t locked_extra; /* pages charged to the mm of the first mapping */
	uint32_t charged_uid;  /* whose account the others are on */
	/* the event that may write index, offset and times of the user page */
	const void *owner;
	struct list users; /* the events that write to this ring */
	struct aux_area
	    *aux; /* ringbuf/aux.h. NULL: none is mapped. Atomic: task writes, NMI reads */

	void *pages[]; /* data pages, in the direct map */
};

/* A record being written. Lives on the writer's stack. */
struct ring_writer {
	struct ring *ring;
	uint64_t *at, *end; /* inside the current page */
	uint32_t page;
	uint64_t wakeup;   /* ring->wakeup when the outermost writer began */
	bool reports_lost; /* a LOST record goes first */
	uint64_t lost;     /* number of lost records; 0: a nested writer has reported them */
};

/*
 * A buffer of `nr_pages` data pages with one reference, or NULL. `watermark`: bytes between
 * wake-ups, 0: half the buffer. `writable`: the application moves data_tail; otherwise old records
 * are overwritten. Context: task.
 */
struct ring *ring_new(uint32_t nr_pages, uint64_t watermark, bool writable);
void ring_get(struct ring *ring);
/* Drops a reference; the last one frees the pages (mappings hold references to theirs). Context:
 * task. */
void ring_put(struct ring *ring);
/* The page at `index` of the mapping (0: user page), or NULL beyond the end. Context: task. */
void *ring_page(const struct ring *ring, uint64_t index);

static inline uint64_t ring_data_bytes(const struct ring *ring)
{
	return (uint64_t)ring->nr_pages << 12;
}

/* Leaves the current page. For ring_write_u64(). */
void ring_next_page(struct ring_writer *writer);

/* Appends one word. Context: any. */
static inline void ring_write_u64(struct ring_writer *writer, uint64_t value)
{
	*writer->at++ = value;
	if (writer->at == writer->end)
		ring_next_page(writer);
}

/* True if the current page has room for more than `words` words. */
static inline bool ring_page_has(const struct ring_writer *writer, size_t words)
{
	return (size_t)(writer->end - writer->at) > words;
}

/* Appends words. Context: any. */
static inline void ring_write_words(struct ring_writer *writer, const uint64_t *words, size_t nr)
{
	if (ring_page_has(writer, nr)) {
		memcpy(writer->at, words, nr * sizeof(*words));
		writer->at += nr;
		return;
	}
	for (size_t i = 0; i < nr; i++)
		ring_write_u64(writer, words[i]);
}

/*
 * Returns a pointer for up to `most` words: into the ring if the page has room, else `scratch`.
 * ring_put_end() appends them: `at` is the returned pointer, `end` is after the last word. Context:
 * any.
 */
static inline uint64_t *ring_put_begin(const struct ring_writer *writer, uint64_t *scratch,
				       size_t most)
{
	return ring_page_has(writer, most) ? writer->at : scratch;
}

static inline void ring_put_end(struct ring_writer *writer, const uint64_t *scratch,
				const uint64_t *at, uint64_t *end)
{
	if (at == scratch)
		ring_write_words(writer, scratch, (size_t)(end - scratch));
	else
		writer->at = end;
}

/* Two 32-bit halves as a word, the first at the lower address. */
static inline uint64_t ring_word(uint32_t first, uint32_t second)
{
	return first | (uint64_t)second << 32;
}

static inline void ring_write_u32s(struct ring_writer *writer, uint32_t first, uint32_t second)
{
	ring_write_u64(writer, ring_word(first, second));
}

/* Appends a string with its NUL, padded with zeros to `bytes` (a multiple of 8). */
void ring_write_string(struct ring_writer *writer, const char *text, uint32_t bytes);

/*
 * Appends `bytes` (a multiple of 8) of the current task's memory at `from` as far as it can be read
 * without a fault, and zeros for the rest. Returns the number of bytes read.
 */
uint32_t ring_write_user(struct ring_writer *writer, uint64_t from, uint32_t bytes);

/* Counts a sample for wakeup_events: every `wakeup_events`th asks for a wake-up. */
void ring_count_event(struct ring *ring, uint32_t wakeup_events);

#endif
