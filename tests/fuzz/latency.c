/* SPDX-License-Identifier: BSD-2-Clause */
/* Each call that has work by the size of its argument, at its largest: a task that only watches the
 * clock beside it never loses the processor for more than a slice and a millisecond. */
#include "tests/fuzz/fuzz.h"
#include <sched.h>
#include <sys/resource.h>

#define MIB (1ul << 20)

/* The slice of 4 ms, and 1 ms of a call until it pauses. */
#define BOUND_US 5000
#define WELL     (42 << 8) /* the status of a case that executed this program: be_well_first() */

struct latency_case {
	const char *name;
	void (*prepare)(void); /* NULL: nothing */
	void (*call)(void);
};

#include "tests/fuzz/latency_files.h"
#include "tests/fuzz/latency_memory.h"
#include "tests/fuzz/latency_perf.h"
#include "tests/fuzz/latency_tasks.h"

/* The figures of the watcher. */
static struct {
	volatile uint64_t longest; /* ns between two looks at the clock */
	volatile uint64_t looks;
	volatile uint64_t figure; /* of a case, in ns; 0: that of its end counts as well */
} * seen;

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void watch(void)
{
	uint64_t last = now_ns();

	for (;;) {
		uint64_t now = now_ns();

		if (now - last > seen->longest)
			seen->longest = now - last;
		last = now;
		seen->looks++;
	}
}

/* The watcher has had a turn: what came before it is in its figure. */
static void wait_for_look(void)
{
	uint64_t looks = seen->looks;

	while (seen->looks == looks)
		sched_yield();
}

static void run_case(uint64_t n)
{
	const struct latency_case *row = (const struct latency_case *)n;

	if (row->prepare)
		row->prepare();
	wait_for_look();
	seen->longest = 0;
	seen->figure = 0;
	row->call();
	if (row->call == call_nothing)
		return; /* its end is measured */
	wait_for_look();
	seen->figure = seen->longest;
}

static void check_case(const struct latency_case *row)
{
	int status = contained(run_case, (uint64_t)row, ENDS_MS);
	uint64_t longest;

	wait_for_look();
	longest = (seen->figure ? seen->figure : seen->longest) / 1000;
	if (!ok((status == 0 || status == WELL) && longest <= BOUND_US,
		"no other task waits long beside %s", row->name))
		printf("# %lu us, status %x, errno %s\n", longest, (unsigned)status,
		       strerror(status >> 8 & 0xff));
}

static void check_all(const struct latency_case *rows, size_t count, const char *only)
{
	for (size_t i = 0; i < count; i++)
		if (!only || strstr(rows[i].name, only))
			check_case(&rows[i]);
}

int main(int argc, char **argv)
{
	const char *only = argc > 1 ? argv[1] : NULL;
	pid_t watcher;

	be_well_first(argc, argv);
	if (sysconf(_SC_NPROCESSORS_ONLN) > 1)
		return tap_skip_all("the watcher must share the processor");
	raise_limits();
	seen = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	watcher = fork();
	if (!watcher)
		watch();
	check_all(file_cases, COUNT(file_cases), only);
	check_all(memory_cases, COUNT(memory_cases), only);
	check_all(task_cases, COUNT(task_cases), only);
	check_all(perf_cases, COUNT(perf_cases), only);
	kill(watcher, SIGKILL);
	waitpid(watcher, NULL, 0);
	system_is_well("all this");
	return tap_end();
}
