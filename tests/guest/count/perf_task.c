/* SPDX-License-Identifier: BSD-2-Clause */
/* Events and tasks: inheritance, exec, exit, records of tasks, events of other tasks and of the
 * processor. */
#include "tests/guest/cpus.h"
#include "tests/guest/perf.h"
#include <poll.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#define LOOP 50000ul

static struct perf_record record;
static const char *self;

static struct perf_event_attr counting(void)
{
	/* Without a PMU time is counted. */
	static int hardware = -1;

	if (hardware < 0)
		hardware = have_hardware();
	if (hardware)
		return perf_user_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	return perf_user_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);
}

static bool is_hardware(void)
{
	return counting().type == PERF_TYPE_HARDWARE;
}

/* Returns what one loop counts at least; its time depends on the host where that drives clocks. */
static uint64_t loop_count(void)
{
	return is_hardware() ? 2 * LOOP : 1;
}

/* Forks a child that runs `body` and waits for it. */
static int in_child(void (*body)(void))
{
	int status = -1, pid = fork();

	if (pid == 0) {
		body();
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -1;
	return status;
}

static void loop(void)
{
	perf_loop(LOOP);
}

static void nested(void)
{
	perf_loop(LOOP);
	in_child(loop);
}

static void inheritance(void)
{
	struct perf_event_attr attr = counting();
	uint64_t before, after, values[3], tally = 2 * LOOP;
	int fd, alone;

	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	alone = perf_open(&attr, 0, -1, -1, 0);
	attr.inherit = 1;
	fd = perf_open(&attr, 0, -1, -1, 0);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	ioctl(alone, PERF_EVENT_IOC_ENABLE, 0);
	in_child(nested);
	/* The family's time holds the parent's, however long a host stops between two calls. */
	ioctl(alone, PERF_EVENT_IOC_DISABLE, 0);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	before = perf_value(alone);
	after = perf_value(fd);
	printf("# parent %llu, family %llu\n", (unsigned long long)before,
	       (unsigned long long)after);
	ok(after > before + 2 * loop_count(),
	   "child and grandchild count for the event that was opened");
	ok(!is_hardware() || after < before + 2 * tally + 20000,
	   "a child's events are not counted twice");
	ok(read(fd, values, sizeof(values)) == 24 && values[1] >= values[2] && values[2] > 0,
	   "children's events have their times");
	in_child(loop);
	is(perf_value(fd), after, "children of an event that is off do not count");
	close(alone);
	close(fd);
}

/* The children of a group are a group. */
static void inherited_group(void)
{
	struct perf_event_attr attr = counting();
	uint64_t values[3];
	int leader, sibling;

	attr.inherit = 1;
	attr.read_format = PERF_FORMAT_GROUP;
	leader = perf_open(&attr, 0, -1, -1, 0);
	attr.disabled = 0;
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_PAGE_FAULTS;
	sibling = perf_open(&attr, 0, -1, leader, 0);
	ioctl(leader, PERF_EVENT_IOC_ENABLE, 0);
	in_child(loop);
	ioctl(leader, PERF_EVENT_IOC_DISABLE, 0);
	ok(read(leader, values, sizeof(values)) == 24 && values[0] == 2 &&
	       values[1] > loop_count() && values[2] > 0,
	   "a group is inherited as a group");
	close(sibling);
	close(leader);
}

static void exec_after_loop(void)
{
	perf_loop(10 * LOOP);
	execl(self, self, "loop", (char *)NULL);
}

static void exec_long(void)
{
	execl(self, self, "long", (char *)NULL);
}

/* Opens the event of a child that then runs `execute`, and waits for its end: its status in
 * *status, -1 when it came to none. */
static int open_of_child(struct perf_event_attr *attr, void (*execute)(void), int *status)
{
	int pipes[2], pid, fd;
	char c;

	if (pipe(pipes))
		exit(1);
	pid = fork();
	if (pid == 0) {
		if (read(pipes[0], &c, 1) == 1)
			execute();
		_exit(1);
	}
	fd = perf_open(attr, pid, -1, -1, 0);
	if (write(pipes[1], "x", 1) != 1 || waitpid(pid, status, 0) != pid)
		*status = -1;
	close(pipes[0]);
	close(pipes[1]);
	return fd;
}

/* enable_on_exec: nothing counts before exec. */
static void enable_on_exec(void)
{
	struct perf_event_attr attr = counting();
	int status = -1, fd;
	uint64_t count;

	attr.enable_on_exec = 1;
	attr.inherit = 1;
	fd = open_of_child(&attr, exec_after_loop, &status);
	ok(fd >= 0, "an event of a child");
	count = perf_value(fd);
	printf("# status %x, count %llu\n", status, (unsigned long long)count);
	is((uint64_t)status, 0, "the child executed this program again");
	ok(count > loop_count(), "enable_on_exec: counts after exec");
	ok(!is_hardware() || count < 20 * LOOP, "enable_on_exec does not count before exec");
	close(fd);
}

static void remove_on_exec(void)
{
	struct perf_event_attr attr = counting();
	struct pollfd poll_fd;
	int status = -1, fd;
	uint64_t count;

	attr.remove_on_exec = 1;
	attr.disabled = 0;
	fd = open_of_child(&attr, exec_long, &status);
	count = perf_value(fd);
	ok(fd >= 0 && status == 0 && (!is_hardware() || (count > 0 && count < LOOP)),
	   "remove_on_exec: nothing counts after exec");
	poll_fd = (struct pollfd){.fd = fd, .events = POLLIN};
	ok(poll(&poll_fd, 1, 0) == 1 && poll_fd.revents == POLLHUP,
	   "an event of a dead task hangs up");
	close(fd);
}

/* ---- records ---- */

struct seen {
	unsigned forks, exits, comms, exec_comms, mmaps, reads, others;
	bool order; /* sample_id says the right event and task */
	char comm[16], file[256];
	uint64_t child_value;
};

static void check_id(struct seen *seen, const char *end, uint64_t id, uint32_t pid)
{
	uint64_t words[3];

	memcpy(words, end - sizeof(words), sizeof(words));
	if ((uint32_t)words[0] != pid || words[1] == 0 || words[2] != id)
		seen->order = false;
}

static void look(struct seen *seen, uint64_t id, uint32_t parent, uint32_t child)
{
	const char *begin = (const char *)record.words,
		   *end = (const char *)&record + record.header.size;
	uint32_t u32[8];

	memcpy(u32, begin, sizeof(u32));
	switch (record.header.type) {
	case PERF_RECORD_FORK:
		seen->forks += u32[0] == child && u32[1] == parent && u32[2] == child &&
			       u32[3] == parent && record.header.size == 56;
		check_id(seen, end, id, parent);
		break;
	case PERF_RECORD_EXIT:
		seen->exits +=
		    u32[0] == child && u32[1] == parent && u32[2] == child && u32[3] == parent;
		check_id(seen, end, id, child);
		break;
	case PERF_RECORD_COMM:
		seen->comms += u32[0] == child;
		seen->exec_comms += (record.header.misc & PERF_RECORD_MISC_COMM_EXEC) != 0;
		memcpy(seen->comm, begin + 8, sizeof(seen->comm) - 1);
		check_id(seen, end, id, child);
		break;
	case PERF_RECORD_MMAP2:
		if (u32[0] == child && (record.words[7] & 0xffffffff) == (PROT_READ | PROT_EXEC) &&
		    begin[64] == '/') {
			seen->mmaps++;
			strcpy(seen->file, begin + 64);
		}
		check_id(seen, end, id, child);
		break;
	case PERF_RECORD_READ:
		seen->reads += u32[0] == child && u32[1] == child;
		seen->child_value = record.words[1];
		break;
	default:
		seen->others++;
	}
}

static void records(void)
{
	struct perf_event_attr attr = counting();
	struct seen seen = {.order = true};
	struct perf_ring ring;
	uint64_t id = 0;
	int fd, pid, status;

	attr.inherit = attr.inherit_stat = attr.task = attr.comm = attr.comm_exec = attr.mmap =
	    attr.mmap2 = attr.sample_id_all = 1;
	attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_IDENTIFIER;
	fd = perf_open(&attr, 0, 0, -1, 0);
	ok(perf_map(&ring, fd, 16, PROT_READ | PROT_WRITE),
	   "an inherited event of one processor can be mapped");
	ioctl(fd, PERF_EVENT_IOC_ID, &id);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_NAME, "renamed");
		execl(self, self, "loop", (char *)NULL);
		_exit(1);
	}
	waitpid(pid, &status, 0);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	while (perf_next(&ring, &record))
		look(&seen, id, (uint32_t)getpid(), (uint32_t)pid);
	is(seen.forks, 1, "FORK");
	is(seen.exits, 1, "EXIT");
	ok(seen.comms == 2 && seen.exec_comms == 1, "COMM, one of them of exec");
	ok(!strncmp(seen.comm, "perf_task", 9), "COMM has the program's name");
	ok(seen.mmaps >= 1 && !strcmp(seen.file, self), "MMAP2 of the program's text");
	/* The manual page promises it; Linux forgets it since 5.13. */
	if (seen.reads)
		ok(seen.reads == 1 && seen.child_value > loop_count(), "READ of the child's count");
	else
		skip("READ of the child's count", "this kernel writes none");
	ok(seen.order, "every sample_id says time, task and event");
	perf_unmap(&ring);
	close(fd);
}

/* An anonymous executable mapping, and one that is not executable (mmap_data). */
static void maps(void)
{
	struct perf_event_attr attr = perf_user_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	unsigned code = 0, data = 0;
	struct perf_ring ring;
	void *map[2];
	int fd;

	attr.mmap = attr.mmap_data = 1;
	fd = perf_open(&attr, 0, -1, -1, 0);
	perf_map(&ring, fd, 8, PROT_READ | PROT_WRITE);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	map[0] = mmap(NULL, 8192, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	map[1] = mmap(NULL, 12288, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	while (perf_next(&ring, &record)) {
		bool named = record.header.type == PERF_RECORD_MMAP &&
			     !strcmp((const char *)&record.words[4], "//anon");

		code += named && record.words[1] == (uintptr_t)map[0] && record.words[2] == 8192 &&
			record.header.misc == PERF_RECORD_MISC_USER;
		data += named && record.words[1] <= (uintptr_t)map[1] && record.words[2] >= 12288 &&
			record.header.misc == (PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_DATA);
	}
	is(code, 1, "MMAP of anonymous code");
	is(data, 1, "MMAP of anonymous data");
	munmap(map[0], 8192);
	munmap(map[1], 12288);
	perf_unmap(&ring);
	close(fd);
}

/* Two processes hand a byte back and forth. */
static void ping_pong(int rounds)
{
	int there[2], back[2], pid;
	char c = 0;

	if (pipe(there) || pipe(back))
		exit(1);
	pid = fork();
	if (pid == 0) {
		for (int i = 0; i < rounds; i++)
			if (read(there[0], &c, 1) != 1 || write(back[1], &c, 1) != 1)
				_exit(1);
		_exit(0);
	}
	for (int i = 0; i < rounds; i++)
		if (write(there[1], &c, 1) != 1 || read(back[0], &c, 1) != 1)
			break;
	waitpid(pid, NULL, 0);
	close(there[0]);
	close(there[1]);
	close(back[0]);
	close(back[1]);
}

/* Switches: counted, and as records of the task and of the processor. */
static void switches(void)
{
	struct perf_event_attr attr = perf_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES);
	unsigned in = 0, out = 0, wide_in = 0, wide_out = 0;
	struct perf_ring ring, wide;
	uint64_t count;
	int fd, cpu;

	attr.disabled = 1;
	attr.context_switch = 1;
	fd = perf_open(&attr, 0, -1, -1, 0);
	cpu = perf_open(&attr, -1, 0, -1, 0);
	perf_map(&ring, fd, 8, PROT_READ | PROT_WRITE);
	perf_map(&wide, cpu, 16, PROT_READ | PROT_WRITE);
	ioctl(cpu, PERF_EVENT_IOC_ENABLE, 0);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	ping_pong(20);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	ioctl(cpu, PERF_EVENT_IOC_DISABLE, 0);
	count = perf_value(fd);
	while (perf_next(&ring, &record))
		if (record.header.type == PERF_RECORD_SWITCH)
			record.header.misc &PERF_RECORD_MISC_SWITCH_OUT ? out++ : in++;
	while (perf_next(&wide, &record))
		if (record.header.type == PERF_RECORD_SWITCH_CPU_WIDE && record.header.size == 16)
			record.header.misc &PERF_RECORD_MISC_SWITCH_OUT ? wide_out++ : wide_in++;
	printf("# %llu switches, %u in, %u out; processor: %llu, %u, %u\n",
	       (unsigned long long)count, in, out, (unsigned long long)perf_value(cpu), wide_in,
	       wide_out);
	ok(count >= 20 && count <= 25, "context switches are counted");
	ok(in == out && in == count, "SWITCH records of the task");
	ok(wide_in >= 2 * in - 2 && wide_out >= 2 * out - 2,
	   "SWITCH_CPU_WIDE records of the processor");
	ok(perf_value(cpu) >= 2 * count - 2, "the processor's event counts all tasks");
	perf_unmap(&ring);
	perf_unmap(&wide);
	close(fd);
	close(cpu);
}

/* An event of the processor counts what every task executes. */
static void processor(void)
{
	struct perf_event_attr attr = counting();
	uint64_t count;
	int fd;

	if (!is_hardware()) {
		skip("hardware event of the processor", "no PMU");
		return;
	}
	fd = perf_open(&attr, -1, 0, -1, 0);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	in_child(loop);
	perf_loop(LOOP);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	count = perf_value(fd);
	ok(count > 4 * LOOP && count < 4 * LOOP + 100000,
	   "an event of the processor counts parent and child");
	close(fd);
}

static void *thread_loop(void *argument)
{
	(void)argument;
	perf_loop(LOOP);
	return NULL;
}

static void threads(bool thread_only)
{
	struct perf_event_attr attr = counting();
	pthread_t thread;
	uint64_t count;
	int fd;

	attr.inherit = 1;
	attr.inherit_thread = thread_only;
	fd = perf_open(&attr, 0, -1, -1, 0);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	if (pthread_create(&thread, NULL, thread_loop, NULL) == 0)
		pthread_join(thread, NULL);
	in_child(loop);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	count = perf_value(fd);
	if (!is_hardware())
		ok(count > 0, "threads inherit");
	else if (thread_only)
		ok(count > 2 * LOOP && count < 3 * LOOP,
		   "inherit_thread: threads count, processes do not");
	else
		ok(count > 4 * LOOP && count < 5 * LOOP, "inherit: threads and processes count");
	close(fd);
}

/* prctl switches all events that this task opened. */
static void by_prctl(void)
{
	struct perf_event_attr attr = counting();
	int a = perf_open(&attr, 0, -1, -1, 0), b = perf_open(&attr, 0, -1, -1, 0);
	uint64_t count;

	prctl(PR_TASK_PERF_EVENTS_ENABLE);
	perf_loop(LOOP);
	prctl(PR_TASK_PERF_EVENTS_DISABLE);
	count = perf_value(a);
	perf_loop(LOOP);
	ok(count >= loop_count() && perf_value(a) == count && perf_value(b) >= loop_count(),
	   "prctl enables and disables all events of the task");
	close(a);
	close(b);
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		perf_loop(strcmp(argv[1], "long") ? LOOP : 20 * LOOP);
		return 0;
	}
	self = argv[0];
	setvbuf(stdout, NULL, _IOLBF, 0);
	stay_on_one_processor(); /* records of one processor are looked at */
	inheritance();
	inherited_group();
	enable_on_exec();
	remove_on_exec();
	records();
	maps();
	switches();
	processor();
	threads(false);
	threads(true);
	by_prctl();
	return tap_end();
}
