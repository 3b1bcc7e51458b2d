/* SPDX-License-Identifier: BSD-2-Clause */
/* Helpers of the programs that exercise perf_event_open(2): TAP, the call, loops of known
 * length. They run on Linux as well. */
#ifndef TESTS_GUEST_PERF_H
#define TESTS_GUEST_PERF_H

#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "abi/linux/perf_event.h"
#include "tests/guest/number_in_file.h"
#include "tests/guest/tap.h"
#include "tests/guest/visor.h"

static inline int perf_open(struct perf_event_attr *attr, int pid, int cpu, int group,
			    unsigned long flags)
{
	return (int)syscall(SYS_perf_event_open, attr, pid, cpu, group, flags);
}

/* As perf_open(), with the errno as a negative result. */
static inline int perf_try(struct perf_event_attr *attr, int pid, int cpu, int group,
			   unsigned long flags)
{
	int fd = perf_open(attr, pid, cpu, group, flags);

	return fd < 0 ? -errno : fd;
}

static inline struct perf_event_attr perf_attr(uint32_t type, uint64_t config)
{
	return (struct perf_event_attr){
	    .type = type, .size = sizeof(struct perf_event_attr), .config = config};
}

/* Counting in ring 3 only, off until it is enabled. */
static inline struct perf_event_attr perf_user_attr(uint32_t type, uint64_t config)
{
	struct perf_event_attr attr = perf_attr(type, config);

	attr.disabled = attr.exclude_kernel = attr.exclude_hv = 1;
	return attr;
}

/* Opens the event for this task, and closes it. Returns 0, or the errno as a negative number. */
static inline int perf_refusal(struct perf_event_attr attr)
{
	int fd = perf_try(&attr, 0, -1, -1, 0);

	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

static inline uint32_t pmu_type(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type", name);
	return (uint32_t)number_in_file(path);
}

static inline uint64_t perf_value(int fd)
{
	uint64_t values[16] = {0};

	return read(fd, values, sizeof(values)) < 0 ? UINT64_MAX : values[0];
}

/* Whether there is a PMU: otherwise what needs one is skipped. */
static inline bool have_hardware(void)
{
	struct perf_event_attr attr =
	    perf_user_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	int fd = perf_open(&attr, 0, -1, -1, 0);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static inline bool processor_is_amd(void)
{
	uint32_t eax = 0, ebx, ecx = 0, edx;

	__asm__ volatile("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
	return ebx == 0x68747541; /* "Auth" */
}

/* Executes 2 * iterations instructions (at least 1 iteration), and a few. The loop is between
 * these two labels. */
extern char perf_loop_begin[], perf_loop_end[];
__attribute__((noinline, unused)) static void perf_loop(uint64_t iterations)
{
	__asm__ volatile(".globl perf_loop_begin, perf_loop_end\n"
			 "perf_loop_begin:\n"
			 "1: dec %0\n"
			 "jnz 1b\n"
			 "perf_loop_end:"
			 : "+r"(iterations)
			 :
			 : "cc");
}

/* ---- the ring ---- */

struct perf_ring {
	struct perf_event_mmap_page *page;
	unsigned char *data;
	uint64_t size, tail;
};

static inline bool perf_map(struct perf_ring *ring, int fd, unsigned pages, int prot)
{
	void *map = mmap(NULL, (1 + pages) * 4096ul, prot, MAP_SHARED, fd, 0);

	ring->page = map;
	ring->data = (unsigned char *)map + 4096;
	ring->size = pages * 4096ul;
	ring->tail = 0;
	return map != MAP_FAILED;
}

static inline void perf_unmap(struct perf_ring *ring)
{
	munmap(ring->page, 4096 + ring->size);
}

struct perf_record {
	struct perf_event_header header;
	uint64_t words[8192]; /* after the header */
};

/* Takes the next record out of the ring; false when there is none. */
static inline bool perf_next(struct perf_ring *ring, struct perf_record *record)
{
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	unsigned char *to = (unsigned char *)record;

	if (ring->tail == head)
		return false;
	memcpy(&record->header, ring->data + ring->tail % ring->size, sizeof(record->header));
	for (unsigned i = 0; i < record->header.size; i++)
		to[i] = ring->data[(ring->tail + i) % ring->size];
	ring->tail += record->header.size;
	__atomic_store_n(&ring->page->data_tail, ring->tail, __ATOMIC_RELEASE);
	return true;
}

#endif
