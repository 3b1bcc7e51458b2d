/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Costs of the interface, in instructions: 2^N TSC ticks each under QEMU's -icount shift=N. Each
 * figure has a bound far below Linux's.
 */
#include "tests/guest/cost.h"
#include "tests/guest/perf.h"
#include <cpuid.h>
#include <linux/hw_breakpoint.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#define RUNS    64
#define PASSES  12 /* of the loop that samples are taken of */
#define SAMPLES 20

static uint64_t overhead; /* of the two RDTSC, in ticks */
static uint64_t unit = 1; /* ticks of an instruction */

#define COST_OF(runs, statement) ((LEAST_TICKS(runs, statement) - overhead) / unit)
#define COST(statement)          COST_OF(RUNS, statement)

static void bound(uint64_t cost, uint64_t most, const char *what)
{
	ok(cost <= most, "%s: %llu instructions, at most %llu", what, (unsigned long long)cost,
	   (unsigned long long)most);
}

static uint64_t cost_of_open(struct perf_event_attr *attr)
{
	return COST({
		int fd = perf_open(attr, 0, -1, -1, 0);
		call(SYS_close, fd, 0, 0);
	});
}

/* Each open event moves the next event's objects on in their slabs. */
static void opens_cost_the_same(void)
{
	struct perf_event_attr attr = perf_user_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	uint64_t first = cost_of_open(&attr);
	int held[8], alike = 0;

	for (int i = 0; i < 8; i++) {
		held[i] = perf_open(&attr, 0, -1, -1, 0);
		alike += cost_of_open(&attr) == first;
	}
	for (int i = 0; i < 8; i++)
		close(held[i]);
	ok(alike == 8, "beside up to 8 open events an open costs the same %d times of 8", alike);
}

static void open_and_close(uint32_t type, uint64_t config, uint64_t most, const char *what)
{
	struct perf_event_attr attr = perf_user_attr(type, config);

	bound(cost_of_open(&attr), most, what);
}

/*
 * Bounds that depend on the PMU, some percent above what is measured. Without global registers
 * every counter is stopped and started by its own, and read to learn who wrapped; AMD's also note
 * when late NMIs may come. A call chain has one frame more with glibc. Branch stacks cost an RDMSR
 * or two a record, of which there are 16 or 32; of one kind, the address and bytes of each branch
 * besides, which architectural records do not need (Ice Lake has none of these), and Haswell's its
 * bits of transactions. PEBS: a record is read back from memory, and
 * how many were made; older formats are longer. A hybrid processor's events ask besides which PMU
 * is here.
 */
static const struct limits {
	const char *name;
	unsigned on_off, pmi, sample, chain, branches, branches_kind, precise;
} limits[] = {
    {"Intel version 1", 1015, 450, 568, 1158, 0, 0, 0},
    {"Intel version 2", 1000, 371, 488, 1078, 0, 0, 880},
    {"Intel version 3", 1000, 371, 488, 1078, 2830, 6650, 990},
    {"Intel version 4", 1000, 371, 488, 1078, 4810, 12490, 992},
    {"Intel version 5", 1035, 385, 500, 1095, 6915, 12490, 867},
    {"AMD legacy counters", 1065, 473, 590, 1180, 0, 0, 0},
    {"AMD core counters", 1065, 473, 590, 1180, 0, 0, 0},
    {"AMD PerfMonV2", 1003, 393, 509, 1100, 2860, 6700, 0},
};

enum { INTEL_LAST = 4, AMD_LEGACY, AMD_CORE, AMD_V2 };

/* Intel SDM volume 3 (leaf 0AH), AMD APM volume 3 (leaves 80000001H and 80000022H). */
static const struct limits *limits_here(void)
{
	uint32_t a = 0, b, c = 0, d;

	if (!processor_is_amd()) {
		__get_cpuid(0xa, &a, &b, &c, &d);
		a = (a & 0xff) - 1;
		return &limits[a < INTEL_LAST ? a : INTEL_LAST];
	}
	if (__get_cpuid(0x80000022, &a, &b, &c, &d) && (a & 1))
		return &limits[AMD_V2];
	__get_cpuid(0x80000001, &a, &b, &c, &d);
	return &limits[c & 1 << 23 ? AMD_CORE : AMD_LEGACY];
}

static void calls(const struct limits *most)
{
	struct perf_event_attr attr = perf_user_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	uint64_t values[16];
	int fd = perf_open(&attr, 0, -1, -1, 0), fds[4];

	bound(COST(call(SYS_getppid, 0, 0, 0)), 70, "getppid");
	open_and_close(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, 1870,
		       "open and close of a software event");
	open_and_close(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 2330,
		       "open and close of a hardware event");
	opens_cost_the_same();
	bound(COST(call(SYS_read, fd, (long)values, sizeof(values))), 150,
	      "read of a software event");
	bound(COST(call(SYS_ioctl, fd, PERF_EVENT_IOC_ENABLE, 0);
		   call(SYS_ioctl, fd, PERF_EVENT_IOC_DISABLE, 0)),
	      565, "ENABLE and DISABLE of a software event");
	bound(COST(call(SYS_ioctl, fd, PERF_EVENT_IOC_RESET, 0)), 165, "RESET");
	close(fd);
	attr = perf_user_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	attr.disabled = 0;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	fd = perf_open(&attr, 0, -1, -1, 0);
	bound(COST(call(SYS_read, fd, (long)values, sizeof(values))), 295,
	      "read of a hardware event with times");
	bound(COST(call(SYS_ioctl, fd, PERF_EVENT_IOC_DISABLE, 0);
		   call(SYS_ioctl, fd, PERF_EVENT_IOC_ENABLE, 0)),
	      most->on_off, "DISABLE and ENABLE of a hardware event");
	close(fd);
	attr.read_format = PERF_FORMAT_GROUP;
	for (int i = 0; i < 4; i++)
		fds[i] = perf_open(&attr, 0, -1, i ? fds[0] : -1, 0);
	bound(COST(call(SYS_read, fds[0], (long)values, sizeof(values))), 455,
	      "read of a group of four");
	for (int i = 3; i >= 0; i--)
		close(fds[i]);
}

/* Lets the samples of the ring go: their bytes. */
static inline uint64_t forget(struct perf_ring *ring)
{
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE),
		 bytes = head - ring->page->data_tail;

	ring->page->data_tail = head;
	return bytes;
}

/* Returns the number of samples in `bytes` bytes: all have one size, and the first is at the
 * start. */
static uint64_t samples_in(const struct perf_ring *ring, uint64_t bytes)
{
	const struct perf_event_header *first = (const void *)ring->data;

	return first->size ? bytes / first->size : 0;
}

/*
 * Returns the instructions of a PMI: a loop with and without samples. Without a ring there are
 * none. A clock's first samples may be late, by the time that the visor took from other timers:
 * they are skipped. A clock also counts the cost of its samples, so that a run has one more of
 * them. No sample costs more than any bound.
 */
static uint64_t pmi_cost(struct perf_event_attr *attr, bool with_ring)
{
	int fd = perf_open(attr, 0, -1, -1, 0);
	uint64_t without, with, bytes, least = UINT64_MAX, taken = SAMPLES;
	struct perf_ring ring;

	if (with_ring)
		perf_map(&ring, fd, 64, PROT_READ | PROT_WRITE);
	without = COST_OF(PASSES, perf_loop(SAMPLES * 5000));
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	perf_loop(SAMPLES * 5000);
	with = COST_OF(PASSES, if (with_ring && (bytes = forget(&ring)) < least) least = bytes;
		       perf_loop(SAMPLES * 5000));
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	if (with_ring) {
		taken = samples_in(&ring, least);
		perf_unmap(&ring);
	}
	close(fd);
	return taken ? (with - without) / taken : UINT64_MAX;
}

/* Returns the instructions of a sample whose record waits until the event is read, 0: none waits.
 */
static uint64_t waiting_cost(struct perf_event_attr *attr)
{
	int fd = perf_open(attr, 0, -1, -1, 0);
	uint64_t without, with, value;
	struct perf_ring ring;
	unsigned prompt = 0;

	perf_map(&ring, fd, 64, PROT_READ | PROT_WRITE);
	without = COST_OF(PASSES, perf_loop(SAMPLES * 5000);
			  call(SYS_read, fd, (long)&value, sizeof(value)));
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	with =
	    COST_OF(PASSES, forget(&ring); perf_loop(SAMPLES * 5000); prompt += forget(&ring) > 0;
		    call(SYS_read, fd, (long)&value, sizeof(value)));
	perf_unmap(&ring);
	close(fd);
	return prompt ? 0 : (with - without) / SAMPLES;
}

static void waiting(const struct perf_event_attr *sampling, uint64_t most)
{
	struct perf_event_attr attr = *sampling;
	uint64_t cost;

	attr.use_clockid = 0;
	cost = waiting_cost(&attr);
	if (cost)
		bound(cost, most, "sample of a record of PEBS that waited");
	else
		skip("sample of a record of PEBS that waited", "records have no time");
}

static void samples(const struct limits *most)
{
	struct perf_event_attr attr =
	    perf_user_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);

	attr.sample_period = 10000;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD;
	bound(pmi_cost(&attr, false), most->pmi, "PMI without a sample");
	bound(pmi_cost(&attr, true), most->sample, "PMI with a small sample");
	attr.precise_ip = 1;
	attr.use_clockid = 1; /* records would wait otherwise */
	attr.clockid = CLOCK_MONOTONIC;
	if (most->precise) {
		bound(pmi_cost(&attr, true), most->precise, "PMI with a small sample of PEBS");
		waiting(&attr, 634);
	} else {
		skip("PMI with a small sample of PEBS", "no PEBS");
	}
	attr.precise_ip = attr.use_clockid = 0;
	attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
	bound(pmi_cost(&attr, true), most->chain, "PMI with a call chain");
}

/* The timer's interrupt comes once, though each change of the ring takes the visor's time. */
static void clock_samples(void)
{
	struct perf_event_attr attr =
				   perf_user_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS),
			       clock = perf_user_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
	int counter;

	attr.disabled = 0;
	clock.sample_period = 10000;
	clock.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	bound(pmi_cost(&clock, true), 607, "a sample of a clock");
	counter = perf_open(&attr, 0, -1, -1, 0);
	bound(pmi_cost(&clock, true), 607, "a sample of a clock beside a counter of one ring");
	close(counter);
}

/* Sampling branches is stepped near each overflow: few samples will do. */
static void branch_sample(uint64_t asked, uint64_t most, const char *what)
{
	struct perf_event_attr attr =
	    perf_user_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	uint64_t without, with;
	struct perf_ring ring;
	int fd;

	attr.sample_period = 10000;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			   PERF_SAMPLE_PERIOD | PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = asked | PERF_SAMPLE_BRANCH_USER;
	if (!most) {
		skip(what, "no branch records");
		return;
	}
	fd = perf_open(&attr, 0, -1, -1, 0);
	perf_map(&ring, fd, 64, PROT_READ | PROT_WRITE);
	without = tsc();
	perf_loop(50000);
	without = tsc() - without;
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	with = tsc();
	perf_loop(50000);
	with = tsc() - with;
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	bound((with - without) / 10 / unit, most, what);
	perf_unmap(&ring);
	close(fd);
}

static volatile uint64_t watched;

/* Writes to a watched word, more than to any other. */
static uint64_t breakpoint_cost(uint64_t sample_type)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_BREAKPOINT,
				       .size = sizeof(attr),
				       .bp_type = HW_BREAKPOINT_W,
				       .bp_addr = (uint64_t)&watched,
				       .bp_len = 8,
				       .sample_period = 1,
				       .sample_type = sample_type,
				       .sample_regs_user = 0xff0fff,
				       .exclude_kernel = 1};
	uint64_t without = COST(watched = run), with;
	struct perf_ring ring = {0};
	int fd = perf_open(&attr, 0, -1, -1, 0);

	perf_map(&ring, fd, 64, PROT_READ | PROT_WRITE);
	with = COST(watched = run);
	perf_unmap(&ring);
	close(fd);
	return with - without;
}

static void breakpoints(void)
{
	const uint64_t small = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;

	bound(breakpoint_cost(small), 340, "a sample of a breakpoint");
	bound(breakpoint_cost(small | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER), 1230,
	      "with a call chain and registers");
}

/*
 * Maps and unmaps a ring of eight pages without records, which stay zeros. The order of the free
 * frames moves the cost by some hundred.
 */
static void rings(void)
{
	struct perf_event_attr attr = perf_user_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	int fd = perf_open(&attr, 0, -1, -1, 0);
	struct perf_ring ring;

	bound(COST(perf_map(&ring, fd, 8, PROT_READ | PROT_WRITE); perf_unmap(&ring)), 4900,
	      "mmap and munmap of a ring");
	close(fd);
}

/* Uses up free pages that are known to be zeros, from rings without records: a fault takes less
 * with one of them. */
static void use_up_zeros(void)
{
	mmap(NULL, 4096 * 512, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE,
	     -1, 0);
}

static void faults(void)
{
	struct perf_event_attr attr = perf_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
	unsigned char *pages =
	    mmap(NULL, 4096 * RUNS * 2, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t without, with;
	struct perf_ring ring;
	int fd;

	use_up_zeros();
	without = COST(pages[4096 * run] = 1);
	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	attr.exclude_kernel = 1;
	fd = perf_open(&attr, 0, -1, -1, 0);
	perf_map(&ring, fd, 8, PROT_READ | PROT_WRITE);
	with = COST(pages[4096 * (RUNS + run)] = 1);
	bound(without, 500, "a page fault");
	bound(with - without, 263, "a sample of a page fault, more");
	munmap(pages, 4096 * RUNS * 2);
	perf_unmap(&ring);
	close(fd);
}

/* To another task and back, whatever software events the task has. */
static void switches(void)
{
	static const uint64_t kinds[] = {PERF_COUNT_SW_DUMMY, PERF_COUNT_SW_PAGE_FAULTS,
					 PERF_COUNT_SW_TASK_CLOCK, PERF_COUNT_SW_CPU_MIGRATIONS};
	struct perf_event_attr attr;
	uint64_t without, with;
	pid_t child = fork();

	if (!child)
		for (;;)
			call(SYS_sched_yield, 0, 0, 0);
	without = COST(call(SYS_sched_yield, 0, 0, 0));
	attr = perf_user_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);
	attr.disabled = 0;
	for (unsigned i = 0; i < 100; i++) {
		attr.config = kinds[i % 4];
		perf_open(&attr, 0, -1, -1, 0);
	}
	with = COST(call(SYS_sched_yield, 0, 0, 0));
	printf("# two switches: %llu\n", (unsigned long long)without);
	bound(with - without, 150, "two switches with 100 software events, more");
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

int main(void)
{
	const struct limits *most = limits_here();

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!counts_are_exact() || !have_hardware()) {
		skip("costs", "instructions cannot be counted here");
		return tap_end();
	}
	if (!ticks_are_instructions()) {
		skip("costs", "the clock counts the core's cycles: --time instructions");
		return tap_end();
	}
	overhead = 0;
	overhead = COST((void)0);
	unit = (COST(perf_loop(1500)) - COST(perf_loop(500))) / 2000;
	printf("# %s\n", most->name);
	calls(most);
	samples(most);
	clock_samples();
	breakpoints();
	branch_sample(PERF_SAMPLE_BRANCH_ANY, most->branches, "PMI with a branch stack");
	branch_sample(PERF_SAMPLE_BRANCH_COND, most->branches_kind,
		      "PMI with a branch stack of one kind");
	rings();
	faults();
	switches();
	return tap_end();
}
