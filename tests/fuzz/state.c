/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random lives of events, by seed (state_steps.h): rings stay well-formed, counts never go back,
 * and afterwards all is as it was.
 *
 * usage: state [SEED [ROUNDS [STEPS [trace]]]]: as a user without rights and as root by turns.
 * Equal numbers give equal steps; a single round replays by its own seed.
 */
#include "tests/fuzz/state_steps.h"

#define ROUNDS     12
#define STEPS      400
#define ROUND_MS   100 /* where an instruction takes 1 ns or less */
#define MOST_MS    2000
#define LEAK_BYTES (1024 * 1024) /* tables and slabs: 6, 24, 60 rounds leave 536, 664, 568 KiB */

static void on_signal(int signo)
{
	(void)signo;
}

static unsigned round_steps = STEPS;

/* Odd seeds are without rights. */
static void one_round(uint64_t seed)
{
	random_seed(seed);
	signal(SIGTRAP, on_signal);
	signal(SIGIO, on_signal);
	signal(SIGUSR1, on_signal);
	if (seed & 1 &&
	    (syscall(SYS_setresgid, 1000, 1000, 1000) || syscall(SYS_setresuid, 1000, 1000, 1000)))
		_exit(9);
	for (unsigned i = 0; i < SLOTS; i++)
		slots[i].fd = -1;
	memset(children, -1, sizeof(children));
	for (unsigned i = 0; i < round_steps; i++) {
		one_step();
		step_made();
	}
	_exit(7);
}

/* How many events can be pinned at once: none may be left on a counter. */
static unsigned free_counters(void)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE,
				       .size = sizeof(attr),
				       .config = PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
				       .pinned = 1};
	int fds[64];
	unsigned nr = 0, on = 0;
	uint64_t value;

	for (int cpu = 0; cpu < nr_cpus && nr < 56; cpu++)
		for (unsigned i = 0; i < 12; i++) {
			fds[nr] = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, 0);
			if (fds[nr] < 0)
				break;
			on += read(fds[nr++], &value, 8) == 8;
		}
	while (nr)
		close(fds[--nr]);
	return on;
}

/* Takes all of perf_event_mlock_kb, every user's share: none of it may be left in use. */
static void take_allowance(uint64_t unused)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = sizeof(attr),
				       .config = PERF_COUNT_SW_DUMMY,
				       .exclude_kernel = 1};
	const struct rlimit none = {0, 0};
	size_t bytes = (1 + 128) * PAGE;
	int fd;

	(void)unused;
	setrlimit(RLIMIT_MEMLOCK, &none);
	if (syscall(SYS_setresuid, 1000, 1000, 1000))
		_exit(9);
	for (int i = 0; i < nr_cpus; i++) {
		fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
		if (mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED)
			_exit(8);
	}
	_exit(7);
}

/* Waits until the killed processes are gone, and their orphans, which are reparented to this
 * one. */
static void settle(void)
{
	const struct timespec nap = {.tv_nsec = 2000000};

	for (unsigned i = 0; i < 5000 && waitpid(-1, NULL, WNOHANG) >= 0; i++)
		nanosleep(&nap, NULL);
}

/* A round's time: as many instructions everywhere, within bounds. */
static unsigned round_ms(void)
{
	static unsigned known;
	uint64_t loops = 2000000, before = now_ms(), most;

	if (known)
		return known;
	__asm__ volatile("1: dec %0; jnz 1b" : "+r"(loops) : : "cc");
	most = ROUND_MS * (now_ms() - before) / 4; /* 4 million of 1 ns */
	known = (unsigned)(most < ROUND_MS ? ROUND_MS : most > MOST_MS ? MOST_MS : most);
	return known;
}

static unsigned late; /* rounds that were killed: samples left them no time */

static bool survives(uint64_t seed)
{
	int status = contained(one_round, seed, round_ms());
	bool good = status == -1 || (WIFEXITED(status) && WEXITSTATUS(status) == 7);

	late += status == -1;
	if (!good)
		printf("# seed %lu, %u steps: status %#x; replay: state %lu 1 %u\n", seed,
		       round_steps, status, seed, round_steps);
	return good;
}

int main(int argc, char **argv)
{
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1, before, after, bad = 0;
	unsigned rounds = argc > 2 ? (unsigned)atoi(argv[2]) : ROUNDS, counters;

	nr_cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
	if (argc > 3 && !strcmp(argv[1], "executed"))
		executed(strtoull(argv[2], NULL, 0), atoi(argv[3]));
	be_well_first(argc, argv);
	if (argc > 3)
		round_steps = (unsigned)atoi(argv[3]);
	tracing = argc > 4;
	watch_progress();
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	signal(SIGTRAP, on_signal); /* root's events on this process may send it */
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("# seed %lu: %u rounds of %u steps on %d processors\n", seed, rounds, round_steps,
	       nr_cpus);
	for (unsigned i = 0; i < 4; i++)
		bad += !survives(seed + i);
	settle();
	counters = free_counters();
	before = free_memory();
	for (unsigned i = 0; i < rounds; i++)
		bad += !survives(seed + i);
	settle();
	ok(waitpid(-1, NULL, WNOHANG) < 0, "no process is left");
	ok(bad == 0, "%u rounds of events that come and go", rounds);
	ok(late < rounds, "not all rounds had to be killed for their time (%u)", late);
	is(free_counters(), counters, "as many counters are free as before");
	is(contained(take_allowance, 0, ENDS_MS) >> 8, 7,
	   "as much memory for rings is free as before");
	after = free_memory();
	printf("# free: %lu KiB before, %lu KiB after\n", before >> 10, after >> 10);
	ok(after + LEAK_BYTES > before, "no memory is lost");
	system_is_well("all this");
	return tap_end();
}
