/* SPDX-License-Identifier: BSD-2-Clause */
/* Trace events by perf_event_open(2): what tracefs says of them, counts, records to the byte,
 * permissions. */
#define _GNU_SOURCE
#include "tests/guest/trace/buffer.h"
#include "tests/guest/trace/tracing.h"
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#define CALLS           100
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define NOBODY          65534

static struct perf_record record;

static long slurp_into(char *text, size_t size, const char *path)
{
	int fd = open(path, O_RDONLY);
	long n, total = 0;

	if (fd < 0)
		return -errno;
	while ((n = read(fd, text + total, size - 1 - (size_t)total)) > 0)
		total += n;
	text[total] = 0;
	close(fd);
	return total;
}

static int open_counter(const char *event)
{
	struct perf_event_attr attr = attr_of(event);

	return perf_open(&attr, 0, -1, -1, 0);
}

/* Every record of the event goes into a ring. */
static int open_sampler(const char *event, struct perf_ring *ring)
{
	struct perf_event_attr attr = attr_of(event);
	int fd;

	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_RAW;
	fd = perf_open(&attr, 0, -1, -1, 0);
	if (fd < 0 || !perf_map(ring, fd, 8, PROT_READ | PROT_WRITE)) {
		printf("Bail out! cannot sample %s: %s\n", event, strerror(errno));
		exit(1);
	}
	return fd;
}

static void close_sampler(int fd, struct perf_ring *ring)
{
	perf_unmap(ring);
	close(fd);
}

static void calls(int number)
{
	while (number--)
		syscall(SYS_getppid);
}

/* Finds a record's field by the event's format. */
static bool field_place(const char *event, const char *name, unsigned *offset, unsigned *size)
{
	char path[128], want[64], *line;
	static char text[8192];

	snprintf(path, sizeof(path), TRACING "events/%s/format", event);
	if (slurp_into(text, sizeof(text), path) <= 0)
		return false;
	snprintf(want, sizeof(want), " %s;", name);
	line = strstr(text, want);
	return line && sscanf(strchr(line, ';'), ";\toffset:%u;\tsize:%u;", offset, size) == 2;
}

/* The value of a field in the record that was taken last. */
static uint64_t field(const char *event, const char *name)
{
	const char *raw = (const char *)record.words + sizeof(uint32_t);
	unsigned offset = 0, size = 0;
	uint64_t value = 0;

	if (!field_place(event, name, &offset, &size) || size > sizeof(value))
		return UINT64_MAX;
	memcpy(&value, raw + offset, size);
	return value;
}

static void test_formats(void)
{
	static const char head[] = "name: sys_enter_read\nID: ";
	static const char fields[] =
	    "\nformat:\n"
	    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	    "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	    "\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
	    "\tfield:unsigned int fd;\toffset:16;\tsize:8;\tsigned:0;\n"
	    "\tfield:char * buf;\toffset:24;\tsize:8;\tsigned:0;\n"
	    "\tfield:size_t count;\toffset:32;\tsize:8;\tsigned:0;\n\n"
	    "print fmt: \"fd: 0x%08lx, buf: 0x%08lx, count: 0x%08lx\", ";
	char text[4096];

	ok(slurp_into(text, sizeof(text), TRACING "events/syscalls/sys_enter_read/format") > 0,
	   "a call's format can be read");
	ok(!strncmp(text, head, sizeof(head) - 1) && strstr(text, fields),
	   "a call's format is Linux's");
	is(strtoull(text + sizeof(head) - 1, NULL, 10), id_of("syscalls/sys_enter_read"),
	   "a format's id is the id file's");
	ok(access(TRACING "events/sched/nothing", F_OK) && errno == ENOENT,
	   "no directory for what is no event");
	ok(slurp_into(text, sizeof(text), TRACING "events/sched/sched_switch/enable") == 2 &&
	       text[0] == '0',
	   "tracefs's own buffer has no event");
}

static void test_counts(void)
{
	int enter = open_counter("syscalls/sys_enter_getppid"),
	    exits = open_counter("syscalls/sys_exit_getppid"),
	    other = open_counter("syscalls/sys_enter_getuid"),
	    raw = open_counter("raw_syscalls/sys_enter");

	ioctl(enter, PERF_EVENT_IOC_ENABLE, 0);
	ioctl(exits, PERF_EVENT_IOC_ENABLE, 0);
	ioctl(other, PERF_EVENT_IOC_ENABLE, 0);
	ioctl(raw, PERF_EVENT_IOC_ENABLE, 0);
	calls(CALLS);
	ioctl(raw, PERF_EVENT_IOC_DISABLE, 0);
	calls(CALLS);
	is(perf_value(enter), 2 * CALLS, "each call is counted on entry");
	is(perf_value(exits), 2 * CALLS, "each call is counted on exit");
	is(perf_value(other), 0, "a call that is not made is not counted");
	is(perf_value(raw), CALLS + 1, "raw_syscalls counts all, the one that disables it last");
	close(enter);
	close(exits);
	close(other);
	close(raw);
}

static void test_records(void)
{
	struct perf_ring ring;
	int fd = open_sampler("syscalls/sys_enter_read", &ring), null = open("/dev/null", O_RDONLY);
	char byte;

	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	if (read(null, &byte, 1))
		printf("# /dev/null is not empty\n");
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	ok(perf_next(&ring, &record), "a call gives a record");
	is((uint32_t)record.words[0], 44,
	   "a call's data have 40 bytes, with their size a multiple of 8");
	is(record.header.size, 8 + 48, "the record is no longer");
	is(field("syscalls/sys_enter_read", "common_type"), id_of("syscalls/sys_enter_read"),
	   "common_type");
	is(field("syscalls/sys_enter_read", "common_pid"), (uint64_t)getpid(), "common_pid");
	is(field("syscalls/sys_enter_read", "__syscall_nr"), SYS_read, "number");
	is(field("syscalls/sys_enter_read", "fd"), (uint64_t)null, "first argument");
	is(field("syscalls/sys_enter_read", "buf"), (uint64_t)(uintptr_t)&byte, "second argument");
	is(field("syscalls/sys_enter_read", "count"), 1, "third argument");
	ok(!perf_next(&ring, &record), "no other record");
	close_sampler(fd, &ring);
	fd = open_sampler("syscalls/sys_exit_close", &ring);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	close(null);
	close(null);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	perf_next(&ring, &record);
	is(field("syscalls/sys_exit_close", "ret"), 0, "a result");
	perf_next(&ring, &record);
	is(field("syscalls/sys_exit_close", "ret"), (uint64_t)-EBADF, "an error");
	close_sampler(fd, &ring);
}

/* A call that ends in another program, whose registers are not the caller's. */
static void test_ends_elsewhere(void)
{
	struct perf_event_attr attr = attr_of("syscalls/sys_exit_execve");
	pid_t child;
	int execs;

	attr.inherit = 1;
	execs = perf_open(&attr, 0, -1, -1, 0);
	ioctl(execs, PERF_EVENT_IOC_ENABLE, 0);
	child = fork();
	if (!child) {
		execl("/proc/self/exe", "tracepoints", "ends", NULL);
		_exit(1);
	}
	waitpid(child, NULL, 0);
	is((long)perf_value(execs), 1, "execve's end is told of in the new program");
	close(execs);
}

/* A child that executes nothing and ends, one switch at least. */
static void test_processes(void)
{
	struct perf_event_attr attr = attr_of("sched/sched_process_exit");
	struct perf_ring ring;
	int forks, exits, switches, status;
	pid_t child;

	attr.inherit = 1;
	exits = perf_open(&attr, 0, -1, -1, 0);
	forks = open_sampler("sched/sched_process_fork", &ring);
	switches = open_counter("sched/sched_switch");
	ioctl(exits, PERF_EVENT_IOC_ENABLE, 0);
	ioctl(forks, PERF_EVENT_IOC_ENABLE, 0);
	ioctl(switches, PERF_EVENT_IOC_ENABLE, 0);
	child = fork();
	if (!child)
		_exit(0);
	waitpid(child, &status, 0);
	is(perf_value(exits), 0, "a child's events end before the child");
	ok(perf_next(&ring, &record), "fork leaves a record");
	is(field("sched/sched_process_fork", "child_pid"), (uint64_t)child,
	   "fork's record has the child's number");
	is(field("sched/sched_process_fork", "parent_pid"), (uint64_t)getpid(),
	   "fork's record has the parent's number");
	ok(perf_value(switches) >= 1, "a waiting task leaves a switch");
	close(exits);
	close(switches);
	close_sampler(forks, &ring);
}

static void handler(int signo)
{
	(void)signo;
}

static void test_signals(void)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = SA_NODEFER};
	struct perf_ring sent, taken;
	int generate = open_sampler("signal/signal_generate", &sent),
	    deliver = open_sampler("signal/signal_deliver", &taken);

	sigaction(SIGUSR1, &action, NULL);
	ioctl(generate, PERF_EVENT_IOC_ENABLE, 0);
	ioctl(deliver, PERF_EVENT_IOC_ENABLE, 0);
	kill(getpid(), SIGUSR1);
	ioctl(generate, PERF_EVENT_IOC_DISABLE, 0);
	ioctl(deliver, PERF_EVENT_IOC_DISABLE, 0);
	ok(perf_next(&sent, &record), "a signal that is sent");
	is(field("signal/signal_generate", "sig"), SIGUSR1, "a signal's record has its number");
	is(field("signal/signal_generate", "pid"), (uint64_t)getpid(),
	   "a signal's record has its target");
	ok(perf_next(&taken, &record), "a handler's call leaves a record");
	is(field("signal/signal_deliver", "sig"), SIGUSR1,
	   "a handler's record has the signal's number");
	is(field("signal/signal_deliver", "sa_handler"), (uint64_t)(uintptr_t)handler,
	   "a handler's record has the handler's address");
	close_sampler(generate, &sent);
	close_sampler(deliver, &taken);
}

static void test_faults(void)
{
	char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct perf_ring ring;
	bool found = false;
	int fd = open_sampler("exceptions/page_fault_user", &ring);

	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	*(volatile char *)page = 1;
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	while (perf_next(&ring, &record))
		found |=
		    field("exceptions/page_fault_user", "address") == (uint64_t)(uintptr_t)page &&
		    (field("exceptions/page_fault_user", "error_code") & 6) == 6;
	ok(found, "a page fault with its address and a write of ring 3");
	close_sampler(fd, &ring);
}

static void test_errors(void)
{
	struct perf_event_attr attr = perf_attr(PERF_TYPE_TRACEPOINT, 1ul << 40);

	is(perf_try(&attr, 0, -1, -1, 0), -EINVAL, "no such id: EINVAL");
	attr = attr_of("sched/sched_switch");
	attr.sample_type = PERF_SAMPLE_BRANCH_STACK;
	attr.sample_period = 1;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
	is(perf_try(&attr, 0, -1, -1, 0), -EOPNOTSUPP, "branch stacks: EOPNOTSUPP");
}

static int try_raw(const char *event, uint64_t id, int cpu)
{
	struct perf_event_attr attr = perf_attr(PERF_TYPE_TRACEPOINT, id);
	int fd;

	(void)event;
	attr.sample_type = PERF_SAMPLE_RAW;
	attr.exclude_kernel = 1;
	fd = perf_try(&attr, cpu < 0 ? 0 : -1, cpu, -1, 0);
	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

/* Without privileges, at the level of paranoia that programs find. */
static int unprivileged(uint64_t call, uint64_t wake)
{
	struct perf_event_attr attr = perf_attr(PERF_TYPE_TRACEPOINT, call);

	if (setresuid(NOBODY, NOBODY, NOBODY))
		return 99;
	if (access(TRACING "events", F_OK) == 0 || errno != EACCES)
		return 1;
	if (perf_try(&attr, 0, -1, -1, 0) != -EACCES)
		return 2;
	if (try_raw("call", call, -1))
		return 3;
	if (try_raw("wake", wake, -1) != -EPERM)
		return 4;
	attr = perf_attr(PERF_TYPE_TRACEPOINT, wake);
	attr.exclude_kernel = 1;
	return perf_try(&attr, 0, -1, -1, 0) < 0 ? 5 : 0;
}

static void test_permissions(void)
{
	uint64_t call = id_of("syscalls/sys_enter_getppid"), wake = id_of("sched/sched_wakeup");
	FILE *paranoid = fopen("/proc/sys/kernel/perf_event_paranoid", "w");
	int status;
	pid_t child;

	fprintf(paranoid, "2");
	fclose(paranoid);
	child = fork();
	if (!child)
		_exit(unprivileged(call, wake));
	waitpid(child, &status, 0);
	is((uint64_t)status, 0,
	   "a user: no tracefs, no kernel events, own calls' records, no others' records, counts");
}

/* Events at functions, of this task: each count is at least the number of calls. */
static void test_functions(void)
{
	static const struct {
		const char *event, *filter;
		long exactly, least;
	} events[] = {{"task/task_rename", "newcomm == \"renamed\"", 1, 0},
		      {"sched/sched_process_wait", "pid > 0", 1, 0},
		      {"mmap/vm_unmapped_area", "length == 36864", 0, 64},
		      /* Nine pages each time; the debug kernel keeps freed ones back. */
		      {"kmem/mm_page_alloc", "order == 0", 0, 64 * 9},
		      {"kmem/mm_page_free", NULL, 0, 1},
		      {"kmem/kmalloc", NULL, 0, 64},
		      {"kmem/kfree", "ptr != 0", 0, 64}};
	int fds[COUNT_OF(events)], ends[2];
	pid_t child;

	for (unsigned i = 0; i < COUNT_OF(events); i++) {
		fds[i] = open_counter(events[i].event);
		if (events[i].filter)
			ioctl(fds[i], PERF_EVENT_IOC_SET_FILTER, events[i].filter);
		ioctl(fds[i], PERF_EVENT_IOC_ENABLE, 0);
	}
	prctl(PR_SET_NAME, "renamed");
	child = fork();
	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
	for (int i = 0; i < 64; i++) {
		char *at = mmap(NULL, 36864, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

		munmap(at, 36864);
		if (!pipe(ends)) {
			close(ends[0]);
			close(ends[1]);
		}
	}
	for (unsigned i = 0; i < COUNT_OF(events); i++) {
		long count = (long)perf_value(fds[i]);

		ok(events[i].exactly ? count == events[i].exactly : count >= events[i].least,
		   "%s: %ld times", events[i].event, count);
		close(fds[i]);
	}
}

int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		return 0; /* executed by itself */
	mount_tracefs();
	test_formats();
	test_counts();
	test_records();
	test_ends_elsewhere();
	test_processes();
	test_signals();
	test_faults();
	test_errors();
	test_permissions();
	test_functions();
	test_buffer(CALLS);
	test_filter_files();
	return tap_end();
}
