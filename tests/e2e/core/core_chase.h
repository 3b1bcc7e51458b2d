/* SPDX-License-Identifier: BSD-2-Clause */
/* Chases through memory, whose only load of it is chase_load, and the sampled loads. */
#ifndef TESTS_E2E_CORE_CHASE_H
#define TESTS_E2E_CORE_CHASE_H

#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "core_memory.h"

enum { LINE = 64, PAGE = 4096, LEVELS = 5 }; /* L1D, a fill buffer, L2, L3, memory */

struct chase {
	const char *name;
	unsigned kib, threshold;
	unsigned spread; /* instructions between two steps */
};

extern const char chase_load[], chase_end[];

/* A ring through all lines, in random order. */
static char *make(const struct chase *c)
{
	unsigned lines = c->kib * 1024 / LINE;
	uint32_t *order = memory(lines * sizeof(*order));
	char *buffer = memory(c->kib * 1024);

	for (unsigned i = 0; i < lines; i++) {
		unsigned j = number() % (i + 1);

		order[i] = order[j];
		order[j] = i;
	}
	for (unsigned i = 0; i < lines; i++)
		*(void **)(buffer + order[i] * LINE) = buffer + order[(i + 1) % lines] * LINE;
	munmap(order, lines * sizeof(*order));
	return buffer;
}

static __attribute__((noinline, noclone)) char *run(char *at, unsigned steps, unsigned spread)
{
	__asm__ volatile("1: mov %2, %%ecx\n"
			 "2: dec %%ecx\n"
			 "jns 2b\n"
			 "chase_load: mov (%0), %0\n"
			 "chase_end: dec %1\n"
			 "jnz 1b\n"
			 : "+r"(at), "+r"(steps)
			 : "r"(spread)
			 : "rcx", "memory");
	return at;
}

/* Loads that were sampled. */
struct loads {
	unsigned samples, known, shortest, longest, levels[LEVELS];
};

/* Adds a load of `cycles` cycles. `known`: its address is the chase's. */
static inline void loads_add(struct loads *loads, uint64_t cycles, int known)
{
	loads->samples++;
	loads->known += known;
	if (!loads->shortest || cycles < loads->shortest)
		loads->shortest = (unsigned)cycles;
	if (cycles > loads->longest)
		loads->longest = (unsigned)cycles;
}

static inline void loads_print(const char *name, const struct loads *loads)
{
	printf("%s: %u %u %u %u", name, loads->samples, loads->known, loads->shortest,
	       loads->longest);
	for (unsigned i = 0; i < LEVELS; i++)
		printf(" %u", loads->levels[i]);
	printf("\n");
}

static inline struct perf_event_mmap_page *ring_map(int fd, unsigned pages)
{
	void *page = mmap(NULL, (1 + pages) * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	check(page == MAP_FAILED ? -1 : 0, "mmap of the ring");
	return page;
}

/* Copies `bytes` from a place of the ring's. */
static void ring_copy(const struct perf_event_mmap_page *page, uint64_t at, void *to,
		      unsigned bytes)
{
	const char *data = (const char *)page + page->data_offset;

	for (unsigned i = 0; i < bytes; i++)
		((char *)to)[i] = data[(at + i) % page->data_size];
}

/* Copies the next sample of the ring's, which begins with its header, and moves *at after it. 0:
 * there is none. */
static inline int ring_next(const struct perf_event_mmap_page *page, uint64_t *at, void *sample,
			    unsigned bytes)
{
	const struct perf_event_header *header = sample;

	while (*at < page->data_head) {
		ring_copy(page, *at, sample, bytes);
		*at += header->size;
		if (header->type == PERF_RECORD_SAMPLE)
			return 1;
	}
	return 0;
}

/* An event that samples chases: `leader` turns it on, which may be the event itself. */
struct sampler {
	int fd, leader;
	unsigned pages, bytes; /* of the ring; of a sample, at most SAMPLE_BYTES */
	/* Adds a sample to the result. `size`: bytes of the chase's buffer. */
	void (*take)(void *result, const void *sample, const char *buffer, unsigned size);
};
#define SAMPLE_BYTES 256

/* Gives all samples of the ring to the sampler's take(). */
static inline void ring_take(const struct sampler *s, const struct perf_event_mmap_page *page,
			     void *result, const char *buffer, unsigned size)
{
	uint64_t sample[SAMPLE_BYTES / sizeof(uint64_t)];

	for (uint64_t at = page->data_tail; ring_next(page, &at, sample, s->bytes);)
		s->take(result, sample, buffer, size);
}

/* Samples a chase of `steps` steps, and closes the events. */
static inline void chase_sample(const struct sampler *s, const struct chase *c, unsigned steps,
				void *result)
{
	unsigned size = c->kib * 1024;
	char *buffer = make(c), *at = run(buffer, size / LINE, 0);
	struct perf_event_mmap_page *page = ring_map(s->fd, s->pages);

	ioctl(s->leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
	run(at, steps, c->spread);
	ioctl(s->leader, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
	ring_take(s, page, result, buffer, size);
	munmap(page, (1 + s->pages) * PAGE);
	munmap(buffer, size);
	close(s->fd);
	if (s->leader != s->fd)
		close(s->leader);
}

#endif
