/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Uses memory while nothing is counted, in a way that moves its pages, then counts loads of it, and
 * prints "EVENT VALUE", for tests/e2e/core/core_replay.t. usage: core_replay KIB ROUNDS: KIB of
 * memory, ROUNDS of other work before it counts.
 */
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "core_memory.h"

enum { WORDS_OF_PAGE = 512, EVENTS = 6, LOADS = 50000 };

#define CACHE(cache, result) PERF_TYPE_HW_CACHE, (PERF_COUNT_HW_CACHE_##cache | (result) << 16)

static const struct event {
	const char *name;
	uint32_t type;
	uint64_t config;
	int fd;
} events[EVENTS] = {
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0},
    {"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, 0},
    {"l1d-misses", CACHE(L1D, 1), 0},
    {"last-loads", CACHE(LL, 0), 0},
    {"last-misses", CACHE(LL, 1), 0},
    {"tlb-misses", CACHE(DTLB, 1), 0},
};

static uint64_t load_somewhere(const uint64_t *words, size_t nr, unsigned loads)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < loads; i++) {
		uint64_t word = words[number() % nr];

		sum += word % 3 ? word : i;
	}
	return sum;
}

/* A child writes to all pages, which it shares with its parent until then; then to the parent's own
 * of a mapping that goes. */
static void move_pages(uint64_t *words, size_t nr)
{
	int child = fork(), status;
	uint64_t *other;

	check(child, "fork");
	for (size_t i = child ? 0 : WORDS_OF_PAGE / 2; i < nr; i += WORDS_OF_PAGE)
		words[i] = i;
	if (!child)
		_exit(0);
	check(waitpid(child, &status, 0), "waitpid");
	other = memory(nr * sizeof(*words));
	memset(other, 1, nr * sizeof(*words));
	munmap(other, nr * sizeof(*words));
}

/* Work that touches few lines. */
static uint64_t do_something_else(unsigned rounds)
{
	static volatile uint64_t words[512];

	for (unsigned i = 0; i < rounds; i++)
		words[number() % 512] += i;
	return words[0];
}

static int open_event(const struct event *event)
{
	struct perf_event_attr attr = {.type = event->type,
				       .size = sizeof(attr),
				       .config = event->config,
				       .exclude_kernel = 1};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);

	check(fd, event->name);
	return fd;
}

int main(int argc, char **argv)
{
	size_t nr = argc == 3 ? (strtoul(argv[1], NULL, 10) << 10) / sizeof(uint64_t) : 0;
	uint64_t *words, sum, value;
	int fds[EVENTS];

	if (!nr)
		return 2;
	words = memory(nr * sizeof(*words));
	for (size_t i = 0; i < nr; i++)
		words[i] = i;
	sum = load_somewhere(words, nr, LOADS);
	move_pages(words, nr);
	sum += load_somewhere(words, nr, LOADS);
	sum += do_something_else(strtoul(argv[2], NULL, 10));
	for (unsigned i = 0; i < EVENTS; i++)
		fds[i] = open_event(&events[i]);
	sum += load_somewhere(words, nr, LOADS);
	for (unsigned i = 0; i < EVENTS; i++) {
		check(ioctl(fds[i], PERF_EVENT_IOC_DISABLE, 0), "ioctl");
		check(read(fds[i], &value, sizeof(value)) - (int)sizeof(value), "read");
		printf("%s %llu\n", events[i].name, (unsigned long long)value);
	}
	return sum == 1;
}
