/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What records look like: every field of every record, in its order, with what differs between two
 * runs of one kernel (addresses, times, numbers of events and tasks) replaced by what it is.
 */
#include "oracle.h"
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#define RING_PAGES 64

static struct perf_record record;

/* What the values of one event's records are compared with. */
struct expected {
	uint64_t id;
	uint32_t pid, tid, child;
};

static void print_pid(const struct expected *e, uint32_t pid)
{
	if (pid == e->pid)
		printf(" self");
	else if (pid == e->child)
		printf(" child");
	else
		printf(" %s", pid ? "other" : "0");
}

static void print_pids(const struct expected *e, uint64_t word)
{
	print_pid(e, (uint32_t)word);
	print_pid(e, (uint32_t)(word >> 32));
}

static void print_id(const struct expected *e, uint64_t id)
{
	printf(" %s", id == e->id ? "id" : id ? "other-id" : "0");
}

static void print_address(uint64_t address)
{
	if (address >= (uint64_t)-4095)
		printf(" context%ld", (long)address);
	else
		printf(" %s", (int64_t)address < 0 ? "kernel" : address ? "user" : "0");
}

/* The read values of PERF_SAMPLE_READ. Returns what follows. */
static const uint64_t *print_read(const struct expected *e, const uint64_t *at, uint64_t format)
{
	uint64_t members = format & PERF_FORMAT_GROUP ? *at++ : 1;

	printf(" members %lu", members);
	if (format & PERF_FORMAT_GROUP) {
		for (unsigned i = 0; i < 2; i++)
			if (format & (PERF_FORMAT_TOTAL_TIME_ENABLED << i))
				printf(" %s", *at++ ? "time" : "0");
	}
	for (uint64_t i = 0; i < members; i++) {
		printf(" value %s", *at++ ? "some" : "0");
		if (!(format & PERF_FORMAT_GROUP))
			for (unsigned t = 0; t < 2; t++)
				if (format & (PERF_FORMAT_TOTAL_TIME_ENABLED << t))
					printf(" %s", *at++ ? "time" : "0");
		if (format & PERF_FORMAT_ID)
			print_id(e, *at++);
		if (format & PERF_FORMAT_LOST)
			printf(" lost %lu", *at++);
	}
	return at;
}

static const uint64_t *print_chain(const uint64_t *at)
{
	uint64_t nr = *at++;

	printf(" chain");
	for (uint64_t i = 0; i < nr; i++, at++)
		if (i < 3 || (*at >= (uint64_t)-4095))
			print_address(*at);
	return at;
}

static const uint64_t *print_registers(const uint64_t *at, uint64_t mask, const char *name)
{
	uint64_t abi = *at++;

	printf(" %s-abi %lu", name, abi);
	return abi ? at + __builtin_popcountl(mask) : at;
}

static const uint64_t *print_stack(const uint64_t *at)
{
	uint64_t size = *at++;

	printf(" stack %lu", size);
	if (!size)
		return at;
	at += size / 8;
	printf(" dynamic %s", *at > size ? "more" : *at ? "some" : "0");
	return at + 1;
}

/* The fields that need no more than their own word. */
static const uint64_t *print_words(const struct perf_event_attr *attr, const struct expected *e,
				   const uint64_t *at)
{
	uint64_t type = attr->sample_type;

	if (type & PERF_SAMPLE_IDENTIFIER)
		print_id(e, *at++);
	if (type & PERF_SAMPLE_IP)
		print_address(*at++);
	if (type & PERF_SAMPLE_TID)
		print_pids(e, *at++);
	if (type & PERF_SAMPLE_TIME)
		printf(" %s", *at++ ? "time" : "0");
	if (type & PERF_SAMPLE_ADDR)
		print_address(*at++);
	if (type & PERF_SAMPLE_ID)
		print_id(e, *at++);
	if (type & PERF_SAMPLE_STREAM_ID)
		print_id(e, *at++);
	if (type & PERF_SAMPLE_CPU)
		printf(" cpu %lx", *at++);
	if (type & PERF_SAMPLE_PERIOD)
		printf(" period %lu", *at++);
	return at;
}

static const uint64_t *print_rest(const struct perf_event_attr *attr, const uint64_t *at)
{
	uint64_t type = attr->sample_type;

	if (type & PERF_SAMPLE_CALLCHAIN)
		at = print_chain(at);
	if (type & PERF_SAMPLE_RAW)
		printf(" raw %lx", *at++);
	if (type & PERF_SAMPLE_REGS_USER)
		at = print_registers(at, attr->sample_regs_user, "user");
	if (type & PERF_SAMPLE_STACK_USER)
		at = print_stack(at);
	if (type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT))
		printf(" weight %lx", *at++);
	if (type & PERF_SAMPLE_DATA_SRC)
		printf(" source %lx", *at++);
	if (type & PERF_SAMPLE_TRANSACTION)
		printf(" transaction %lx", *at++);
	if (type & PERF_SAMPLE_REGS_INTR)
		at = print_registers(at, attr->sample_regs_intr, "intr");
	if (type & PERF_SAMPLE_PHYS_ADDR)
		printf(" physical %s", *at++ ? "some" : "0");
	if (type & PERF_SAMPLE_CGROUP)
		printf(" cgroup %lu", *at++);
	if (type & PERF_SAMPLE_DATA_PAGE_SIZE)
		printf(" data-page %lx", *at++);
	if (type & PERF_SAMPLE_CODE_PAGE_SIZE)
		printf(" code-page %lx", *at++);
	return at;
}

static const uint64_t *print_sample(const struct perf_event_attr *attr, const struct expected *e)
{
	const uint64_t *at = print_words(attr, e, record.words);

	if (attr->sample_type & PERF_SAMPLE_READ)
		at = print_read(e, at, attr->read_format);
	return print_rest(attr, at);
}

/* What sample_id_all adds to records other than samples. */
static const uint64_t *print_sample_id(const struct perf_event_attr *attr, const struct expected *e,
				       const uint64_t *at)
{
	uint64_t type = attr->sample_type;

	if (!attr->sample_id_all)
		return at;
	printf(" |");
	if (type & PERF_SAMPLE_TID)
		print_pids(e, *at++);
	if (type & PERF_SAMPLE_TIME)
		printf(" %s", *at++ ? "time" : "0");
	if (type & PERF_SAMPLE_ID)
		print_id(e, *at++);
	if (type & PERF_SAMPLE_STREAM_ID)
		print_id(e, *at++);
	if (type & PERF_SAMPLE_CPU)
		printf(" cpu %lx", *at++);
	if (type & PERF_SAMPLE_IDENTIFIER)
		print_id(e, *at++);
	return at;
}

static const uint64_t *print_name(const uint64_t *at)
{
	printf(" '%s'", (const char *)at);
	return at + strlen((const char *)at) / 8 + 1;
}

static const uint64_t *print_mapping(const struct expected *e, const uint64_t *at, bool second)
{
	print_pids(e, *at++);
	print_address(*at++);
	printf(" length %lx offset ", at[0]);
	if (at[1] && at[1] == at[-1])
		printf("address");
	else
		printf("%lx", at[1]);
	at += 2;
	if (second) {
		printf(" device %s inode %s", at[0] ? "some" : "0", at[1] ? "some" : "0");
		printf(" prot %x flags %x", (unsigned)at[3], (unsigned)(at[3] >> 32));
		at += 4;
	}
	return print_name(at);
}

/* The body of a record that is no sample. */
static const uint64_t *print_other(const struct expected *e)
{
	const uint64_t *at = record.words;

	switch (record.header.type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return print_mapping(e, at, record.header.type == PERF_RECORD_MMAP2);
	case PERF_RECORD_COMM:
		print_pids(e, *at++);
		return print_name(at);
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		print_pids(e, at[0]);
		print_pids(e, at[1]);
		printf(" %s", at[2] ? "time" : "0");
		return at + 3;
	case PERF_RECORD_LOST:
		print_id(e, at[0]);
		printf(" %lu", at[1]);
		return at + 2;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		printf(" %s", at[0] ? "time" : "0");
		print_id(e, at[1]);
		print_id(e, at[2]);
		return at + 3;
	case PERF_RECORD_SWITCH:
		return at;
	case PERF_RECORD_READ:
		print_pids(e, *at++);
		return at;
	default:
		printf(" body of an unknown type");
		return (const uint64_t *)((char *)&record + record.header.size);
	}
}

static void print_record(const struct perf_event_attr *attr, const struct expected *e)
{
	const uint64_t *end;

	printf("  type %u misc %x size %u:", record.header.type, record.header.misc,
	       record.header.size);
	if (record.header.type == PERF_RECORD_SAMPLE)
		end = print_sample(attr, e);
	else
		end = print_sample_id(attr, e, print_other(e));
	printf("%s\n", (const char *)end - (const char *)&record == record.header.size
			   ? ""
			   : " WRONG SIZE");
}

static void drain(struct perf_ring *ring, const struct perf_event_attr *attr, struct expected *e,
		  unsigned most)
{
	for (unsigned n = 0; n < most && perf_next(ring, &record); n++)
		print_record(attr, e);
	while (perf_next(ring, &record))
		;
}

static struct expected expected_of(int fd)
{
	struct expected e = {.pid = (uint32_t)getpid(), .tid = (uint32_t)getpid()};

	ioctl(fd, PERF_EVENT_IOC_ID, &e.id);
	return e;
}

/* ---- samples ---- */

static void fill_attr(struct perf_event_attr *attr)
{
	attr->sample_regs_user = 0xff0fff;
	attr->sample_regs_intr = 0x1ff;
	attr->sample_stack_user = 512;
	attr->branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
}

/* Three samples of page faults, or of instructions, with these fields. */
static void sample(const char *name, uint32_t event_type, uint64_t sample_type,
		   uint64_t read_format)
{
	struct perf_event_attr attr =
	    event_type == PERF_TYPE_SOFTWARE
		? perf_user_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS)
		: perf_user_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	volatile char *pages =
	    mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct perf_ring ring;
	struct expected e;
	int fd;

	fill_attr(&attr);
	attr.sample_period = event_type == PERF_TYPE_SOFTWARE ? 1 : 5000;
	attr.sample_type = sample_type;
	attr.read_format = read_format;
	fd = perf_try(&attr, 0, -1, -1, 0);
	printf("%s sample_type %lx read_format %lx: %s\n", name, (unsigned long)sample_type,
	       (unsigned long)read_format, outcome(fd));
	if (fd < 0 || !perf_map(&ring, fd, RING_PAGES, PROT_READ | PROT_WRITE))
		return;
	e = expected_of(fd);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	if (event_type == PERF_TYPE_SOFTWARE)
		for (unsigned i = 0; i < 2; i++)
			pages[i * PAGE] = 1;
	else
		perf_loop(6000);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	drain(&ring, &attr, &e, 2);
	perf_unmap(&ring);
	close(fd);
	munmap((void *)pages, 4 * PAGE);
}

static void samples(void)
{
	const uint64_t unsupported =
	    PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_AUX | PERF_SAMPLE_WEIGHT_STRUCT;
	uint64_t all = (PERF_SAMPLE_MAX - 1) & ~unsupported;
	static const char *const names[] = {"faults", "instructions"};
	static const uint32_t types[] = {PERF_TYPE_SOFTWARE, PERF_TYPE_HARDWARE};

	for (unsigned t = 0; t < 2; t++) {
		for (unsigned bit = 0; bit < 25; bit++)
			sample(names[t], types[t], 1ull << bit, 0);
		sample(names[t], types[t], all, PERF_FORMAT_MAX - 1);
		sample(names[t], types[t], all & ~(uint64_t)PERF_SAMPLE_STACK_USER, 0);
		for (uint64_t format = 1; format < PERF_FORMAT_MAX; format++)
			sample(names[t], types[t], PERF_SAMPLE_READ, format);
	}
}

/* Samples of a group: who samples, and who is only read. */
static void group_samples(void)
{
	struct perf_event_attr attr = perf_user_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS),
			       member;
	volatile char *pages =
	    mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct perf_ring ring;
	struct expected e;
	int leader, sibling;

	member = perf_user_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	member.disabled = 0;
	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_READ | PERF_SAMPLE_IDENTIFIER;
	attr.read_format = PERF_FORMAT_MAX - 1;
	member.read_format = PERF_FORMAT_MAX - 1;
	leader = perf_open(&attr, 0, -1, -1, 0);
	sibling = perf_open(&member, 0, -1, leader, 0);
	perf_map(&ring, leader, 2, PROT_READ | PROT_WRITE);
	e = expected_of(leader);
	printf("samples of a group\n");
	ioctl(leader, PERF_EVENT_IOC_ENABLE, 0);
	pages[0] = 1;
	ioctl(leader, PERF_EVENT_IOC_DISABLE, 0);
	drain(&ring, &attr, &e, 4);
	perf_unmap(&ring);
	close(sibling);
	close(leader);
	munmap((void *)pages, 4 * PAGE);
}

/* ---- tasks and mappings ---- */

#define SIDEBAND_BITS                                                                  \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP)

static int open_sideband(struct perf_event_attr *attr, uint64_t flags, struct perf_ring *ring,
			 struct expected *e)
{
	int fd;

	*attr = perf_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	attr->sample_type = SIDEBAND_BITS;
	*attr_flags(attr) = flags | 1;
	fd = perf_try(attr, 0, attr->inherit ? 0 : -1, -1, 0);
	if (fd < 0 || !perf_map(ring, fd, RING_PAGES, PROT_READ | PROT_WRITE)) {
		printf("sideband %lx: %s\n", (unsigned long)flags, outcome(fd));
		return -1;
	}
	*e = expected_of(fd);
	return fd;
}

static void map_things(void)
{
	char *at = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	mprotect(at, PAGE, PROT_READ | PROT_EXEC);
	munmap(at, 3 * PAGE);
	at = mmap(NULL, 2 * PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(at, 2 * PAGE);
	at =
	    mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	munmap(at, PAGE);
	at = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	munmap(at, PAGE);
}

static uint32_t make_child(void)
{
	pid_t child = fork();

	if (child == 0) {
		prctl(PR_SET_NAME, "a child of 16 bytes or more", 0, 0, 0);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	return (uint32_t)child;
}

/* Flags by their bits: mmap 8, comm 9, task 13, mmap_data 17, sample_id_all 18, mmap2 23, comm_exec
 * 24, switch 26. */
static void sidebands(void)
{
	static const uint64_t flags[] = {1 << 8,
					 1 << 8 | 1 << 18,
					 1 << 8 | 1 << 23 | 1 << 18,
					 1 << 8 | 1 << 17 | 1 << 18,
					 1 << 8 | 1 << 17 | 1 << 23,
					 1 << 23,
					 1 << 17,
					 1 << 9,
					 1 << 9 | 1 << 18 | 1 << 24,
					 1 << 9 | 1 << 13 | 1 << 18 | 1 << 1,
					 1 << 13 | 1 << 1,
					 1 << 13,
					 1 << 9 | 1 << 13 | 1 << 8 | 1 << 1 | 1 << 18};

	for (unsigned i = 0; i < COUNT(flags); i++) {
		struct perf_event_attr attr;
		struct perf_ring ring;
		struct expected e;
		int fd = open_sideband(&attr, flags[i], &ring, &e);

		if (fd < 0)
			continue;
		printf("sideband %lx\n", (unsigned long)flags[i]);
		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		map_things();
		prctl(PR_SET_NAME, "renamed", 0, 0, 0);
		e.child = make_child();
		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		drain(&ring, &attr, &e, 100);
		perf_unmap(&ring);
		close(fd);
	}
}

/* Records of a program's start, in the ring of its parent. */
static void execs(char *self)
{
	struct perf_event_attr attr = perf_user_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	struct perf_ring ring;
	struct expected e;
	int gate[2], fd;
	pid_t child;
	char byte;

	if (pipe(gate) || (child = fork()) < 0)
		return;
	if (child == 0) {
		close(gate[1]);
		if (read(gate[0], &byte, 1) >= 0)
			execl(self, "records", "nothing", NULL);
		_exit(1);
	}
	close(gate[0]);
	attr.sample_type = SIDEBAND_BITS;
	attr.enable_on_exec = attr.mmap = attr.comm = attr.task = attr.sample_id_all =
	    attr.comm_exec = 1;
	fd = perf_open(&attr, child, -1, -1, 0);
	perf_map(&ring, fd, RING_PAGES, PROT_READ | PROT_WRITE);
	e = expected_of(fd);
	e.child = (uint32_t)child;
	close(gate[1]);
	waitpid(child, NULL, 0);
	printf("exec\n");
	drain(&ring, &attr, &e, 2);
	perf_unmap(&ring);
	close(fd);
}

/* Switches to and from a task that waits. */
static void switches(void)
{
	struct perf_event_attr attr;
	struct perf_ring ring;
	struct expected e;
	int fd = open_sideband(&attr, 1 << 26 | 1 << 18, &ring, &e);

	if (fd < 0)
		return;
	printf("switches\n");
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	usleep(20000);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	drain(&ring, &attr, &e, 2);
	perf_unmap(&ring);
	close(fd);
}

/* What is lost is told when there is room again. */
static void lost(void)
{
	struct perf_event_attr attr = perf_user_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
	volatile char *pages =
	    mmap(NULL, 256 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct perf_ring ring;
	struct expected e;
	int fd;

	attr.sample_period = 1;
	attr.sample_type =
	    PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_IDENTIFIER;
	attr.sample_id_all = 1;
	fd = perf_open(&attr, 0, -1, -1, 0);
	perf_map(&ring, fd, 1, PROT_READ | PROT_WRITE);
	e = expected_of(fd);
	printf("lost\n");
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	for (unsigned i = 0; i < 200; i++)
		pages[i * PAGE] = 1;
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	printf("  head %llu\n", (unsigned long long)ring.page->data_head);
	drain(&ring, &attr, &e, 1);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	pages[201 * PAGE] = 1;
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	drain(&ring, &attr, &e, 4);
	perf_unmap(&ring);
	close(fd);
	munmap((void *)pages, 256 * PAGE);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return 0;
	setvbuf(stdout, NULL, _IOLBF, 0);
	samples();
	group_samples();
	sidebands();
	execs(argv[0]);
	switches();
	lost();
	return 0;
}
