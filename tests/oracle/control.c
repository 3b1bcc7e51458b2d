/* SPDX-License-Identifier: BSD-2-Clause */
/* What ioctl, read, poll, mmap and SET_OUTPUT say in every state of an event. */
#include "oracle.h"
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>

struct kind {
	const char *name;
	uint32_t type;
	uint64_t config, period, flags;
};

#define DISABLED_USER 0x61 /* disabled, exclude_kernel, exclude_hv */
#define INHERIT       (1 << 1)
#define FREQ          (1 << 10)

static const struct kind kinds[] = {
    {"dummy", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, 0, DISABLED_USER},
    {"dummy sampling", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, 1000, DISABLED_USER},
    {"dummy inherited", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, 1000, DISABLED_USER | INHERIT},
    {"dummy frequency", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, 100, DISABLED_USER | FREQ},
    {"cpu-clock sampling", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 1000000000, DISABLED_USER},
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0, DISABLED_USER},
    {"instructions sampling", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 1ul << 40,
     DISABLED_USER},
    {"cycles frequency", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 1, DISABLED_USER | FREQ},
    {"branches sampling", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 1ul << 40,
     DISABLED_USER},
};

static struct perf_event_attr attr_of(const struct kind *kind)
{
	struct perf_event_attr attr = perf_attr(kind->type, kind->config);

	attr.sample_period = kind->period;
	*attr_flags(&attr) = kind->flags;
	return attr;
}

static int open_kind(const struct kind *kind)
{
	struct perf_event_attr attr = attr_of(kind);

	return perf_try(&attr, 0, -1, -1, 0);
}

static long control(int fd, unsigned long command, unsigned long argument)
{
	return failed(ioctl(fd, command, argument));
}

/* Every command with every kind of argument. */
static void commands(const struct kind *kind)
{
	static const struct {
		const char *name;
		unsigned long command;
	} commands[] = {{"ENABLE", PERF_EVENT_IOC_ENABLE},
			{"DISABLE", PERF_EVENT_IOC_DISABLE},
			{"REFRESH", PERF_EVENT_IOC_REFRESH},
			{"RESET", PERF_EVENT_IOC_RESET},
			{"PERIOD", PERF_EVENT_IOC_PERIOD},
			{"SET_OUTPUT", PERF_EVENT_IOC_SET_OUTPUT},
			{"SET_FILTER", PERF_EVENT_IOC_SET_FILTER},
			{"ID", PERF_EVENT_IOC_ID},
			{"SET_BPF", PERF_EVENT_IOC_SET_BPF},
			{"PAUSE_OUTPUT", PERF_EVENT_IOC_PAUSE_OUTPUT},
			{"QUERY_BPF", PERF_EVENT_IOC_QUERY_BPF},
			{"MODIFY_ATTRIBUTES", PERF_EVENT_IOC_MODIFY_ATTRIBUTES},
			{"12", _IO('$', 12)},
			{"ENABLE of another size", _IOW('$', 0, int)},
			{"TCGETS", 0x5401},
			{"FIONREAD", 0x541b},
			{"0", 0}};
	static const unsigned long arguments[] = {0,           1,           2,    3,   0xffffffff,
						  0x100000000, 0x100000001, -1ul, 900, 1ul << 63};

	for (unsigned c = 0; c < COUNT(commands); c++) {
		row("%s: %s with every argument", kind->name, commands[c].name);
		for (unsigned a = 0; a < COUNT(arguments); a++) {
			int fd = open_kind(kind);

			cell(fd < 0 ? fd : control(fd, commands[c].command, arguments[a]));
			close(fd);
		}
		row_end();
	}
}

/* FIONBIO and its kin are answered before the event is asked. */
static void generic_commands(void)
{
	int fd = open_kind(&kinds[0]), one = 1;

	report(control(fd, 0x5421, (unsigned long)&one), "FIONBIO");
	printf("F_GETFL after FIONBIO: %x\n", (unsigned)fcntl(fd, F_GETFL) & 04000u);
	report(control(fd, 0x5451, 0), "FIOCLEX");
	printf("F_GETFD after FIOCLEX: %d\n", fcntl(fd, F_GETFD));
	report(control(fd, 0x5450, 0), "FIONCLEX");
	printf("F_GETFD after FIONCLEX: %d\n", fcntl(fd, F_GETFD));
	close(fd);
}

static void periods(const struct kind *kind)
{
	static const uint64_t values[] = {
	    0, 1, 2, 1000, 1ull << 31, 1ull << 40, (1ull << 63) - 1, 1ull << 63, -1ull};
	int fd = open_kind(kind);

	for (unsigned i = 0; fd >= 0 && i < COUNT(values); i++)
		report(control(fd, PERF_EVENT_IOC_PERIOD, (unsigned long)&values[i]),
		       "%s: PERIOD %lx", kind->name, (unsigned long)values[i]);
	close(fd);
}

static void modify(const struct kind *kind)
{
	int fd = open_kind(kind);
	struct perf_event_attr attr = attr_of(kind);

	if (fd < 0)
		return;
	report(control(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, (unsigned long)&attr),
	       "%s: MODIFY_ATTRIBUTES same", kind->name);
	attr.type ^= 4;
	report(control(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, (unsigned long)&attr),
	       "%s: MODIFY_ATTRIBUTES type", kind->name);
	attr.size = 7;
	report(control(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, (unsigned long)&attr),
	       "%s: MODIFY_ATTRIBUTES size", kind->name);
	close(fd);
}

/* read(2) of every format with every size of buffer. */
static void reads(const struct kind *kind)
{
	static const size_t sizes[] = {0,  1,  7,  8,  15, 16, 24, 31, 32,
				       40, 48, 56, 63, 64, 72, 88, 200};
	char buffer[256];

	for (uint64_t format = 0; format < PERF_FORMAT_MAX; format++)
		for (unsigned members = 1; members <= 3; members += 2) {
			struct perf_event_attr attr = attr_of(kind);
			int fds[3], n = 0;

			attr.read_format = format;
			for (unsigned i = 0; i < members; i++) {
				int fd = perf_try(&attr, 0, -1, n ? fds[0] : -1, 0);

				if (fd >= 0)
					fds[n++] = fd;
			}
			printf("read %s format %lx of %d:", kind->name, format, n);
			for (unsigned i = 0; n && i < COUNT(sizes); i++)
				printf(" %ld", failed(read(fds[0], buffer, sizes[i])));
			if (n > 1)
				printf(" sibling %ld", failed(read(fds[n - 1], buffer, 200)));
			if (n)
				printf(" nowhere %s",
				       outcome(failed(syscall(SYS_read, fds[0], 8, 200))));
			printf("\n");
			while (n)
				close(fds[--n]);
		}
}

static void *map(int fd, size_t pages)
{
	void *at = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return at == MAP_FAILED ? NULL : at;
}

static unsigned polled(int fd)
{
	struct pollfd one = {.fd = fd, .events = 0xffff & ~POLLNVAL};
	int n = poll(&one, 1, 0);

	return n < 0 ? (unsigned)-errno : (unsigned)one.revents;
}

/* An event's poll before and after mapping, records, reading, closing the ring. */
static void polls(void)
{
	struct perf_event_attr attr = perf_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
	volatile char *pages =
	    mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *ring;
	int fd;

	attr.exclude_kernel = attr.exclude_hv = 1;
	attr.sample_period = 1;
	attr.wakeup_events = 2;
	attr.disabled = 1;
	fd = perf_try(&attr, 0, -1, -1, 0);
	printf("poll without ring: %x\n", polled(fd));
	ring = map(fd, 9);
	printf("poll with an empty ring: %x\n", polled(fd));
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	pages[0] = 1;
	printf("poll after one of two: %x\n", polled(fd));
	pages[PAGE] = 1;
	printf("poll after two: %x\n", polled(fd));
	printf("poll again: %x\n", polled(fd));
	pages[2 * PAGE] = 1;
	pages[3 * PAGE] = 1;
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	printf("poll when disabled: %x\n", polled(fd));
	ioctl(fd, PERF_EVENT_IOC_REFRESH, 1);
	pages[4 * PAGE] = 1;
	pages[5 * PAGE] = 1;
	printf("poll after REFRESH 1: %x\n", polled(fd));
	printf("poll again: %x\n", polled(fd));
	munmap(ring, 9 * PAGE);
	printf("poll without ring again: %x\n", polled(fd));
	close(fd);
	munmap((void *)pages, 16 * PAGE);
}

/* Of a task that ends: HUP, also where nobody mapped. */
static void polls_of_tasks(void)
{
	for (unsigned inherit = 0; inherit < 2; inherit++) {
		struct perf_event_attr attr =
		    perf_user_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
		int gate[2], fd;
		char byte;
		void *ring;
		pid_t child;

		if (pipe(gate) || (child = fork()) < 0)
			return;
		if (child == 0) {
			close(gate[1]);
			_exit(read(gate[0], &byte, 1) != 0);
		}
		attr.disabled = 0;
		fd = perf_try(&attr, child, inherit ? 0 : -1, -1, 0);
		ring = map(fd, 2);
		printf("poll of a child's event, %u: %x\n", inherit, polled(fd));
		close(gate[0]);
		close(gate[1]);
		waitpid(child, NULL, 0);
		printf("poll after its end, %u: %x\n", inherit, polled(fd));
		report(control(fd, PERF_EVENT_IOC_ENABLE, 0), "ENABLE after its end");
		report(control(fd, PERF_EVENT_IOC_RESET, 0), "RESET after its end");
		if (ring)
			munmap(ring, 2 * PAGE);
		close(fd);
	}
}

/* Which events write into whose ring. */
struct end {
	const char *name;
	int pid, cpu, clock;
	uint64_t flags;
	bool mapped;
};

static struct perf_event_attr attr_of_end(const struct end *end)
{
	struct perf_event_attr attr = perf_user_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);

	*attr_flags(&attr) |= end->flags;
	attr.clockid = end->clock;
	return attr;
}

/* Redirects by ioctl (0), by opening in a group (1), by opening alone (2). */
static long try_output(const struct end *from, const struct end *to, unsigned way)
{
	static const unsigned long flags[] = {0, PERF_FLAG_FD_OUTPUT,
					      PERF_FLAG_FD_OUTPUT | PERF_FLAG_FD_NO_GROUP};
	struct perf_event_attr attr = attr_of_end(to);
	int target = perf_open(&attr, to->pid, to->cpu, -1, 0), source;
	void *ring = to->mapped ? map(target, 2) : NULL;
	long result;

	attr = attr_of_end(from);
	source = perf_try(&attr, from->pid, from->cpu, way ? target : -1, flags[way]);
	result = way ? source : control(source, PERF_EVENT_IOC_SET_OUTPUT, (unsigned long)target);
	if (source >= 0)
		close(source);
	if (ring)
		munmap(ring, 2 * PAGE);
	close(target);
	return result;
}

static void outputs(void)
{
	static const struct end ends[] = {
	    {"task", 0, -1, -1, 0, true},           {"task unmapped", 0, -1, -1, 0, false},
	    {"task on cpu", 0, 0, -1, 0, true},     {"cpu", -1, 0, -1, 0, true},
	    {"monotonic", 0, -1, 1, 1 << 25, true}, {"monotonic raw", 0, -1, 4, 1 << 25, true},
	    {"backward", 0, -1, -1, 1 << 27, true}, {"watermark", 0, -1, -1, 1 << 14, true},
	    {"inherited on cpu", 0, 0, -1, 2, true}};

	for (unsigned a = 0; a < COUNT(ends); a++)
		for (unsigned way = 0; way < 3; way++) {
			row("%s to each, way %u", ends[a].name, way);
			for (unsigned b = 0; b < COUNT(ends); b++)
				cell(try_output(&ends[a], &ends[b], way));
			row_end();
		}
}

/* What follows from an output that is set: mapping, pausing, setting again, the target's end. */
static void output_lives(void)
{
	int target = open_kind(&kinds[1]), source = open_kind(&kinds[1]),
	    third = open_kind(&kinds[1]);
	void *ring = map(target, 2), *other;

	report(control(source, PERF_EVENT_IOC_SET_OUTPUT, (unsigned long)target), "SET_OUTPUT");
	report(control(source, PERF_EVENT_IOC_SET_OUTPUT, (unsigned long)target),
	       "SET_OUTPUT again");
	printf("poll of the source: %x\n", polled(source));
	report(control(source, PERF_EVENT_IOC_PAUSE_OUTPUT, 1), "PAUSE_OUTPUT of the source");
	report(control(third, PERF_EVENT_IOC_SET_OUTPUT, (unsigned long)source),
	       "SET_OUTPUT to the source");
	other = map(source, 2);
	report(other ? 0 : -errno, "map the source as well");
	if (other) {
		report(control(source, PERF_EVENT_IOC_SET_OUTPUT, -1ul),
		       "SET_OUTPUT to none while mapped");
		munmap(other, 2 * PAGE);
	}
	printf("poll of the source after its unmapping: %x\n", polled(source));
	printf("poll of the target after that: %x\n", polled(target));
	other = map(source, 3);
	report(other ? 0 : -errno, "map the source with another size");
	if (other)
		munmap(other, 3 * PAGE);
	report(control(source, PERF_EVENT_IOC_SET_OUTPUT, -1ul), "SET_OUTPUT to none");
	report(control(source, PERF_EVENT_IOC_SET_OUTPUT, 0xffffffff),
	       "SET_OUTPUT to none, 32 bits");
	report(control(source, PERF_EVENT_IOC_SET_OUTPUT, (unsigned long)target),
	       "SET_OUTPUT once more");
	munmap(ring, 2 * PAGE);
	printf("poll of both without ring: %x %x\n", polled(source), polled(target));
	report(control(target, PERF_EVENT_IOC_PAUSE_OUTPUT, 1), "PAUSE_OUTPUT without ring");
	close(target);
	close(source);
	close(third);
}

static long map_result(int fd, size_t bytes, int prot, int flags, long offset)
{
	void *at = mmap(NULL, bytes, prot, flags, fd, offset);

	if (at == MAP_FAILED)
		return -errno;
	munmap(at, bytes);
	return 0;
}

static void mappings(const struct kind *kind)
{
	static const size_t lengths[] = {0,         1,         PAGE - 1,   PAGE,       PAGE + 1,
					 2 * PAGE,  3 * PAGE,  4 * PAGE,   5 * PAGE,   9 * PAGE,
					 10 * PAGE, 17 * PAGE, 129 * PAGE, 130 * PAGE, 1ul << 40,
					 1ul << 47, 1ul << 63};
	static const int prots[] = {PROT_NONE,
				    PROT_READ,
				    PROT_WRITE,
				    PROT_READ | PROT_WRITE,
				    PROT_READ | PROT_EXEC,
				    PROT_READ | PROT_WRITE | PROT_EXEC},
			 flags[] = {MAP_SHARED,
				    MAP_PRIVATE,
				    MAP_SHARED_VALIDATE,
				    0,
				    MAP_SHARED | MAP_POPULATE,
				    MAP_SHARED | MAP_LOCKED,
				    MAP_SHARED | MAP_HUGETLB,
				    MAP_SHARED_VALIDATE | MAP_SYNC,
				    MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE};
	static const long offsets[] = {0, 1, 4096, 9 * 4096, 1l << 40, -4096};
	int fd = open_kind(kind);

	if (fd < 0)
		return;
	for (unsigned o = 0; o < COUNT(offsets); o++) {
		row("%s: mmap of every length at %lx", kind->name, offsets[o]);
		for (unsigned i = 0; i < COUNT(lengths); i++)
			cell(map_result(fd, lengths[i], PROT_READ | PROT_WRITE, MAP_SHARED,
					offsets[o]));
		row_end();
	}
	for (unsigned p = 0; p < COUNT(prots); p++) {
		row("%s: mmap with protection %x and flags", kind->name, prots[p]);
		for (unsigned f = 0; f < COUNT(flags); f++)
			cell(map_result(fd, 2 * PAGE, prots[p], flags[f], 0));
		row_end();
	}
	close(fd);
}

/* What may be done with a mapping that exists. */
static void mapped(void)
{
	int fd = open_kind(&kinds[1]);
	char *ring = map(fd, 9), *other;
	static const size_t pages[] = {1, 2, 8, 9, 10, 17};

	for (unsigned i = 0; i < COUNT(pages); i++)
		report(map_result(fd, pages[i] * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, 0),
		       "second mapping of %zu", pages[i]);
	report(map_result(fd, 9 * PAGE, PROT_READ, MAP_SHARED, 0), "second mapping, to read");
	report(map_result(fd, 9 * PAGE, PROT_READ, MAP_PRIVATE, 0), "second mapping, private");
	report(failed(mprotect(ring, PAGE, PROT_READ)), "mprotect to read");
	report(failed(mprotect(ring, PAGE, PROT_READ | PROT_WRITE)), "mprotect to write");
	report(failed(mprotect(ring + PAGE, PAGE, PROT_NONE)), "mprotect to none");
	report(failed(mprotect(ring + PAGE, PAGE, PROT_READ | PROT_WRITE)), "mprotect back");
	report(failed(madvise(ring, 9 * PAGE, MADV_DONTNEED)), "MADV_DONTNEED");
	report(failed(madvise(ring, 9 * PAGE, MADV_DOFORK)), "MADV_DOFORK");
	report(failed(mlock(ring, 9 * PAGE)), "mlock");
	other = mremap(ring, 9 * PAGE, 17 * PAGE, MREMAP_MAYMOVE);
	report(other == MAP_FAILED ? -errno : 0, "mremap to more");
	report(failed(munmap(ring + 8 * PAGE, PAGE)), "munmap of the last page");
	printf("poll after a part is unmapped: %x\n", polled(fd));
	report(map_result(fd, 9 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, 0),
	       "mapping after a part is unmapped");
	report(failed(munmap(ring, 9 * PAGE)), "munmap of all");
	printf("poll after all is unmapped: %x\n", polled(fd));
	ring = map(fd, 2);
	close(fd);
	printf("the ring outlives its descriptor: size %llu\n",
	       (unsigned long long)((struct perf_event_mmap_page *)ring)->data_size);
	munmap(ring, 2 * PAGE);
}

/* A child has no mapping of its own. */
static void forked(void)
{
	int fd = open_kind(&kinds[1]), status = 0;
	char *ring = map(fd, 2);
	pid_t child = fork();

	if (child == 0) {
		unsigned char resident;

		_exit(mincore(ring, PAGE, &resident) ? errno : 0);
	}
	waitpid(child, &status, 0);
	report(-WEXITSTATUS(status), "mapping in a child");
	munmap(ring, 2 * PAGE);
	close(fd);
}

static void store(volatile char *at)
{
	*at = 1;
}

/* Writing where only the kernel writes kills. */
static void writes(void)
{
	static const struct {
		int prot;
		unsigned page;
	} cases[] = {{PROT_READ | PROT_WRITE, 0},
		     {PROT_READ | PROT_WRITE, 1},
		     {PROT_READ, 0},
		     {PROT_READ, 1},
		     {PROT_READ | PROT_WRITE, 8}};

	for (unsigned i = 0; i < COUNT(cases); i++) {
		int status = 0;
		pid_t child = fork();

		if (child == 0) {
			int fd = open_kind(&kinds[1]);
			char *ring = mmap(NULL, 9 * PAGE, cases[i].prot, MAP_SHARED, fd, 0);

			store(ring + cases[i].page * PAGE + 100);
			_exit(0);
		}
		waitpid(child, &status, 0);
		printf("store to page %u with protection %d: %x\n", cases[i].page, cases[i].prot,
		       (unsigned)status & 0xff7f);
	}
}

/* The user page of an event, off and on: all that is no time and no count. */
static void user_page(const struct kind *kind)
{
	for (unsigned enabled = 0; enabled < 2; enabled++) {
		int fd = open_kind(kind);
		struct perf_event_mmap_page *page = fd < 0 ? NULL : map(fd, 5);

		if (!page)
			continue;
		if (enabled)
			ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		printf("page of %s, %s: version %u compat %u lock %u index %d capabilities %llx "
		       "width %u\n",
		       kind->name, enabled ? "on" : "off", page->version, page->compat_version,
		       page->lock & 1, page->index != 0, (unsigned long long)page->capabilities,
		       page->pmc_width);
		printf("page of %s: shift %d mult %d offset %d zero %d cycles %llx mask %llx size "
		       "%u\n",
		       kind->name, page->time_shift != 0, page->time_mult != 0,
		       page->time_offset != 0, page->time_zero != 0,
		       (unsigned long long)page->time_cycles, (unsigned long long)page->time_mask,
		       page->size);
		printf("page of %s: head %llu tail %llu data %llu %llu aux %llu %llu %llu %llu\n",
		       kind->name, (unsigned long long)page->data_head,
		       (unsigned long long)page->data_tail, (unsigned long long)page->data_offset,
		       (unsigned long long)page->data_size, (unsigned long long)page->aux_head,
		       (unsigned long long)page->aux_tail, (unsigned long long)page->aux_offset,
		       (unsigned long long)page->aux_size);
		unsigned set = 0;

		for (unsigned i = 0; i < sizeof(page->__reserved); i++)
			set += page->__reserved[i] != 0;
		printf("page of %s: reserved bytes set %u\n", kind->name, set);
		munmap(page, 5 * PAGE);
		close(fd);
	}
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (unsigned i = 0; i < COUNT(kinds); i++) {
		commands(&kinds[i]);
		periods(&kinds[i]);
		modify(&kinds[i]);
		mappings(&kinds[i]);
		user_page(&kinds[i]);
	}
	generic_commands();
	reads(&kinds[0]);
	reads(&kinds[5]);
	polls();
	polls_of_tasks();
	outputs();
	output_lives();
	mapped();
	forked();
	writes();
	return 0;
}
