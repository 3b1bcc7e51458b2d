/* SPDX-License-Identifier: BSD-2-Clause */
/* Events against the kernel that counts them: the shortest periods, storms of signals, groups
 * beyond every size, a thousand events, trees of processes that die while they are sampled. */
#include "tests/fuzz/fuzz.h"
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/resource.h>

#define RING_PAGES 8
#define SIBLINGS   681 /* (16384 - 8) / 24 bytes of read(2), less the leader and the one to come */
#define EVENTS     900
#define LEAK_BYTES (256 * 1024)

static int hardware; /* type of the event that the tests sample */

static int open_event(struct perf_event_attr *attr, int pid, int cpu, int group)
{
	attr->size = sizeof(*attr);
	return (int)syscall(SYS_perf_event_open, attr, pid, cpu, group, 0);
}

static struct perf_event_attr sampled(uint64_t period)
{
	return (struct perf_event_attr){
	    .type = hardware ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE,
	    .config = hardware ? (uint64_t)PERF_COUNT_HW_INSTRUCTIONS
			       : (uint64_t)PERF_COUNT_SW_TASK_CLOCK,
	    .sample_period = period,
	    .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_CALLCHAIN |
			   PERF_SAMPLE_STACK_USER | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_READ,
	    .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID,
	    .sample_stack_user = 64,
	    .sample_regs_user = 0xff,
	    .mmap = 1,
	    .comm = 1,
	    .task = 1,
	};
}

static char *map_ring(int fd, int prot)
{
	return mmap(NULL, (1 + RING_PAGES) * PAGE, prot, MAP_SHARED, fd, 0);
}

static void make_calls(unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		void *map = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		*(volatile char *)map = 1;
		munmap(map, 2 * PAGE);
	}
}

/* Samples everything that the process does, in both rings, with a period that no machine can keep
 * up with. */
static void shortest_period(uint64_t period)
{
	struct perf_event_attr attr = sampled(period);
	int fd = open_event(&attr, 0, -1, -1);
	pid_t child;

	if (fd < 0 || map_ring(fd, PROT_READ | PROT_WRITE) == MAP_FAILED)
		_exit(8);
	make_calls(100);
	child = fork();
	if (!child)
		execl("/proc/self/exe", "fuzz", "well", (char *)NULL);
	waitpid(child, NULL, 0);
	_exit(7);
}

/* The processor's events see every process, and the kernel's own work between them. */
static void whole_processor(uint64_t period)
{
	struct perf_event_attr attr = sampled(period);
	int fd = open_event(&attr, -1, 0, -1);

	if (fd < 0 || map_ring(fd, PROT_READ) == MAP_FAILED) /* overwrites itself */
		_exit(8);
	make_calls(100);
	_exit(exec_is_well() ? 7 : 8);
}

static volatile unsigned caught;

static void count_signal(int signo)
{
	(void)signo;
	caught++;
}

/* At least `count` calls: without a PMU the clock comes seldom, and mostly interrupts the
 * kernel, which is not sampled. */
static void call_until_caught(unsigned count)
{
	make_calls(count);
	for (unsigned i = 0; i < 100000 && !caught; i++)
		make_calls(count);
}

static void storm_of_signals(uint64_t period)
{
	struct perf_event_attr attr = sampled(period);
	int fd;

	attr.exclude_kernel = 1;
	attr.wakeup_events = 1;
	fd = open_event(&attr, 0, -1, -1);
	signal(SIGIO, count_signal);
	if (fd < 0 || map_ring(fd, PROT_READ | PROT_WRITE) == MAP_FAILED)
		_exit(8);
	fcntl(fd, F_SETOWN, getpid());
	fcntl(fd, F_SETFL, O_ASYNC);
	call_until_caught(100);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	_exit(caught ? 7 : 9);
}

/* Every instruction of ring 3 a SIGTRAP, whose handler runs instructions as well. */
static void storm_of_traps(uint64_t period)
{
	struct perf_event_attr attr = sampled(period);
	int fd;

	attr.exclude_kernel = attr.sigtrap = attr.remove_on_exec = 1;
	attr.disabled = 1;
	signal(SIGTRAP, count_signal);
	fd = open_event(&attr, 0, -1, -1);
	if (fd < 0)
		_exit(8);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	call_until_caught(20);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	_exit(caught ? 7 : 9);
}

/* A tree of processes, each of which is killed or ends while its events run. */
static void inherited_tree(uint64_t depth)
{
	struct perf_event_attr attr = sampled(997);
	unsigned left = (unsigned)depth;

	attr.sample_type &= ~(uint64_t)PERF_SAMPLE_READ;
	attr.inherit = attr.inherit_stat = 1;
	for (unsigned i = 0; i < 4; i++) {
		attr.inherit_thread = i == 3;
		if (open_event(&attr, 0, i % 2 ? 0 : -1, -1) < 0)
			_exit(8);
	}
	while (left--) {
		pid_t first = fork(), second = fork();

		make_calls(2);
		if (!first && second)
			raise(SIGKILL);
	}
	while (wait(NULL) > 0)
		;
	_exit(7);
}

static void thousand_events(uint64_t inherit)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE, .inherit = inherit & 1};
	unsigned count = 0;
	pid_t child;

	for (unsigned i = 0; i < EVENTS; i++) {
		attr.config = i % 10;
		attr.pinned = i % 3 == 0;
		count += open_event(&attr, i % 2 ? 0 : getppid(), -1, -1) >= 0;
	}
	make_calls(20);
	child = fork();
	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
	_exit(count == EVENTS ? 7 : 8);
}

/* read(2) of a group must stay below 16 KiB for each member, also for the leader as the group
 * grows. */
static void large_group(uint64_t argument)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .config = PERF_COUNT_SW_DUMMY,
				       .read_format =
					   PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_LOST};
	static uint64_t values[4096];
	int leader = open_event(&attr, 0, -1, -1), fd;
	unsigned siblings = 0;

	(void)argument;
	attr.read_format = 0;
	while ((fd = open_event(&attr, 0, -1, leader)) >= 0)
		siblings++;
	if (siblings != SIBLINGS || errno != E2BIG) {
		printf("# %u siblings, then %s\n", siblings, strerror(errno));
		fflush(stdout);
		_exit(8);
	}
	if (read(leader, values, sizeof(values)) != 8 + 24 * (1 + SIBLINGS) ||
	    values[0] != 1 + SIBLINGS)
		_exit(9);
	close(leader);
	_exit(read(leader + 1, values, sizeof(values)) == 8 ? 7 : 10);
}

/* Only the kernel writes records: whether the page was read before or not. */
static void write_data_page(uint64_t read_first)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY};
	volatile char *ring = map_ring(open_event(&attr, 0, -1, -1), PROT_READ | PROT_WRITE);

	if (ring == MAP_FAILED)
		_exit(8);
	if (read_first)
		ring[PAGE];
	ring[0] = 1;
	ring[PAGE] = 1;
}

/* Other operations on a ring's mapping: none may disturb the writer. */
static void mangle_mapping(uint64_t argument)
{
	struct perf_event_attr attr = sampled(50);
	int fd = open_event(&attr, 0, -1, -1);

	(void)argument;
	for (unsigned i = 0; i < 12; i++) {
		char *ring = map_ring(fd, PROT_READ | PROT_WRITE);

		if (ring == MAP_FAILED)
			_exit(8);
		if (i % 4 == 0)
			munmap(ring + PAGE, PAGE); /* a hole */
		if (i % 4 == 1)
			mremap(ring, (1 + RING_PAGES) * PAGE, PAGE, MREMAP_MAYMOVE);
		if (i % 4 == 2)
			mprotect(ring, PAGE, PROT_NONE);
		madvise(ring, (1 + RING_PAGES) * PAGE, MADV_DONTNEED);
		madvise(ring, (1 + RING_PAGES) * PAGE, MADV_DOFORK);
		make_calls(3);
		if (!fork())
			_exit(0);
		wait(NULL);
		mmap(ring, (i % 3) * PAGE + PAGE, PROT_READ,
		     MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		make_calls(3);
		munmap(ring, (1 + RING_PAGES) * PAGE);
	}
	_exit(7);
}

static const struct {
	const char *name;
	void (*body)(uint64_t argument);
	uint64_t argument;
	int wanted;
} cases[] = {
    {"period 1", shortest_period, 1, -7},
    {"period 2", shortest_period, 2, -7},
    {"period 3", shortest_period, 3, -7},
    {"period 17", shortest_period, 17, -7},
    {"period 1 of the processor", whole_processor, 1, -7},
    {"period 100 of the processor", whole_processor, 100, -7},
    {"a signal for each instruction", storm_of_signals, 1, -7},
    {"a signal for each 50 instructions", storm_of_signals, 50, -7},
    {"a trap for each instruction", storm_of_traps, 1, -7},
    {"a trap for each 200 instructions", storm_of_traps, 200, -7},
    {"a sampled tree of processes", inherited_tree, 3, -7},
    {"hundreds of events", thousand_events, 0, -7},
    {"hundreds of inherited events", thousand_events, 1, -7},
    {"the largest group", large_group, 0, -7},
    {"a write to a page of records", write_data_page, 0, SIGBUS},
    {"a write to a page of records that was read", write_data_page, 1, SIGBUS},
    {"a mangled mapping", mangle_mapping, 0, -7},
};

static void check(unsigned i, bool quiet)
{
	int status = contained(cases[i].body, cases[i].argument, ENDS_MS);
	int got = status == -1 ? 0 : WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status);

	if (quiet && got == cases[i].wanted)
		return;
	if (!ok(got == cases[i].wanted, "%s", cases[i].name))
		printf("# got %d, wanted %d (a signal, or minus an exit status)\n", got,
		       cases[i].wanted);
}

/* The cases whose names contain the word. */
static void check_all(const char *word, bool quiet)
{
	for (unsigned i = 0; i < COUNT(cases); i++)
		if (strstr(cases[i].name, word))
			check(i, quiet);
}

static bool have_hardware(void)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE,
				       .config = PERF_COUNT_HW_INSTRUCTIONS};
	int fd = open_event(&attr, 0, -1, -1);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

int main(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "";
	uint64_t before, after;

	be_well_first(argc, argv);
	hardware = have_hardware();
	check_all(word, false);
	system_is_well("all this");
	before = free_memory();
	check_all(word, true);
	after = free_memory();
	printf("# free: %lu KiB before, %lu KiB after\n", before >> 10, after >> 10);
	ok(after + LEAK_BYTES > before, "a second round costs no memory");
	return tap_end();
}
