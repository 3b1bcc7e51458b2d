/* SPDX-License-Identifier: BSD-2-Clause */
/* Clauses of perf_event_open(2) that no other program tests, by software events: groups, depths
 * of call chains, the receiver and the signal of an overflow. */
#include "tests/guest/perf.h"
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/wait.h>

#define PAGE 4096ul

static struct perf_record record;

static struct perf_event_attr faults_attr(uint64_t period, uint64_t sample_type)
{
	struct perf_event_attr attr = perf_user_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);

	attr.sample_period = period;
	attr.sample_type = sample_type;
	return attr;
}

/* Takes `times` page faults in ring 3. */
static void fault(unsigned times)
{
	volatile char *pages =
	    mmap(NULL, times * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (unsigned i = 0; i < times; i++)
		pages[i * PAGE] = 1;
	munmap((void *)pages, times * PAGE);
}

/* ---- groups ---- */

static void flags_of_groups(void)
{
	struct perf_event_attr attr = faults_attr(0, 0);
	int leader = perf_open(&attr, 0, -1, -1, 0), sibling = perf_open(&attr, 0, -1, leader, 0);
	long of_leader[4], of_sibling[4];

	/* Printing may fault, and so may a function's first call: read the values first, and
	 * call each once before. */
	fault(1);
	perf_value(leader);
	for (unsigned step = 0; step < 4; step++) {
		if (step == 0)
			ioctl(sibling, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
		if (step == 1)
			ioctl(sibling, PERF_EVENT_IOC_DISABLE, 0);
		if (step == 2)
			ioctl(leader, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
		if (step == 3) {
			ioctl(sibling, PERF_EVENT_IOC_ENABLE, 0);
			ioctl(sibling, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
		}
		if (step != 2)
			fault(3);
		of_leader[step] = (long)perf_value(leader);
		of_sibling[step] = (long)perf_value(sibling);
	}
	is(of_leader[0], 3, "ENABLE of a group by a sibling: the leader counts");
	is(of_sibling[0], 3, "PERF_IOC_FLAG_GROUP enables the sibling");
	is(of_leader[1], 6, "DISABLE of a sibling leaves the leader on");
	is(of_sibling[1], 3, "PERF_IOC_FLAG_GROUP disables the sibling");
	is(of_leader[2] + of_sibling[2], 0, "RESET of a group: all are 0");
	is(of_leader[3] + of_sibling[3], 0, "DISABLE of a group by a sibling stops all");
	close(sibling);
	close(leader);
}

static void identities(void)
{
	struct perf_event_attr attr = faults_attr(0, 0);
	uint64_t first[2], second[2], told = 0;
	int leader, sibling;

	attr.read_format = PERF_FORMAT_ID;
	leader = perf_open(&attr, 0, -1, -1, 0);
	sibling = perf_open(&attr, 0, -1, leader, 0);
	ok(read(leader, first, 16) == 16 && read(sibling, second, 16) == 16 &&
	       first[1] != second[1],
	   "FORMAT_ID: each event has its own");
	ok(ioctl(sibling, PERF_EVENT_IOC_ID, &told) == 0 && told == second[1], "IOC_ID: the same");
	close(sibling);
	close(leader);
}

/* Only children that come later inherit. */
static void older_children(void)
{
	struct perf_event_attr attr = faults_attr(0, 0);
	int gate[2], fd;
	pid_t child;
	char byte;

	if (pipe(gate) || (child = fork()) < 0)
		exit(1);
	if (!child) {
		close(gate[1]);
		if (read(gate[0], &byte, 1) == 0)
			fault(500);
		_exit(0);
	}
	attr.inherit = 1;
	attr.disabled = 0;
	fd = perf_open(&attr, 0, -1, -1, 0);
	close(gate[0]);
	close(gate[1]);
	waitpid(child, NULL, 0);
	ok(perf_value(fd) < 100, "a child that was there before does not inherit");
	close(fd);
}

/* ---- samples ---- */

__attribute__((noinline)) static void deep(unsigned depth)
{
	if (depth)
		deep(depth - 1);
	else
		fault(1);
	__asm__ volatile("" : : "r"(depth) : "memory");
}

/* Entries of a call chain, or -1. */
static int chain_of(struct perf_event_attr *attr)
{
	int fd = perf_try(attr, 0, -1, -1, 0), nr = -1;
	struct perf_ring ring;

	if (fd < 0 || !perf_map(&ring, fd, 2, PROT_READ | PROT_WRITE))
		return fd;
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	deep(20);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	if (perf_next(&ring, &record) && record.header.type == PERF_RECORD_SAMPLE)
		nr = (int)record.words[0];
	perf_unmap(&ring);
	close(fd);
	return nr;
}

static void chains(void)
{
	struct perf_event_attr attr = faults_attr(1, PERF_SAMPLE_CALLCHAIN);
	int all = chain_of(&attr);

	ok(all > 20, "a call chain has its marker and all frames");
	ok(record.words[1] == PERF_CONTEXT_USER, "the marker says: ring 3");
	attr.sample_max_stack = 5;
	is(chain_of(&attr), 6, "sample_max_stack: five frames and the marker");
	attr.sample_max_stack = 128;
	is(chain_of(&attr), -EOVERFLOW, "more than the limit: EOVERFLOW");
	attr.sample_max_stack = 0;
	attr.exclude_callchain_user = 1;
	is(chain_of(&attr), 0, "exclude_callchain_user: none of ring 3's");
}

/* The first entry of the call chain of a switch, in ring 0; 0: none. */
static uint64_t marker_of_switch(bool without_kernel)
{
	struct perf_event_attr attr = perf_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES);
	struct perf_ring ring;
	uint64_t marker = 0;
	int fd;

	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_CALLCHAIN;
	attr.exclude_callchain_kernel = without_kernel;
	fd = perf_open(&attr, 0, -1, -1, 0);
	perf_map(&ring, fd, 2, PROT_READ | PROT_WRITE);
	usleep(1000);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	if (perf_next(&ring, &record) && record.words[0])
		marker = record.words[1];
	perf_unmap(&ring);
	close(fd);
	return marker;
}

static void kernel_chains(void)
{
	ok(marker_of_switch(false) == PERF_CONTEXT_KERNEL, "a switch's chain begins in the kernel");
	ok(marker_of_switch(true) == PERF_CONTEXT_USER,
	   "exclude_callchain_kernel: it begins in ring 3");
}

/* ---- receivers of signals ---- */

static volatile int told, teller;

static void on_signal(int number, siginfo_t *info, void *context)
{
	(void)number, (void)context;
	told++;
	teller = info->si_fd;
}

static void notifications(void)
{
	struct perf_event_attr attr = faults_attr(1, PERF_SAMPLE_IP);
	struct f_owner_ex owner = {F_OWNER_TID, (pid_t)syscall(SYS_gettid)}, back = {0};
	struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO}, old;
	struct epoll_event ready, wanted = {.events = EPOLLIN};
	struct timeval now = {0};
	int epoll = epoll_create1(0), fd;
	struct perf_ring ring;
	fd_set set;

	attr.wakeup_events = 1;
	fd = perf_open(&attr, 0, -1, -1, 0);
	perf_map(&ring, fd, 2, PROT_READ | PROT_WRITE);
	epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &wanted);
	is(epoll_wait(epoll, &ready, 1, 0), 0, "epoll: nothing before an overflow");
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	fault(1);
	is(epoll_wait(epoll, &ready, 1, 0), 1, "epoll tells of it");
	fault(1);
	FD_ZERO(&set);
	FD_SET(fd, &set);
	is(select(fd + 1, &set, NULL, NULL, &now), 1, "select reports a wake-up");
	sigaction(SIGUSR1, NULL, &old);
	sigaction(SIGUSR1, &action, &old);
	fcntl(fd, F_SETSIG, SIGUSR1);
	is(fcntl(fd, F_SETOWN_EX, &owner), 0, "F_SETOWN_EX: a thread owns it");
	ok(fcntl(fd, F_GETOWN_EX, &back) == 0 && back.type == F_OWNER_TID && back.pid == owner.pid,
	   "F_GETOWN_EX says so");
	fcntl(fd, F_SETFL, O_ASYNC);
	fault(2);
	fcntl(fd, F_SETFL, 0);
	is(told, 2, "F_SETOWN's task gets a signal for each overflow");
	is(teller, fd, "the signal names the descriptor");
	sigaction(SIGUSR1, &old, NULL);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	perf_unmap(&ring);
	close(epoll);
	close(fd);
}

/* The manual page says that 0 is the same as 1; Linux waits until the ring is half full. */
static void no_wakeups(void)
{
	struct perf_event_attr attr = faults_attr(1, PERF_SAMPLE_IP);
	int fd = perf_open(&attr, 0, -1, -1, 0);
	struct pollfd one = {.fd = fd, .events = POLLIN};
	struct perf_ring ring;
	int few, many;

	perf_map(&ring, fd, 1, PROT_READ | PROT_WRITE);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	fault(100);
	few = poll(&one, 1, 0);
	fault(100);
	many = poll(&one, 1, 0);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	is(few, 0, "wakeup_events 0: 100 samples of 16 bytes do not wake");
	is(many, 1, "200 do: more than half of a ring of 4096");
	perf_unmap(&ring);
	close(fd);
}

/* ---- names ---- */

static void renamed(void)
{
	struct perf_event_attr attr = perf_user_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	int file = open("/proc/self/comm", O_WRONLY), fd;
	struct perf_ring ring;

	attr.comm = 1;
	attr.disabled = 0;
	fd = perf_open(&attr, 0, -1, -1, 0);
	perf_map(&ring, fd, 1, PROT_READ | PROT_WRITE);
	is(write(file, "written", 7), 7, "a name is written to /proc/self/comm");
	ok(perf_next(&ring, &record) && record.header.type == PERF_RECORD_COMM &&
	       !(record.header.misc & PERF_RECORD_MISC_COMM_EXEC) &&
	       !strcmp((const char *)&record.words[1], "written"),
	   "a COMM record tells it, and that it is no exec");
	perf_unmap(&ring);
	close(fd);
	close(file);
}

/* Returns the instructions of a loop in ring 3; UINT64_MAX: the event did not run all the time. */
static uint64_t instructions_without(bool host)
{
	struct perf_event_attr attr =
	    perf_user_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	uint64_t values[3] = {0};
	int fd;

	attr.exclude_host = host;
	attr.exclude_guest = !host;
	attr.disabled = 0;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	fd = perf_open(&attr, 0, -1, -1, 0);
	perf_loop(1000);
	if (read(fd, values, sizeof(values)) != sizeof(values) || !values[2])
		values[0] = UINT64_MAX;
	close(fd);
	return values[1] == values[2] ? values[0] : UINT64_MAX;
}

static void idle_and_guests(void)
{
	struct perf_event_attr attr = faults_attr(0, 0);
	int fd;

	attr.exclude_idle = attr.exclude_host = 1;
	attr.disabled = 0;
	fd = perf_open(&attr, 0, -1, -1, 0);
	fault(2);
	is(fd < 0 ? -1 : (long)perf_value(fd), 2,
	   "exclude_idle and exclude_host leave a software event of a task as it is");
	close(fd);
	if (!have_hardware()) {
		skip("guests that hardware excludes", "no PMU");
		return;
	}
	is(instructions_without(true), 0, "exclude_host leaves what guests do: there are none");
	ok(instructions_without(false) > 2000, "exclude_guest leaves all that is done here");
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	flags_of_groups();
	identities();
	older_children();
	chains();
	kernel_chains();
	notifications();
	no_wakeups();
	renamed();
	idle_and_guests();
	return tap_end();
}
