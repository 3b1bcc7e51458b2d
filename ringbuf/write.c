/* SPDX-License-Identifier: BSD-2-Clause */
/* Writing records: strings, user memory, the next page; ringbuf/place.h has the rest. */
#include <stddef.h>
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "ringbuf/ring.h"

void ring_next_page(struct ring_writer *writer)
{
	struct ring *ring = writer->ring;

	writer->page = (writer->page + 1) & (ring->nr_pages - 1);
	writer->at = ring->pages[writer->page];
	writer->end = writer->at + PAGE_SIZE / sizeof(uint64_t);
}

void ring_write_string(struct ring_writer *writer, const char *text, uint32_t bytes)
{
	for (; bytes; bytes -= sizeof(uint64_t)) {
		union {
			char text[sizeof(uint64_t)];
			uint64_t value;
		} word = {.value = 0};

		for (unsigned i = 0; i < sizeof(uint64_t) && *text; i++)
			word.text[i] = *text++;
		ring_write_u64(writer, word.value);
	}
}

uint32_t ring_write_user(struct ring_writer *writer, uint64_t from, uint32_t bytes)
{
	uint32_t done = 0;
	bool readable = true;

	while (bytes) {
		uint32_t room = (uint32_t)((char *)writer->end - (char *)writer->at);
		uint32_t part = bytes < room ? bytes : room, got = 0;

		if (readable)
			got = (uint32_t)peek_user(writer->at, from + done, part);
		readable = readable && got == part;
		for (uint32_t i = got; i < part; i++)
			((char *)writer->at)[i] = 0;
		done += got;
		bytes -= part;
		writer->at += part / sizeof(uint64_t);
		if (writer->at == writer->end)
			ring_next_page(writer);
	}
	return done;
}

void ring_count_event(struct ring *ring, uint32_t wakeup_events)
{
	if (__atomic_add_fetch(&ring->events, 1, __ATOMIC_RELAXED) < wakeup_events)
		return;
	__atomic_sub_fetch(&ring->events, wakeup_events, __ATOMIC_RELAXED);
	__atomic_add_fetch(&ring->wakeup, 1, __ATOMIC_RELAXED);
}
