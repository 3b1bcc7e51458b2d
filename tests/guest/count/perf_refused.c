/* SPDX-License-Identifier: BSD-2-Clause */
/* A call that is refused changes nothing: after each one events, their pages and rings, descriptors
 * and memory are as before. */
#include "tests/guest/perf.h"
#include <dirent.h>
#include <fcntl.h>
#include <linux/hw_breakpoint.h>

#define NOWHERE ((void *)16)
#define PAGES   4

/* The objects of the calls: an event with a ring, one without that shares its group, and a
 * breakpoint that is on. */
static struct {
	int fd, member, breakpoint, file;
	struct perf_ring ring;
	struct perf_event_attr attr, breakpoint_attr;
} these;

static volatile int watched, other;

/* All that can be seen from outside. */
struct seen {
	uint64_t values[8], member[8], id, hits;
	int descriptors, lowest, flags;
	unsigned maps;
	long locked, pinned;
	unsigned char page[4096];
};

static long of_status(const char *key)
{
	FILE *status = fopen("/proc/self/status", "r");
	char line[256];
	long value = -1;

	while (status && fgets(line, sizeof(line), status))
		if (!strncmp(line, key, strlen(key)))
			value = atol(line + strlen(key));
	if (status)
		fclose(status);
	return value;
}

static unsigned lines_of(const char *path)
{
	FILE *file = fopen(path, "r");
	unsigned lines = 0;
	int c;

	while (file && (c = getc(file)) != EOF)
		lines += c == '\n';
	if (file)
		fclose(file);
	return lines;
}

static int open_descriptors(void)
{
	DIR *directory = opendir("/proc/self/fd");
	int n = 0;

	while (directory && readdir(directory))
		n++;
	closedir(directory);
	return n;
}

static void look(struct seen *seen)
{
	memset(seen, 0, sizeof(*seen));
	if (read(these.fd, seen->values, sizeof(seen->values)) < 0 ||
	    read(these.member, seen->member, sizeof(seen->member)) < 0)
		seen->values[0] = UINT64_MAX;
	ioctl(these.fd, PERF_EVENT_IOC_ID, &seen->id);
	seen->hits = perf_value(these.breakpoint);
	watched = 1;
	seen->hits = perf_value(these.breakpoint) - seen->hits;
	seen->descriptors = open_descriptors();
	seen->lowest = dup(these.file);
	close(seen->lowest);
	seen->flags = fcntl(these.fd, F_GETFL) << 1 | fcntl(these.fd, F_GETFD);
	seen->maps = lines_of("/proc/self/maps");
	seen->locked = of_status("VmLck:");
	seen->pinned = of_status("VmPin:");
	memcpy(seen->page, these.ring.page, sizeof(seen->page));
}

/* Names what differs. */
static bool alike(const struct seen *a, const struct seen *b)
{
	if (memcmp(a->values, b->values, sizeof(a->values)) ||
	    memcmp(a->member, b->member, sizeof(a->member)))
		printf("# other values\n");
	if (a->id != b->id || a->hits != 1 || b->hits != 1)
		printf("# id %lu and %lu, hits %lu and %lu\n", a->id, b->id, a->hits, b->hits);
	if (a->descriptors != b->descriptors || a->lowest != b->lowest || a->flags != b->flags)
		printf("# descriptors %d and %d, lowest %d and %d, flags %x and %x\n",
		       a->descriptors, b->descriptors, a->lowest, b->lowest, a->flags, b->flags);
	if (a->maps != b->maps || a->locked != b->locked || a->pinned != b->pinned)
		printf("# mappings %u and %u, locked %ld and %ld, pinned %ld and %ld\n", a->maps,
		       b->maps, a->locked, b->locked, a->pinned, b->pinned);
	if (memcmp(a->page, b->page, sizeof(a->page)))
		printf("# the user page differs\n");
	return !memcmp(a, b, sizeof(*a)) && a->hits == 1;
}

/* `result` of a call that was made after `before` was seen. */
static void refused(const struct seen *before, long result, const char *name)
{
	struct seen after;

	look(&after);
	if (result >= 0)
		printf("# it was not refused\n");
	ok(alike(before, &after) && result < 0, "%s", name);
}

/* ---- opening ---- */

#define ATTRS(X)                                                                        \
	X("an unknown type", type = 4000)                                               \
	X("an unknown event", config = 1000)                                            \
	X("a size that is none", size = 1)                                              \
	X("unknown fields of a sample", sample_type = 1ul << 40)                        \
	X("unknown fields of a read", read_format = 1 << 20)                            \
	X("a branch filter of no kind", sample_type = PERF_SAMPLE_BRANCH_STACK;         \
	  attr.branch_sample_type = 1ul << 40)                                          \
	X("registers that are none", sample_type = PERF_SAMPLE_REGS_USER;               \
	  attr.sample_regs_user = 1ul << 60)                                            \
	X("a stack of no multiple of 8", sample_type = PERF_SAMPLE_STACK_USER;          \
	  attr.sample_stack_user = 9)                                                   \
	X("a clock that is none", use_clockid = 1; attr.clockid = 100)                  \
	X("SIGTRAP that stays after exec", sigtrap = 1)                                 \
	X("a frequency above the highest", freq = 1; attr.sample_freq = 1ul << 40)      \
	X("a period with the highest bit", sample_period = 1ul << 63)                   \
	X("a breakpoint of 3 bytes", type = PERF_TYPE_BREAKPOINT; attr.bp_len = 3;      \
	  attr.bp_type = HW_BREAKPOINT_W; attr.bp_addr = (uintptr_t)&watched)           \
	X("a breakpoint that lies askew", type = PERF_TYPE_BREAKPOINT; attr.bp_len = 4; \
	  attr.bp_type = HW_BREAKPOINT_W; attr.bp_addr = (uintptr_t)&watched + 1)       \
	X("a fifth breakpoint", type = PERF_TYPE_BREAKPOINT; attr.bp_len = 4;           \
	  attr.bp_type = HW_BREAKPOINT_W; attr.bp_addr = (uintptr_t)&watched)

static void attrs(void)
{
	struct perf_event_attr attr;
	struct seen before;

#define TRY(name, change)                                                     \
	attr = perf_user_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS); \
	attr.change;                                                          \
	look(&before);                                                        \
	refused(&before, perf_try(&attr, 0, -1, -1, 0), "opening " name);
	ATTRS(TRY)
#undef TRY
}

static void arguments(void)
{
	struct perf_event_attr attr = perf_user_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
	const struct {
		const char *name;
		int pid, cpu, group;
		unsigned long flags;
	} calls[] = {
	    {"a flag that is none", 0, -1, -1, 1 << 10},
	    {"no task and no processor", -1, -1, -1, 0},
	    {"a task that is none", 0x3ffffff, -1, -1, 0},
	    {"a processor that is none", 0, 4000, -1, 0},
	    {"a group whose descriptor is closed", 0, -1, 999, 0},
	    {"a group that a file leads", 0, -1, these.file, 0},
	    {"a group that a member leads", 0, -1, these.member, 0},
	    {"a group of another processor", -1, 0, these.fd, 0},
	    {"output to a file", 0, -1, these.file, PERF_FLAG_FD_OUTPUT},
	    {"a control group that is a file", these.file, 0, -1, PERF_FLAG_PID_CGROUP},
	};
	struct seen before;

	for (unsigned i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		look(&before);
		refused(&before,
			perf_try(&attr, calls[i].pid, calls[i].cpu, calls[i].group, calls[i].flags),
			calls[i].name);
	}
	look(&before);
	refused(&before, perf_try(NOWHERE, 0, -1, these.fd, 0), "an attr that is nowhere");
	attr.pinned = 1;
	look(&before);
	refused(&before, perf_try(&attr, 0, -1, these.fd, 0), "a member that is pinned");
	attr.pinned = 0;
	attr.use_clockid = 1;
	attr.clockid = 1;
	look(&before);
	refused(&before, perf_try(&attr, 0, -1, these.fd, 0), "a member by another clock");
}

/* ---- ioctls ---- */

static long control(int fd, unsigned long request, void *argument)
{
	return ioctl(fd, request, argument);
}

static void controls(void)
{
	uint64_t zero = 0, huge = 1ul << 63;
	const struct {
		const char *name;
		int fd;
		unsigned long request;
		void *argument;
	} calls[] = {
	    {"PERIOD of 0", these.fd, PERF_EVENT_IOC_PERIOD, &zero},
	    {"PERIOD with the highest bit", these.fd, PERF_EVENT_IOC_PERIOD, &huge},
	    {"PERIOD that is nowhere", these.fd, PERF_EVENT_IOC_PERIOD, NOWHERE},
	    {"PERIOD of an event that counts", these.member, PERF_EVENT_IOC_PERIOD, &huge},
	    {"REFRESH of an event that counts", these.member, PERF_EVENT_IOC_REFRESH, (void *)1},
	    {"ID to nowhere", these.fd, PERF_EVENT_IOC_ID, NOWHERE},
	    {"SET_OUTPUT to itself", these.fd, PERF_EVENT_IOC_SET_OUTPUT, (void *)(long)these.fd},
	    {"SET_OUTPUT of what is mapped", these.fd, PERF_EVENT_IOC_SET_OUTPUT,
	     (void *)(long)these.member},
	    {"SET_OUTPUT to a file", these.member, PERF_EVENT_IOC_SET_OUTPUT,
	     (void *)(long)these.file},
	    {"SET_OUTPUT to what is closed", these.member, PERF_EVENT_IOC_SET_OUTPUT, (void *)999},
	    {"SET_FILTER of a software event", these.fd, PERF_EVENT_IOC_SET_FILTER, "common_pid"},
	    {"SET_BPF of a file", these.fd, PERF_EVENT_IOC_SET_BPF, (void *)(long)these.file},
	    {"PAUSE_OUTPUT without a ring", these.member, PERF_EVENT_IOC_PAUSE_OUTPUT, (void *)1},
	    {"QUERY_BPF of a software event", these.fd, PERF_EVENT_IOC_QUERY_BPF, NOWHERE},
	    {"MODIFY_ATTRIBUTES that is nowhere", these.fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES,
	     NOWHERE},
	    {"MODIFY_ATTRIBUTES of a software event", these.fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES,
	     &these.attr},
	    {"MODIFY_ATTRIBUTES to another type", these.breakpoint,
	     PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &these.attr},
	    {"an ioctl that is none", these.fd, _IO('$', 100), NULL},
	};
	struct seen before;

	for (unsigned i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		look(&before);
		refused(&before, control(calls[i].fd, calls[i].request, calls[i].argument),
			calls[i].name);
	}
}

/* A breakpoint that cannot be changed so watches what it watched. */
static void changes(void)
{
	struct perf_event_attr attr;
	struct seen before;

#define TRY(name, change)                                                                    \
	attr = these.breakpoint_attr;                                                        \
	attr.change;                                                                         \
	look(&before);                                                                       \
	refused(&before, control(these.breakpoint, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attr), \
		"MODIFY_ATTRIBUTES of a breakpoint: " name);
	TRY("3 bytes", bp_len = 3; attr.bp_addr = (uintptr_t)&other)
	TRY("askew", bp_addr = (uintptr_t)&other + 1)
	TRY("of no kind", bp_type = 8; attr.bp_addr = (uintptr_t)&other)
	TRY("in the kernel", bp_addr = 0xffff888000001000ul)
	TRY("not canonical", bp_addr = 1ul << 62)
	TRY("another field", sample_type = 1; attr.bp_addr = (uintptr_t)&other)
	TRY("a size that is none", size = 1)
#undef TRY
}

/* ---- mappings, reads, writes ---- */

static long mapped(int fd, size_t bytes, int prot, int flags, long offset)
{
	return mmap(NULL, bytes, prot, flags, fd, offset) == MAP_FAILED ? -1 : 0;
}

static void mappings(void)
{
	const struct {
		const char *name;
		int fd;
		size_t pages;
		int prot, flags;
		long offset;
	} calls[] = {
	    {"a private mapping", these.fd, 1 + PAGES, PROT_READ, MAP_PRIVATE, 0},
	    {"a mapping of another size", these.fd, 1 + 2 * PAGES, PROT_READ, MAP_SHARED, 0},
	    {"a mapping of three pages", these.fd, 1 + 3, PROT_READ | PROT_WRITE, MAP_SHARED, 0},
	    {"a mapping of nothing", these.fd, 0, PROT_READ, MAP_SHARED, 0},
	    {"a mapping of 2^40 pages", these.member, 1 + (1ul << 40), PROT_READ, MAP_SHARED, 0},
	    {"a mapping at the second page", these.member, PAGES, PROT_READ, MAP_SHARED, 4096},
	    {"a mapping of an AUX area", these.fd, PAGES, PROT_READ | PROT_WRITE, MAP_SHARED,
	     64 * 4096},
	};
	struct seen before;

	for (unsigned i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		look(&before);
		refused(&before,
			mapped(calls[i].fd, calls[i].pages * 4096, calls[i].prot, calls[i].flags,
			       calls[i].offset),
			calls[i].name);
	}
}

static void transfers(void)
{
	struct seen before;
	char word[8];

	look(&before);
	refused(&before, read(these.fd, word, 4), "a read of four bytes");
	look(&before);
	refused(&before, syscall(SYS_read, these.fd, NOWHERE, 4096), "a read to nowhere");
	look(&before);
	refused(&before, write(these.fd, word, 8), "a write");
	look(&before);
	refused(&before, lseek(these.fd, 0, SEEK_SET), "a seek");
	look(&before);
	refused(&before, pread(these.fd, word, 8, 0), "a read at a place");
	look(&before);
	refused(&before, ftruncate(these.fd, 0), "a new size");
}

/* Takes all breakpoints except one; the group, the ring and one breakpoint are checked. */
static bool prepare(void)
{
	struct perf_event_attr attr = perf_user_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
	static volatile int more[3];

	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_IP;
	attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED |
			   PERF_FORMAT_TOTAL_TIME_RUNNING;
	these.attr = attr;
	these.file = open("/proc/self/status", O_RDONLY);
	these.fd = perf_open(&attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	attr.sample_period = attr.sample_type = 0;
	these.member = perf_open(&attr, 0, -1, these.fd, 0);
	attr = perf_user_attr(PERF_TYPE_BREAKPOINT, 0);
	attr.bp_type = HW_BREAKPOINT_W;
	attr.bp_len = sizeof(int);
	attr.bp_addr = (uintptr_t)&watched;
	attr.disabled = 0;
	these.breakpoint_attr = attr;
	these.breakpoint = perf_open(&attr, 0, -1, -1, 0);
	for (unsigned i = 0; i < 3; i++) {
		attr.bp_addr = (uintptr_t)&more[i];
		if (perf_open(&attr, 0, -1, -1, 0) < 0)
			return false;
	}
	return these.file >= 0 && these.fd >= 0 && these.member >= 0 && these.breakpoint >= 0 &&
	       perf_map(&these.ring, these.fd, PAGES, PROT_READ | PROT_WRITE);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	ok(prepare(), "two events, a ring, breakpoints");
	attrs();
	arguments();
	controls();
	changes();
	mappings();
	transfers();
	return tap_end();
}
