/* SPDX-License-Identifier: BSD-2-Clause */
/* --energy: joules of the package by instance of the code. A register of energy moves in steps of
 * some microjoules, so that the code runs until it has moved far enough. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "abi/linux/perf_event.h"
#include "apps/bench/bench.h"
#include "apps/lib/perf_sys.h"

#define EVENT  "power/energy-pkg/"
#define ROUNDS 5
#define STEPS  256        /* of the register, that a round moves it by */
#define LIMIT  (1u << 22) /* runs of a round */

static int open_package(double *scale)
{
	struct event_list list = {.nr = 0};
	char error[EVENT_ERROR_SIZE];
	struct perf_event_attr attr;
	int fd;

	if (event_parse(&list, EVENT, error) || !list.events[0].on_cpu)
		fail("--energy: this machine has no '" EVENT "'");
	attr = list.events[0].attr;
	attr.size = sizeof(attr);
	*scale = list.events[0].scale;
	fd = perf_event_open(&attr, -1, list.events[0].on_cpu - 1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		fail("--energy: cannot open '" EVENT "': %s", strerror(errno));
	return fd;
}

static uint64_t read_count(int fd)
{
	uint64_t count = 0;

	if (read(fd, &count, sizeof(count)) != sizeof(count))
		fail("--energy: cannot read '" EVENT "'");
	return count;
}

/* Returns the energy of `runs` runs, from a step of the register to a later reading. */
static uint64_t spend(int fd, const struct bench_options *options, const struct harness *harness,
		      unsigned runs)
{
	uint64_t before = read_count(fd), start;
	struct end end;

	while ((start = read_count(fd)) == before)
		;
	for (unsigned i = 0; i < runs; i++)
		run_once(options, harness, &end);
	return read_count(fd) - start;
}

/* Returns the register's step: counts are multiples of it. */
static uint64_t step_of(int fd, const struct bench_options *options, const struct harness *harness)
{
	uint64_t seen = 0;

	for (int i = 0; i < ROUNDS; i++) {
		spend(fd, options, harness, 1);
		seen |= read_count(fd);
	}
	return seen & -seen;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Measures rounds of as many runs. Sorts their energies. */
static void rounds(int fd, const struct bench_options *options, const struct job *job,
		   unsigned unroll, unsigned runs, uint64_t energies[ROUNDS])
{
	struct harness harness;

	harness_build(&harness, options, job, unroll, NULL, 0);
	for (int i = 0; i < ROUNDS; i++)
		energies[i] = spend(fd, options, &harness, runs);
	qsort(energies, ROUNDS, sizeof(*energies), by_value);
}

/* Returns how many runs move the register by enough steps. */
static unsigned runs_needed(int fd, const struct bench_options *options, const struct job *job,
			    unsigned unroll, uint64_t *step)
{
	struct harness harness;
	unsigned runs = 1;

	harness_build(&harness, options, job, unroll, NULL, 0);
	*step = step_of(fd, options, &harness);
	while (runs < LIMIT && spend(fd, options, &harness, runs) < STEPS * *step)
		runs *= 2;
	return runs;
}

void energy_measure(const struct bench_options *options, const struct job *job,
		    struct outcome *outcome)
{
	double scale, instances = (double)options->unroll * (options->loop ? options->loop : 1);
	unsigned unroll = (unsigned)options->unroll, runs;
	uint64_t once[ROUNDS] = {0}, twice[ROUNDS], step;
	int fd = open_package(&scale);

	runs = runs_needed(fd, options, job, options->basic ? unroll : 2 * unroll, &step);
	if (!options->basic)
		rounds(fd, options, job, unroll, runs, once);
	rounds(fd, options, job, options->basic ? unroll : 2 * unroll, runs, twice);
	close(fd);
	outcome->joules =
	    (double)(int64_t)(twice[ROUNDS / 2] - once[ROUNDS / 2]) * scale / runs / instances;
	verdict_spread(&outcome->verdict, EVENT, twice, ROUNDS);
	if (twice[ROUNDS / 2] <= once[ROUNDS / 2] + step)
		verdict_reason(&outcome->verdict, "the energy is below its register's step");
	verdict_note(&outcome->verdict, "energy of %u runs, whole package", runs);
}
