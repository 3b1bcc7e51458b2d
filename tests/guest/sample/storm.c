/* SPDX-License-Identifier: BSD-2-Clause */
/* Clocks that sample as often as they may, one for each processor and more: the machine makes
 * progress. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "abi/linux/perf_event.h"
#include "tests/guest/tap.h"

#define THREADS  4
#define TURNS    2000000
#define PERIOD   10000 /* ns, the shortest */
#define RING     (9 * 4096ul)
#define PER_TASK 3

static void open_clock(unsigned which)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = sizeof(attr),
				       .config = which ? PERF_COUNT_SW_CPU_CLOCK
						       : PERF_COUNT_SW_TASK_CLOCK,
				       .sample_period = PERIOD,
				       .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID |
						      PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);

	if (fd >= 0)
		mmap(NULL, RING, PROT_READ, MAP_SHARED, fd, 0);
}

static void *work(void *opened)
{
	for (unsigned i = 0; opened && i < PER_TASK; i++)
		open_clock(i);
	for (volatile unsigned i = 0; i < TURNS; i++)
		;
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];
	struct timespec nap = {.tv_nsec = 1000000};

	for (unsigned i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, "");
	for (unsigned i = 0; i < 20; i++)
		nanosleep(&nap, NULL);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	ok(true, "threads under a storm of clock samples end, and who sleeps wakes");
	return tap_end();
}
