/* SPDX-License-Identifier: BSD-2-Clause */
/* The ring buffer against a reader written from the manual page: wrap-around, losses, overwriting,
 * writers that interrupt each other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>
#include "ringbuf/place.h"
#include "tests/host/fake/fake_kernel.h"
#include "tests/host/fake/no_pmu.h"

#define HEADER(type, size) ((type) | (uint64_t)(size) << 48)
#define LOST_BYTES         24

static uint64_t seed;

static uint64_t next_random(void)
{
	seed = seed * 6364136223846793005ul + 1442695040888963407ul;
	return seed >> 33;
}

/* Inlined once: each copy would have branches of its own in the coverage report. */
static __attribute__((noinline)) bool reserve(struct ring_writer *writer, struct ring *ring,
					      uint32_t bytes, uint32_t lost_bytes, bool backward)
{
	return ring_reserve(writer, ring, bytes, lost_bytes, backward);
}

static __attribute__((noinline)) bool finish(struct ring_writer *writer)
{
	return ring_finish(writer);
}

/* A record of `words` words after the header, all of which hold `value`; with LOST before it when
 * that is due. */
static bool write_record(struct ring *ring, uint32_t words, uint64_t value, bool backward)
{
	struct ring_writer w;

	if (!reserve(&w, ring, 8 + 8 * words, LOST_BYTES, backward))
		return false;
	if (w.reports_lost) {
		ring_write_u64(&w, HEADER(PERF_RECORD_LOST, LOST_BYTES));
		ring_write_u64(&w, 0);
		ring_write_u64(&w, w.lost);
	}
	ring_write_u64(&w, HEADER(PERF_RECORD_SAMPLE, 8 + 8 * words));
	while (words--)
		ring_write_u64(&w, value);
	finish(&w);
	return true;
}

/* A reader in this file's address space: the pages are not contiguous, so it copies word by
 * word. */
struct reader {
	struct ring *ring;
	uint64_t tail, lost, expected;
};

static uint64_t word_at(const struct ring *ring, uint64_t offset)
{
	const uint64_t *page = ring->pages[(offset >> 12) & (ring->nr_pages - 1)];

	return page[(offset & 4095) / 8];
}

/* Takes one record out; its words must be the number of the record. False when there is none. */
static bool take_record(struct reader *r)
{
	uint64_t header = word_at(r->ring, r->tail), size = header >> 48;

	if (r->tail == r->ring->user_page->data_head)
		return false;
	assert_true(size >= 8 && size % 8 == 0);
	if ((uint32_t)header == PERF_RECORD_LOST) {
		r->lost += word_at(r->ring, r->tail + 16);
		r->expected += word_at(r->ring, r->tail + 16);
	} else {
		for (uint64_t at = 8; at < size; at += 8)
			assert_int_equal(word_at(r->ring, r->tail + at), r->expected);
		r->expected++;
	}
	r->tail += size;
	r->ring->user_page->data_tail = r->tail;
	return true;
}

/* Random sizes, random reading: every record arrives once and whole, or is reported as lost. */
static void nothing_gets_lost_silently(void **state)
{
	(void)state;
	for (uint32_t pages = 1; pages <= 8; pages *= 2) {
		struct ring *ring = ring_new(pages, 0, true);
		struct reader r = {.ring = ring};
		uint64_t refused = 0, records = 100000;

		seed = pages;
		for (uint64_t i = 0; i < records; i++) {
			refused += !write_record(ring, (uint32_t)(next_random() % 100), i, false);
			for (uint64_t n = next_random() % 3; n; n--)
				take_record(&r);
		}
		while (take_record(&r))
			;
		/* Room again: the last losses are reported. */
		assert_true(write_record(ring, 1, records, false));
		while (take_record(&r))
			;
		assert_int_equal(r.expected, records + 1);
		assert_int_equal(r.lost, refused);
		assert_true(refused > 0);
		ring_put(ring);
	}
}

static void a_full_ring_keeps_one_byte(void **state)
{
	struct ring *ring = ring_new(1, 0, true);
	unsigned n = 0;

	(void)state;
	while (write_record(ring, 1, n, false))
		n++;
	assert_int_equal(n, 4095 / 16);
	assert_int_equal(ring->lost, 1);
	/* A record as large as the buffer never fits. */
	ring->user_page->data_tail = ring->user_page->data_head;
	assert_false(write_record(ring, 511, 0, false));
	assert_true(write_record(ring, 506, 0, false));
	ring_put(ring);
}

/* Any data_tail is survived. */
static void hostile_tails(void **state)
{
	struct ring *ring = ring_new(2, 0, true);

	(void)state;
	seed = 7;
	for (unsigned i = 0; i < 100000; i++) {
		ring->user_page->data_tail = next_random() << 31 ^ next_random();
		ring->user_page->data_size = next_random();
		ring->user_page->data_offset = next_random();
		write_record(ring, (uint32_t)(next_random() % 600), i, false);
	}
	ring_put(ring);
}

static void overwriting(void **state)
{
	struct ring *ring = ring_new(2, 0, false);

	(void)state;
	for (unsigned i = 0; i < 5000; i++)
		assert_true(write_record(ring, 3, i, false));
	assert_int_equal(ring->user_page->data_head, 5000 * 32);
	for (unsigned i = 0; i < 8192 / 32; i++)
		assert_int_equal(word_at(ring, 5000 * 32 - 8192 + i * 32 + 8),
				 5000 - 8192 / 32 + i);
	assert_int_equal(ring->lost, 0);
	ring_put(ring);
}

/* Backward: from data_head upwards the newest come first. */
static void backward(void **state)
{
	struct ring *ring = ring_new(2, 0, false);
	uint64_t at;

	(void)state;
	for (unsigned i = 0; i < 5000; i++)
		assert_true(write_record(ring, i % 7, i, true));
	at = ring->user_page->data_head;
	for (unsigned i = 4999; i > 4800; i--) {
		uint64_t size = word_at(ring, at) >> 48;

		assert_int_equal(size, 8 + 8 * (i % 7));
		if (size > 8)
			assert_int_equal(word_at(ring, at + size - 8), i);
		at += size;
	}
	ring_put(ring);
}

static void backward_does_not_overrun_its_reader(void **state)
{
	struct ring *ring = ring_new(1, 0, true);
	unsigned n = 0;

	(void)state;
	while (write_record(ring, 1, n, true))
		n++;
	assert_int_equal(n, 4095 / 16);
	ring_put(ring);
}

/* A writer that is interrupted `depth` times at every step; only whole records below data_head. */
static void nested_writers(void **state)
{
	struct ring *ring = ring_new(4, 0, true);
	struct ring_writer w[3];

	(void)state;
	for (unsigned round = 0; round < 1000; round++) {
		uint64_t head = ring->user_page->data_head;

		ring->user_page->data_tail = head;
		for (unsigned i = 0; i < 3; i++) {
			assert_true(reserve(&w[i], ring, 24, LOST_BYTES, false));
			ring_write_u64(&w[i], HEADER(PERF_RECORD_SAMPLE, 24));
			ring_write_u64(&w[i], i);
		}
		/* The inner ones end first; nothing is published until the outermost has. */
		for (unsigned i = 2; i < 3; i--) {
			assert_int_equal(ring->user_page->data_head, head);
			ring_write_u64(&w[i], 100 + i);
			finish(&w[i]);
		}
		assert_int_equal(ring->user_page->data_head, head + 3 * 24);
		for (unsigned i = 0; i < 3; i++) {
			assert_int_equal(word_at(ring, head + i * 24),
					 HEADER(PERF_RECORD_SAMPLE, 24));
			assert_int_equal(word_at(ring, head + i * 24 + 8), i);
			assert_int_equal(word_at(ring, head + i * 24 + 16), 100 + i);
		}
		assert_int_equal(ring->nest, 0);
	}
	ring_put(ring);
}

static bool finish_one(struct ring *ring, uint32_t words)
{
	struct ring_writer w;

	assert_true(reserve(&w, ring, 8 + 8 * words, 0, false));
	ring_write_u64(&w, HEADER(PERF_RECORD_SAMPLE, 8 + 8 * words));
	while (words--)
		ring_write_u64(&w, 0);
	return finish(&w);
}

static void watermarks(void **state)
{
	/* 0: half the buffer; more than the buffer: all of it. */
	static const struct {
		uint64_t asked, got;
	} cases[] = {{0, 2048}, {100, 100}, {4096, 4096}, {1 << 20, 4096}};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ring *ring = ring_new(1, cases[i].asked, true);
		uint64_t bytes = 0;
		bool woken = false;

		while (!woken && bytes < 8192) {
			ring->user_page->data_tail = ring->user_page->data_head;
			woken = finish_one(ring, 3);
			bytes += 32;
		}
		assert_int_equal(bytes, cases[i].got / 32 * 32 + 32);
		ring_put(ring);
	}
}

static void paused_and_empty(void **state)
{
	struct ring *ring = ring_new(1, 0, true), *none = ring_new(0, 0, true);

	(void)state;
	ring->paused = true;
	assert_false(write_record(ring, 1, 0, false));
	assert_false(write_record(ring, 1, 0, false));
	ring->paused = false;
	assert_true(write_record(ring, 1, 0, false));
	assert_int_equal((uint32_t)word_at(ring, 0), PERF_RECORD_LOST);
	assert_int_equal(word_at(ring, 16), 2);
	assert_false(write_record(none, 1, 0, false));
	assert_int_equal(none->lost, 0);
	ring_put(ring);
	ring_put(none);
}

static void strings_are_padded(void **state)
{
	struct ring *ring = ring_new(1, 0, true);
	struct ring_writer w;

	(void)state;
	assert_true(reserve(&w, ring, 32, 0, false));
	ring_write_u64(&w, HEADER(PERF_RECORD_COMM, 32));
	ring_write_string(&w, "0123456789", 24);
	finish(&w);
	assert_memory_equal((char *)ring->pages[0] + 8, "0123456789\0\0\0\0\0\0\0\0\0\0\0\0\0", 24);
	ring_put(ring);
}

/* A program's memory goes over as far as it can be read, from one page of the ring to the next;
 * what cannot be is zeros, so that the record keeps its size. */
static void user_memory_is_copied_as_far_as_it_reads(void **state)
{
	enum { BYTES = 4096, AT = 0x400000 };
	static const char zeros[BYTES];
	static uint8_t from[BYTES];
	struct ring *ring = ring_new(2, 0, true);
	struct ring_writer w;

	(void)state;
	for (unsigned i = 0; i < BYTES; i++)
		from[i] = (uint8_t)(i * 7 + 1);
	fake_code = (struct fake_code){.code = from, .bytes = BYTES, .at = AT};
	assert_true(write_record(ring, 63, 1, false)); /* 512 bytes, so that the next crosses */
	assert_true(reserve(&w, ring, 8 + 4088, 0, false));
	ring_write_u64(&w, HEADER(PERF_RECORD_SAMPLE, 4096));
	assert_int_equal(ring_write_user(&w, AT, 4088), 4088);
	finish(&w);
	assert_memory_equal((char *)ring->pages[0] + 520, from, 4096 - 520);
	assert_memory_equal(ring->pages[1], from + 4096 - 520, 512);
	ring->user_page->data_tail = ring->user_page->data_head;
	assert_true(reserve(&w, ring, 8 + 4088, 0, false));
	ring_write_u64(&w, HEADER(PERF_RECORD_SAMPLE, 4096));
	/* 1024 bytes, and beyond them none of the program's. */
	assert_int_equal(ring_write_user(&w, AT + BYTES - 1024, 4088), 1024);
	finish(&w);
	assert_memory_equal((char *)ring->pages[1] + 520, from + BYTES - 1024, 1024);
	assert_memory_equal((char *)ring->pages[1] + 520 + 1024, zeros, 4096 - 520 - 1024);
	assert_memory_equal(ring->pages[0], zeros, 512);
	fake_code = (struct fake_code){0};
	ring_put(ring);
}

/* Every second event wakes its reader. */
static void events_are_counted_to_a_wakeup(void **state)
{
	struct ring *ring = ring_new(1, 0, true);

	(void)state;
	for (unsigned i = 1; i <= 4; i++) {
		struct ring_writer w;

		assert_true(reserve(&w, ring, 8, 0, false));
		ring_write_u64(&w, HEADER(PERF_RECORD_SAMPLE, 8));
		ring_count_event(ring, 2);
		assert_int_equal(finish(&w), i % 2 == 0);
	}
	ring_put(ring);
}

static void only_its_own_pages_are_mapped(void **state)
{
	struct ring *ring = ring_new(2, 0, true);

	(void)state;
	assert_ptr_equal(ring_page(ring, 0), ring->user_page);
	assert_ptr_equal(ring_page(ring, 2), ring->pages[1]);
	assert_null(ring_page(ring, 3));
	assert_null(ring_page(ring, UINT64_MAX));
	ring_put(ring);
}

/* Each allocation fails in turn: no ring, and nothing is left. */
static void without_memory(void **state)
{
	struct ring *ring = NULL;
	unsigned held = fake_open_objects;

	(void)state;
	for (unsigned n = 1; !ring; n++) {
		assert_int_equal(fake_open_objects, held);
		assert_in_range(n, 1, 5);
		fake_fails_after = n;
		ring = ring_new(2, 0, true);
	}
	fake_fails_after = 0;
	ring_put(ring);
	assert_null(ring_new(1 << 20, 0, true));
	assert_int_equal(fake_open_objects, held);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(nothing_gets_lost_silently),
	    TEST(a_full_ring_keeps_one_byte),
	    TEST(hostile_tails),
	    TEST(overwriting),
	    TEST(backward),
	    TEST(backward_does_not_overrun_its_reader),
	    TEST(nested_writers),
	    TEST(watermarks),
	    TEST(paused_and_empty),
	    TEST(strings_are_padded),
	    TEST(user_memory_is_copied_as_far_as_it_reads),
	    TEST(events_are_counted_to_a_wakeup),
	    TEST(only_its_own_pages_are_mapped),
	    TEST(without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
