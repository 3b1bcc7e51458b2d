/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A little of all that events do: switches, group reads, rings, user pages, fork, exec, exit,
 * close. tests/e2e/pmu/pmis.t runs it with a PMI after every instruction of the kernel's that does
 * these: the counts are the same, no count goes back, the rings hold whole records.
 */
#include "tests/fuzz/fuzz.h"
#include <sys/ioctl.h>

#define RING_PAGES 4
#define LOOP       500ul

static int open_event(struct perf_event_attr *attr, int group)
{
	attr->size = sizeof(*attr);
	return (int)syscall(SYS_perf_event_open, attr, 0, -1, group, 0);
}

static struct perf_event_attr instructions(void)
{
	return (struct perf_event_attr){.type = PERF_TYPE_HARDWARE,
					.config = PERF_COUNT_HW_INSTRUCTIONS,
					.exclude_kernel = 1,
					.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID |
						       PERF_FORMAT_TOTAL_TIME_ENABLED |
						       PERF_FORMAT_TOTAL_TIME_RUNNING};
}

static struct perf_event_attr sampling(void)
{
	struct perf_event_attr attr = instructions();

	attr.config = PERF_COUNT_HW_BRANCH_INSTRUCTIONS;
	attr.sample_period = 97;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_READ;
	attr.sample_id_all = attr.comm = attr.task = attr.mmap = attr.context_switch = 1;
	return attr;
}

__attribute__((noinline)) static void loop(uint64_t iterations)
{
	__asm__ volatile("1: dec %0; jnz 1b" : "+r"(iterations) : : "cc");
}

static void nap(void)
{
	const struct timespec time = {.tv_nsec = 20000};

	nanosleep(&time, NULL);
}

/* Whole records from tail to head; returns how many. */
static long consume(char *map)
{
	struct perf_event_mmap_page *page = (void *)map;
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE), tail = page->data_tail;
	long records = 0;

	for (; tail != head; records++) {
		const struct perf_event_header *header =
		    (void *)(map + PAGE + tail % (RING_PAGES * PAGE));

		if (header->size < sizeof(*header) || header->size % 8 ||
		    header->size > head - tail || !header->type || header->type >= PERF_RECORD_MAX)
			return -1;
		tail += header->size;
	}
	__atomic_store_n(&page->data_tail, tail, __ATOMIC_RELEASE);
	return records;
}

/* ---- what runs under PMIs ---- */

static uint64_t values[16];
static int leader, sibling;
static char *map;

/* The group's nr, enabled, running, then value and id of each. */
static bool read_group(void)
{
	uint64_t before = values[3];

	return read(leader, values, sizeof(values)) == 7 * 8 && values[0] == 2 &&
	       values[3] >= before && values[2] <= values[1];
}

static void life_of_a_child(bool executes)
{
	pid_t child = fork();

	if (!child) {
		if (executes)
			execl("/proc/self/exe", "pmis", "well", (char *)NULL);
		loop(LOOP);
		_exit(42);
	}
	waitpid(child, NULL, 0);
}

static void open_and_close(void)
{
	struct perf_event_attr attr = instructions();
	int fd;

	attr.inherit = attr.enable_on_exec = 1;
	fd = open_event(&attr, -1);
	life_of_a_child(false);
	life_of_a_child(true);
	ioctl(fd, PERF_EVENT_IOC_RESET, 0);
	close(fd);
}

static bool setup(void)
{
	struct perf_event_attr attr = sampling(), count = instructions();

	leader = open_event(&count, -1);
	count.read_format = 0;
	sibling = open_event(&attr, leader);
	map = mmap(NULL, (1 + RING_PAGES) * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, sibling, 0);
	return sibling >= 0 && map != MAP_FAILED;
}

/* Instructions of the loop and the calls around it. */
static uint64_t measure(void)
{
	uint64_t before;

	ioctl(leader, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
	read_group();
	before = values[3];
	ioctl(leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
	loop(LOOP);
	ioctl(leader, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
	read_group();
	ioctl(leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
	return values[3] - before;
}

/* How many NMIs there were. */
static uint64_t nmis(void)
{
	static char text[4096];
	int fd = open("/proc/interrupts", O_RDONLY);
	const char *line;
	long bytes = read(fd, text, sizeof(text) - 1);

	close(fd);
	text[bytes > 0 ? bytes : 0] = 0;
	line = strstr(text, "NMI:");
	return line ? strtoull(line + 4, NULL, 10) : 0;
}

int main(int argc, char **argv)
{
	unsigned turns = argc > 1 ? (unsigned)atoi(argv[1]) : 3, good = 0, equal = 0;
	bool quick = argc > 2; /* no other processes */
	uint64_t first;
	long records, all = 0;

	be_well_first(argc, argv);
	if (!setup())
		return tap_skip_all("no PMU");
	first = measure();
	for (unsigned i = 0; i < turns; i++) {
		if (!quick)
			open_and_close();
		nap();
		equal += measure() == first;
		good += read_group();
		records = consume(map);
		all = records < 0 || all < 0 ? -1 : all + records;
	}
	munmap(map, (1 + RING_PAGES) * PAGE);
	close(leader);
	close(sibling);
	printf("# %lu instructions, %ld records, %lu NMIs\n", first, all, nmis());
	is(equal, turns, "the loop takes as many instructions each time");
	ok(first >= 2 * LOOP && first < 2 * LOOP + 100, "the first count is the loop's");
	is(good, turns, "groups are read whole, and no count goes back");
	ok(all > 0, "the ring holds whole records");
	return tap_end();
}
