/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Costs of tracing, in instructions under icount: a call with its events off, on, filtered, with a
 * program. Each figure has a bound; an event that is off again must cost as little as before.
 */
#include "tests/guest/cost.h"
#include "tests/guest/bpf/bpf_calls.h"
#include "tests/guest/trace/probes.h"
#include <fcntl.h>
#include <sys/prctl.h>

#define RUNS 64

static uint64_t overhead, unit = 1;

#define COST(statement) ((LEAST_TICKS(RUNS, statement) - overhead) / unit)

static uint64_t cost_of(long number, long argument, long more)
{
	return COST(call(number, argument, more, 0));
}

static uint64_t cost_of_call(void)
{
	return cost_of(SYS_getppid, 0, 0);
}

static void calibrate(void)
{
	overhead = COST((void)0);
	unit = COST(perf_loop(1000)) / 2000;
}

static uint64_t base; /* of an untraced call */

static void bound(uint64_t cost, uint64_t most, const char *what)
{
	ok(cost <= most, "%s: %llu instructions more, at most %llu", what, (unsigned long long)cost,
	   (unsigned long long)most);
}

static int open_enter(uint64_t period, uint64_t type)
{
	struct perf_event_attr attr =
	    perf_attr(PERF_TYPE_TRACEPOINT, id_of("syscalls/sys_enter_getppid"));

	attr.sample_period = period;
	attr.sample_type = type;
	return perf_open(&attr, -1, 0, -1, 0);
}

/* Counting, with a filter that says no, and sampling with the record. */
static void test_events(void)
{
	struct perf_ring ring;
	int fd = open_enter(0, 0);

	bound(cost_of_call() - base, 105, "counted");
	close(fd);
	fd = open_enter(1, PERF_SAMPLE_RAW);
	ioctl(fd, PERF_EVENT_IOC_SET_FILTER, "common_pid == 0");
	bound(cost_of_call() - base, 127, "filtered out");
	close(fd);
	fd = open_enter(1, PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW);
	perf_map(&ring, fd, 8, PROT_READ | PROT_WRITE);
	bound(cost_of_call() - base, 415, "sampled: IP, TID, TIME, RAW");
	perf_unmap(&ring);
	close(fd);
}

/* The call with the program at its event. */
static uint64_t with_program(int prog)
{
	int fd = open_enter(0, 0);
	uint64_t cost;

	if (ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog))
		printf("# cannot attach: %s\n", strerror(errno));
	cost = cost_of_call() - base;
	close(fd);
	close(prog);
	return cost;
}

/* An event at a function, which a jump leads away from, and the function once it is off again. */
static void test_function(void)
{
	static const char name[16] = "renamed";
	uint64_t plain = cost_of(SYS_prctl, PR_SET_NAME, (long)name);
	struct perf_event_attr attr = perf_attr(PERF_TYPE_TRACEPOINT, id_of("task/task_rename"));
	int fd;

	attr.sample_period = 0;
	fd = perf_open(&attr, -1, 0, -1, 0);
	bound(cost_of(SYS_prctl, PR_SET_NAME, (long)name) - plain, 85, "counted at a function");
	close(fd);
	is((long)cost_of(SYS_prctl, PR_SET_NAME, (long)name), (long)plain,
	   "a function that is told of no more costs nothing");
}

#define KEY_0 STOREI(BPF_W, R10, -4, 0), MOV(R2, R10), ADDI(R2, -4)

static void test_programs(void)
{
	int array = (int)map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0),
	    hash = (int)map_create(BPF_MAP_TYPE_HASH, 4, 8, 64, 0);
	int events = (int)map_create(BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4, 4, 1, 0), fd;
	struct perf_event_attr attr = perf_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT);
	uint64_t empty = with_program(PROG(BPF_PROG_TYPE_TRACEPOINT, MOVI(R0, 0), EXIT()));
	struct perf_ring ring;
	uint32_t key = 0;

	bound(empty, 134, "an empty program"); /* gcc 14's kernel: 133 */
	bound(with_program(PROG(BPF_PROG_TYPE_TRACEPOINT, KEY_0, MAP(R1, array),
				CALL(BPF_FUNC_map_lookup_elem), MOVI(R0, 0), EXIT())) -
		  empty,
	      28, "a lookup in an array");
	bound(with_program(PROG(BPF_PROG_TYPE_TRACEPOINT, KEY_0, MAP(R1, hash),
				STOREI(BPF_DW, R10, -16, 1), MOV(R3, R10), ADDI(R3, -16),
				MOVI(R4, 0), CALL(BPF_FUNC_map_update_elem), MOVI(R0, 0), EXIT())) -
		  empty,
	      128, "an update of a hash");
	attr.sample_type = PERF_SAMPLE_RAW;
	attr.sample_period = 1;
	fd = perf_open(&attr, -1, 0, -1, 0);
	perf_map(&ring, fd, 8, PROT_READ | PROT_WRITE);
	map_command(BPF_MAP_UPDATE_ELEM, events, &key, &fd, BPF_ANY);
	bound(with_program(PROG(BPF_PROG_TYPE_TRACEPOINT, STOREI(BPF_DW, R10, -64, 1),
				STOREI(BPF_DW, R10, -56, 1), STOREI(BPF_DW, R10, -48, 1),
				STOREI(BPF_DW, R10, -40, 1), STOREI(BPF_DW, R10, -32, 1),
				STOREI(BPF_DW, R10, -24, 1), STOREI(BPF_DW, R10, -16, 1),
				STOREI(BPF_DW, R10, -8, 1), MAP(R2, events),
				WIDE(R3, BPF_F_CURRENT_CPU), MOV(R4, R10), ADDI(R4, -64),
				MOVI(R5, 64), CALL(BPF_FUNC_perf_event_output), MOVI(R0, 0),
				EXIT())) -
		  empty,
	      227, "64 bytes to a perf buffer");
	perf_unmap(&ring);
	close(fd);
	close(events);
	close(hash);
	close(array);
}

/* ---- probes and samples ---- */

__attribute__((noinline)) static long probed(long value)
{
	__asm__ volatile("" : "+r"(value));
	return value + 1;
}

static uint64_t cost_of_probed(void)
{
	return COST(probed(1));
}

static void test_probes(void)
{
	uint64_t plain = cost_of_probed();
	int fd = uprobe_count(probed, false);

	bound(cost_of_probed() - plain, 465, "a probe in a program");
	close(fd);
	fd = uprobe_count(probed, true);
	bound(cost_of_probed() - plain, 1050, "a probe of a function's return");
	close(fd);
	is((long)cost_of_probed(), (long)plain, "where no probe is any more there is no cost");
}

#define PERIOD  10000
#define SAMPLES 64

/* Instructions that a sample adds when a program says that it is not wanted. */
static void test_sample(void)
{
	struct perf_event_attr attr =
	    perf_user_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	int prog = PROG(BPF_PROG_TYPE_PERF_EVENT, MOVI(R0, 0), EXIT()), fd;
	uint64_t start, without;

	attr.sample_period = PERIOD;
	attr.sample_type = PERF_SAMPLE_IP;
	fd = perf_open(&attr, 0, -1, -1, 0);
	if (fd < 0 || ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog))
		printf("# no program at samples: %s\n", strerror(errno));
	start = tsc();
	perf_loop(SAMPLES * PERIOD / 2);
	without = tsc() - start;
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	perf_loop(SAMPLES * PERIOD / 2);
	start = tsc();
	perf_loop(SAMPLES * PERIOD / 2);
	bound((tsc() - start - without) / unit / SAMPLES, 450, "a sample with an empty program");
	close(fd);
	close(prog);
}

int main(void)
{
	mount_tracefs();
	if (!counts_are_exact() || !ticks_are_instructions())
		return tap_skip_all("ticks are no instructions here");
	calibrate();
	base = cost_of_call();
	printf("# a call: %llu instructions\n", (unsigned long long)base);
	test_events();
	test_programs();
	test_function();
	test_probes();
	test_sample();
	is((long)cost_of_call(), (long)base, "a call costs nothing more once all events are off");
	return tap_end();
}
