/* SPDX-License-Identifier: BSD-2-Clause */
/* The suite `cores`: how long a line takes from one processor to another, for every two of them. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "apps/bench/bench.h"
#include "apps/bench/sheet.h"
#include "apps/lib/event/pmu_id.h"

#define ROUNDS       2000
#define ROUNDS_FIRST 100  /* enough where they take ... */
#define LONG_NS      10e6 /* ... so long: emulated processors that wait for a busy host */

static struct {
	_Alignas(128) atomic_uint turn; /* even: the first one's */
	_Alignas(128) int partner;
	unsigned rounds;
} shared;

static unsigned fewest = ROUNDS; /* rounds that any two processors played */

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((unsigned)cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		fail("processor %d cannot be had", cpu);
}

/* Waits for its turn and passes it on. */
static void play(unsigned first)
{
	for (unsigned i = first; i < 2 * shared.rounds; i += 2) {
		while (atomic_load_explicit(&shared.turn, memory_order_acquire) != i)
			__builtin_ia32_pause();
		atomic_store_explicit(&shared.turn, i + 1, memory_order_release);
	}
}

static void *other(void *unused)
{
	pin(shared.partner);
	play(1);
	return unused;
}

/* Nanoseconds that so many rounds take but for the first. */
static double timed(int one, int two, unsigned rounds)
{
	struct timespec from, to;
	pthread_t thread;

	atomic_store(&shared.turn, 0);
	shared.partner = two;
	shared.rounds = rounds;
	pin(one);
	if (pthread_create(&thread, NULL, other, NULL))
		fail("no second thread");
	atomic_store(&shared.turn, 1); /* the first round waits for the thread to start */
	while (atomic_load(&shared.turn) != 2)
		__builtin_ia32_pause();
	clock_gettime(CLOCK_MONOTONIC, &from);
	play(2);
	clock_gettime(CLOCK_MONOTONIC, &to);
	pthread_join(thread, NULL);
	return (double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec);
}

/* Nanoseconds that the line takes one way. */
static double between(int one, int two)
{
	unsigned rounds = ROUNDS_FIRST;
	double ns = timed(one, two, rounds);

	if (ns < LONG_NS) {
		rounds = ROUNDS;
		ns = timed(one, two, rounds);
	}
	fewest = rounds < fewest ? rounds : fewest;
	return ns / (2 * (rounds - 1));
}

/* All that there are: those that this thread may use, once it may use all. */
static long processors(void)
{
	cpu_set_t set;

	memset(&set, 0xff, sizeof(set));
	sched_setaffinity(0, sizeof(set), &set);
	return sysconf(_SC_NPROCESSORS_ONLN);
}

struct sheet suite_cores(void)
{
	static char names[SHEET_COLUMNS][12];
	struct sheet sheet = {.title = "cores",
			      .x = "processor",
			      .y = "ns from one to the other",
			      .kind = SHEET_HEAT};
	struct pmu_id pmu;
	long nr = processors();

	if (nr < 2)
		fail("cores wants more than one processor: --smp N");
	sheet.nr_columns = (int)(nr < SHEET_COLUMNS ? nr : SHEET_COLUMNS);
	for (int i = 0; i < sheet.nr_columns; i++) {
		snprintf(names[i], sizeof(names[i]), "%d", i);
		sheet.columns[i] = names[i];
	}
	for (int one = 0; one < sheet.nr_columns; one++) {
		struct sheet_row *row = sheet_add(&sheet, one, "%d", one);

		for (int two = 0; two < sheet.nr_columns; two++)
			row->values[two] = one == two ? 0 : between(one, two);
	}
	pmu_identify(&pmu);
	if (pmu.emulated)
		verdict_reason(&sheet.verdict, "emulated processors: the emulator's own time");
	verdict_note(&sheet.verdict, "by the clock; %u rounds", fewest);
	return sheet;
}
