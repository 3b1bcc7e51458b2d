/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Does things whose cache and branch behaviour is known, measures each by perf_event_open(2), and
 * prints "NAME: EVENT EVENT ...", each in thousandths of an operation, for
 * tests/e2e/core/core_shapes.t.
 */
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "core_memory.h"

enum { EVENTS = 4, NUMBERS = 32768, SIDE = 1024, LINE = 64 };

struct event {
	uint32_t type;
	uint64_t config;
};

/* Raw events are Skylake's. */
static const struct event cycles = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES};
static const struct event misses = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES};
static const struct event miss_l1 = {PERF_TYPE_RAW, 0x08d1}; /* MEM_LOAD_RETIRED.L1_MISS */
static const struct event miss_l2 = {PERF_TYPE_RAW, 0x10d1};
static const struct event miss_l3 = {PERF_TYPE_RAW, 0x20d1};
static const struct event stlb_hit = {PERF_TYPE_RAW, 0x2008}; /* DTLB_LOAD_MISSES.STLB_HIT */
static const struct event walk = {PERF_TYPE_RAW, 0x0108};     /* .MISS_CAUSES_A_WALK */
static const struct event hitm = {PERF_TYPE_RAW, 0x04d2}; /* MEM_LOAD_L3_HIT_RETIRED.XSNP_HITM */

static unsigned period; /* of the first event's samples, which are not read; 0: there are none */

static void begin(int fds[EVENTS], const struct event *const events[EVENTS])
{
	for (unsigned i = 0; i < EVENTS; i++) {
		struct perf_event_attr attr = {.type = events[i]->type,
					       .size = sizeof(attr),
					       .config = events[i]->config,
					       .disabled = !i,
					       .sample_period = i ? 0 : period,
					       .exclude_kernel = 1};

		fds[i] = syscall(SYS_perf_event_open, &attr, 0, -1, i ? fds[0] : -1, 0);
		if (fds[i] < 0) {
			perror("perf_event_open");
			exit(1);
		}
	}
	ioctl(fds[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
}

static void end(const int fds[EVENTS], const char *name, unsigned argument, unsigned operations)
{
	ioctl(fds[0], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
	printf("%s%u:", name, argument);
	for (unsigned i = 0; i < EVENTS; i++) {
		uint64_t count = 0;

		if (read(fds[i], &count, sizeof(count)) != sizeof(count))
			exit(1);
		printf(" %llu", (unsigned long long)(count * 1000 / operations));
	}
	printf("\n");
	for (unsigned i = EVENTS; i--;)
		close(fds[i]);
}

/* Joins `count` places, `step` bytes apart, in random order. Returns the first. */
static void **join(char *buffer, unsigned count, unsigned step)
{
	uint32_t *order = memory(count * sizeof(*order));

	for (unsigned i = 0; i < count; i++) {
		unsigned j = number() % (i + 1);

		order[i] = order[j];
		order[j] = i;
	}
	for (unsigned i = 0; i < count; i++)
		*(void **)(buffer + (size_t)order[i] * step) =
		    buffer + (size_t)order[(i + 1) % count] * step;
	munmap(order, count * sizeof(*order));
	return (void **)buffer;
}

/* A chase through all lines of some KiB, in random order: the second round. */
static void chase(unsigned kib)
{
	static const struct event *const events[] = {&cycles, &miss_l1, &miss_l2, &miss_l3};
	unsigned lines = kib * 1024 / LINE, steps = lines < 20000 ? 20000 : lines;
	char *buffer = memory(kib * 1024);
	void **at = join(buffer, lines, LINE);
	int fds[EVENTS];

	for (unsigned i = 0; i < lines; i++)
		at = *at;
	begin(fds, events);
	for (unsigned i = 0; i < steps; i++)
		at = *(void **volatile *)at;
	end(fds, "chase", kib, steps);
	munmap(buffer, kib * 1024);
}

/* A chase through one line of each 4 KiB of 16 MiB, in pages of that size or of 2 MiB: four
 * rounds. */
static void walks(unsigned huge)
{
	static const struct event *const events[] = {&cycles, &stlb_hit, &walk, &miss_l3};
	enum { BYTES = 16 << 20, STEP = 4096 + LINE, COUNT = BYTES / STEP, STEPS = 4 * COUNT };
	void **at = join(memory_of(BYTES, huge ? MAP_HUGETLB : 0), COUNT, STEP);
	int fds[EVENTS];

	for (unsigned i = 0; i < COUNT; i++)
		at = *at;
	begin(fds, events);
	for (unsigned i = 0; i < STEPS; i++)
		at = *(void **volatile *)at;
	end(fds, "walks", huge, STEPS);
}

static void both_walks(void)
{
	FILE *pool = fopen("/proc/sys/vm/nr_hugepages", "w");

	if (!pool || fprintf(pool, "8\n") < 0 || fclose(pool)) {
		perror("nr_hugepages");
		exit(1);
	}
	walks(0);
	walks(1);
}

enum touch { TOUCH_NONE, FLUSH, FLUSH_OPT, WRITE_BACK, PREFETCH, STREAM, TOUCHES };

static void touch(char *line, enum touch how)
{
	if (how == FLUSH || how == PREFETCH)
		__asm__ volatile("clflush %0" ::"m"(*line));
	else if (how == FLUSH_OPT)
		__asm__ volatile("clflushopt %0" ::"m"(*line));
	else if (how == WRITE_BACK)
		__asm__ volatile("clwb %0" ::"m"(*line));
	else if (how == STREAM)
		__asm__ volatile("movnti %1, %0" : "=m"(*line) : "r"(1));
}

/* Does something to each line of L1D, then loads it, a few times. */
static void touches(enum touch how)
{
	static const struct event *const events[] = {&cycles, &miss_l1, &miss_l2, &miss_l3};
	enum { LINES = 256, ROUNDS = 64 };
	char *buffer = memory(LINES * LINE);
	int fds[EVENTS];

	for (unsigned i = 0; i < LINES; i++)
		*(volatile char *)(buffer + i * LINE) = 1;
	begin(fds, events);
	for (unsigned round = 0; round < ROUNDS; round++) {
		for (unsigned i = 0; i < LINES; i++)
			touch(buffer + i * LINE, how);
		for (unsigned i = 0; how == PREFETCH && i < LINES; i++)
			__asm__ volatile("prefetcht0 %0" ::"m"(buffer[i * LINE]));
		for (unsigned i = 0; i < LINES; i++)
			(void)*(volatile char *)(buffer + i * LINE);
	}
	end(fds, "touch", how, LINES * ROUNDS);
	munmap(buffer, LINES * LINE);
}

static int by_value(const void *a, const void *b)
{
	return *(const uint8_t *)a - *(const uint8_t *)b;
}

/* Numbers of at least 128 are counted, by a branch. */
static void branches(const uint8_t *numbers, unsigned sorted)
{
	static const struct event *const events[] = {&misses, &cycles, &miss_l1, &miss_l2};
	unsigned count = 0;
	int fds[EVENTS];

	begin(fds, events);
	for (unsigned i = 0; i < NUMBERS; i++) {
		if (numbers[i] < 128)
			continue;
		count++;
		__asm__ volatile("" : "+r"(count)); /* a branch, no arithmetic in its place */
	}
	end(fds, "sorted", sorted, NUMBERS);
}

static void all_branches(void)
{
	uint8_t *numbers = memory(NUMBERS);

	for (unsigned i = 0; i < NUMBERS; i++)
		numbers[i] = number();
	branches(numbers, 0);
	qsort(numbers, NUMBERS, 1, by_value);
	branches(numbers, 1);
}

/* The sum of a matrix of 4 MiB, by rows or by columns. */
static void matrix(unsigned columns)
{
	static const struct event *const events[] = {&cycles, &miss_l1, &miss_l2, &miss_l3};
	volatile uint32_t *m = memory(SIDE * SIDE * sizeof(*m));
	uint32_t sum = 0;
	int fds[EVENTS];

	for (unsigned i = 0; i < SIDE * SIDE; i++)
		m[i] = i;
	begin(fds, events);
	for (unsigned i = 0; i < SIDE; i++)
		for (unsigned j = 0; j < SIDE; j++)
			sum += columns ? m[j * SIDE + i] : m[i * SIDE + j];
	end(fds, columns ? "columns" : "rows", 0, SIDE * SIDE);
	munmap((void *)m, SIDE * SIDE * sizeof(*m));
}

static volatile uint64_t *shared;
static unsigned apart;
static pthread_barrier_t both;

static void *add(void *which)
{
	volatile uint64_t *mine = shared + (which ? apart / 8 : 0);

	pthread_barrier_wait(&both);
	for (unsigned i = 0; i < 20000; i++)
		++*mine;
	return NULL;
}

/* Two threads that add to numbers so many bytes apart. */
static void sharing(unsigned bytes)
{
	static const struct event *const events[] = {&hitm, &miss_l1, &miss_l2, &cycles};
	pthread_t other;
	int fds[EVENTS];

	shared = memory(4096);
	apart = bytes;
	shared[0] = shared[apart / 8] = 0;
	pthread_barrier_init(&both, NULL, 2);
	begin(fds, events);
	pthread_create(&other, NULL, add, &both);
	add(NULL);
	pthread_join(other, NULL);
	end(fds, "apart", bytes, 20000);
}

/* Prints the caches of /sys: "cache0 32K 8", ... */
static void caches(void)
{
	static const char *const files[] = {"size", "ways_of_associativity"};

	for (unsigned i = 0; i < 4; i++) {
		printf("cache%u:", i);
		for (unsigned j = 0; j < 2; j++) {
			char path[96], value[32] = "";
			FILE *file;

			snprintf(path, sizeof(path),
				 "/sys/devices/system/cpu/cpu0/cache/index%u/%s", i, files[j]);
			file = fopen(path, "r");
			if (file && fscanf(file, "%31s", value) == 1)
				printf(" %s", value);
			if (file)
				fclose(file);
		}
		printf("\n");
	}
}

int main(int argc, char **argv)
{
	static const unsigned sizes[] = {16, 128, 2048, 24576};
	char what = argc == 2 ? argv[1][0] : 0;

	for (unsigned i = 0; what == 'c' && i < sizeof(sizes) / sizeof(sizes[0]); i++)
		chase(sizes[i]);
	for (period = 50000; what == 'p' && period; period = 0)
		chase(24576);
	matrix(0);
	matrix(1);
	if (what == 'b') {
		all_branches();
		caches();
	}
	for (unsigned how = 0; what == 't' && how < TOUCHES; how++)
		touches(how);
	if (what == 't')
		both_walks();
	if (what == 's')
		sharing(8), sharing(128);
	return 0;
}
