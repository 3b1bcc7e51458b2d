/* SPDX-License-Identifier: BSD-2-Clause */
/* Writers that interrupt another writer between two steps, as NMIs do: the ring's user page is
 * not accessible, so each access to it faults, and the fault handler writes a record. For each
 * path of a record. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>
#include <sys/mman.h>
#include "arch/x86/cpu/frame.h"
#include "kernel/file/descriptor_table.h"
#include "kernel/file/file.h"
#include "kernel/mem/memory.h"
#include "pmu/core/core.h"
#include "ringbuf/ring.h"
#include "tests/host/fake/fake_machine.h"
#include "tests/host/fake/no_pmu.h"
#include "tests/host/kernel/ring_reader.h"
#include "pmu/record/sample.h"
#include "pmu/record/records.h"

#define PAGES 2ul

static struct ring *ring;
static struct perf_event *event;
static unsigned interrupted;

static struct frame frame = {.rip = FAKE_USER_RIP, .cs = 0x23, .rsp = 0x7fffffff0000};

static void write_sample(void)
{
	sample_write(event, &frame, 0, 1);
}

static void write_other(void)
{
	struct ring_writer w;

	if (!record_begin(&w, event, PERF_RECORD_COMM, 0, 24))
		return;
	ring_write_u64(&w, 1);
	ring_write_u64(&w, 2);
	record_finish(&w, event);
}

/* The writer that comes in between. */
static void interrupt(int signo)
{
	(void)signo;
	interrupted++;
	mprotect(ring->user_page, PAGE_SIZE, PROT_READ | PROT_WRITE);
	write_other();
}

static void write_interrupted(void (*write)(void))
{
	const struct sigaction action = {.sa_handler = interrupt, .sa_flags = SA_NODEFER};
	struct sigaction cmocka;

	sigaction(SIGSEGV, &action, &cmocka);
	assert_int_equal(mprotect(ring->user_page, PAGE_SIZE, PROT_NONE), 0);
	write();
	sigaction(SIGSEGV, &cmocka, NULL);
	mprotect(ring->user_page, PAGE_SIZE, PROT_READ | PROT_WRITE);
}

/* Writers: samples of one word, of all sizes, and records beside samples. */
static const struct {
	uint64_t sample_type;
	void (*write)(void);
	uint32_t type;
} ways[] = {
    {PERF_SAMPLE_IP, write_sample, PERF_RECORD_SAMPLE},
    {PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN, write_sample, PERF_RECORD_SAMPLE},
    {PERF_SAMPLE_IP, write_other, PERF_RECORD_COMM},
};

struct map {
	int fd;
	void *at;
};

static struct map open_pages(unsigned way, unsigned pages, bool writable, bool backward)
{
	struct perf_event_attr attr = fake_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	struct map map;
	struct file *file;
	int error;

	attr.sample_period = 1;
	attr.wakeup_events = 1;
	attr.sample_type = ways[way].sample_type;
	attr.write_backward = backward;
	map.fd = fake_open(&attr, 0, -1, -1, 0);
	assert_true(map.fd >= 0);
	map.at = fake_mmap(map.fd, 1 + pages, writable, &error);
	assert_non_null(map.at);
	file = fd_get(map.fd);
	event = file->priv;
	ring = event->ring;
	file_put(file);
	return map;
}

static struct map open_ring(unsigned way, bool writable, bool backward)
{
	return open_pages(way, PAGES, writable, backward);
}

static void close_ring(struct map map)
{
	fake_munmap(map.fd, map.at);
	fake_close(map.fd);
}

/* Interrupted while reading data_tail: the inner record is first, and both are there once. */
static void between_look_and_take(void **state)
{
	(void)state;
	for (unsigned way = 0; way < sizeof(ways) / sizeof(ways[0]); way++) {
		struct map map = open_ring(way, true, false);
		struct ring_reader reader;
		const struct ring_record *record;

		interrupted = 0;
		write_interrupted(ways[way].write);
		assert_int_equal(interrupted, 1);
		reader = ring_reader(map.at, PAGES);
		record = ring_next(&reader);
		assert_non_null(record);
		assert_int_equal(record->header.type, PERF_RECORD_COMM);
		record = ring_next(&reader);
		assert_non_null(record);
		assert_int_equal(record->header.type, ways[way].type);
		assert_null(ring_next(&reader));
		assert_int_equal(ring->nest, 0);
		close_ring(map);
	}
}

/* Interrupted while publishing, with no tail to read: the inner record is second, and is
 * published as well. */
static void between_publish_and_end(void **state)
{
	(void)state;
	for (unsigned way = 0; way < sizeof(ways) / sizeof(ways[0]); way++) {
		for (unsigned backward = 0; backward < 2; backward++) {
			struct map map = open_ring(way, false, backward);

			interrupted = 0;
			write_interrupted(ways[way].write);
			assert_int_equal(interrupted, 1);
			assert_int_equal(ring->user_page->data_head, ring->head);
			assert_int_equal(ring->nest, 0);
			close_ring(map);
		}
	}
}

/* A full ring takes no record, in either direction. Once there is room, the next record says how
 * many were lost. */
static void full(void **state)
{
	(void)state;
	for (unsigned way = 0; way < sizeof(ways) / sizeof(ways[0]); way++) {
		for (unsigned backward = 0; backward < 2; backward++) {
			struct map map = open_ring(way, true, backward);
			uint64_t head;
			unsigned written = 0;

			do {
				head = ring->head;
				ways[way].write();
			} while (ring->head != head && ++written < 10000);
			assert_in_range(written, PAGES * 4096 / 4096, PAGES * 4096 / 16);
			assert_int_equal(ring->lost, 1);
			assert_int_equal(event->lost, 1);
			assert_int_equal(ring->nest, 0);
			ring->user_page->data_tail = ring->user_page->data_head;
			ways[way].write();
			assert_int_equal(ring->lost, 0);
			close_ring(map);
		}
	}
}

static void paused(void **state)
{
	(void)state;
	for (unsigned way = 0; way < sizeof(ways) / sizeof(ways[0]); way++) {
		struct map map = open_ring(way, true, false);

		assert_int_equal(fake_ioctl(map.fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1), 0);
		ways[way].write();
		assert_int_equal(ring->head, 0);
		assert_int_equal(ring->lost, 1);
		assert_int_equal(fake_ioctl(map.fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 0), 0);
		ways[way].write();
		assert_int_equal(ring->lost, 0);
		assert_int_equal(ring->head, ring->user_page->data_head);
		close_ring(map);
	}
}

/* A user page alone: there is no room for records, and none is missed. */
static void no_pages(void **state)
{
	(void)state;
	for (unsigned way = 0; way < sizeof(ways) / sizeof(ways[0]); way++) {
		struct map map = open_pages(way, 0, true, false);

		ways[way].write();
		assert_int_equal(ring->head, 0);
		assert_int_equal(ring->lost, 0);
		assert_int_equal(event->lost, 0);
		close_ring(map);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(between_look_and_take),
	    TEST(between_publish_and_end),
	    TEST(full),
	    TEST(paused),
	    TEST(no_pages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
