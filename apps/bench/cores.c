/* SPDX-License-Identifier: BSD-2-Clause */
/* The suite `cores`: the latency of a load of a line that another processor has just changed, for
 * each pair of processors. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "abi/page.h"
#include "apps/bench/suites.h"

#define LOADS 8
#define LINES (2 * LOADS) /* of the longer of the two runs whose difference counts */

enum turn { MEASURES, CHANGES, ENDS };

static _Alignas(128) atomic_int whose_turn;

/* The lines: a circle of pointers, each with a changing word beside it. */
static _Alignas(PAGE) uint8_t memory[LINES * PAGE];

struct line {
	struct line *next;
	volatile uint64_t changes;
};

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((unsigned)cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		fail("processor %d cannot be had", cpu);
}

/* Waits until the other thread changes the turn, and returns it. */
static int next_turn(int mine)
{
	int turn;

	while ((turn = atomic_load_explicit(&whose_turn, memory_order_acquire)) == mine)
		__builtin_ia32_pause();
	return turn;
}

/* Changes all lines, once for each request. */
static void *change(void *first)
{
	while (next_turn(MEASURES) == CHANGES) {
		struct line *line = first;

		do
			line->changes++;
		while ((line = line->next) != first);
		atomic_store_explicit(&whose_turn, MEASURES, memory_order_release);
	}
	return NULL;
}

static void let_change(void)
{
	atomic_store_explicit(&whose_turn, CHANGES, memory_order_release);
	next_turn(CHANGES);
}

/* Cycles of a load on processor `one` of data that processor `two` has changed. */
static double between(struct sheet *sheet, int one, int two)
{
	static uint8_t load[] = {0x4d, 0x8b, 0x36}; /* mov r14, [r14] */
	uint8_t init[16];
	struct job job = {.code = {load, sizeof(load)}, .init = {init, 0}, .prepare = let_change};
	uint64_t first = suite_chain(memory, LINES, PAGE, true);
	pthread_t thread;
	double cycles;

	atomic_store(&whose_turn, MEASURES);
	pin(two); /* where the thread begins, so that nothing of it is seen on the other */
	if (pthread_create(&thread, NULL, change, (void *)first))
		fail("no second thread");
	pin(one);
	let_change(); /* it is there, and has all that it needs */
	suite_events("cycles");
	suite_init_constant(&job, 14, first);
	cycles = suite_measured(sheet, &job, LOADS, 0)->figures[0].value;
	atomic_store_explicit(&whose_turn, ENDS, memory_order_release);
	pthread_join(thread, NULL);
	return cycles;
}

/* Returns the number of processors: allows this thread to use all, then counts them. */
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
			      .heading = "Loads of lines that another processor has changed",
			      .columns_name = "processor that wrote",
			      .x = "processor",
			      .y = "cycles of a load of what another one has changed",
			      .kind = SHEET_HEAT};
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
			row->values[two] = one == two ? 0 : between(&sheet, one, two);
		suite_row_done(&sheet);
	}
	return sheet;
}
