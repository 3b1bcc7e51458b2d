/* SPDX-License-Identifier: BSD-2-Clause */
/* Costs that depend on a number that a user chooses: instructions of one call beside 10, 100,
 * 1,000 and 10,000 objects, by the task's own counter. They grow with a logarithm at most. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "abi/linux/perf_event.h"
#include "tests/guest/memory/growth_ipc.h"
#include "tests/guest/tap.h"

#define PAGE 4096ul

static char *areas;
static unsigned nr_areas;

static bool open_counter(void)
{
	struct perf_event_attr attr = {
	    .type = PERF_TYPE_HARDWARE, .size = sizeof(attr), .config = PERF_COUNT_HW_INSTRUCTIONS};

	counter = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	return counter >= 0;
}

/* Descriptors. */

static void more_files(unsigned from, unsigned to)
{
	while (from++ < to)
		dup(0);
}

static void one_dup(void)
{
	close(dup(0));
}

static void lowest_dup(void)
{
	close(0);
	dup(1);
}

/* Areas: every other page of a range has another protection. */

static void more_areas(unsigned from, unsigned to)
{
	for (; from < to; from++)
		mprotect(areas + from * 2 * PAGE, PAGE, PROT_READ);
	nr_areas = to;
}

static void one_fault(void)
{
	char *page = areas + (nr_areas / 2 * 2 + 1) * PAGE;

	*(volatile char *)page = 1;
	madvise(page, PAGE, MADV_DONTNEED);
}

static void one_mmap(void)
{
	munmap(mmap(NULL, 64 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
	       64 * PAGE);
}

static void read_whole(const char *path)
{
	static char text[1 << 16];
	int fd = open(path, O_RDONLY);

	while (read(fd, text, sizeof(text)) > 0)
		continue;
	close(fd);
}

static void one_stat(void)
{
	read_whole("/proc/self/stat");
}

static uint64_t maps_cost(void)
{
	uint64_t before = count();

	read_whole("/proc/self/maps");
	return count() - before;
}

/* Fork copies areas: what one of them costs. */
static uint64_t fork_cost(void)
{
	uint64_t before = count();
	pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	if (!pid)
		_exit(0);
	before = count() - before;
	waitpid(pid, NULL, 0);
	return before;
}

/* Children that live. */

static pid_t *children;

static void more_children(unsigned from, unsigned to)
{
	for (; from < to; from++) {
		children[from] = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
		if (!children[from])
			for (;;)
				pause();
	}
}

static void one_sysinfo(void)
{
	struct sysinfo info;

	sysinfo(&info);
}

static uint64_t list_cost(void)
{
	static char entries[65536];
	int proc = open("/proc", O_RDONLY | O_DIRECTORY);
	uint64_t before = count();

	while (syscall(SYS_getdents64, proc, entries, sizeof(entries)) > 0)
		continue;
	before = count() - before;
	close(proc);
	return before;
}

/* Names in a directory, of which a call of getdents64 gets two. */

static char directory[] = "/tmp/growth-XXXXXX";

static void more_names(unsigned from, unsigned to)
{
	char path[64];

	if (strchr(directory, 'X'))
		mkdtemp(directory);
	for (; from < to; from++) {
		snprintf(path, sizeof(path), "%s/%05u", directory, from);
		close(open(path, O_CREAT | O_WRONLY, 0600));
	}
}

static uint64_t names_cost(void)
{
	char two[64];
	int fd = open(directory, O_RDONLY | O_DIRECTORY);
	uint64_t before = count();

	while (syscall(SYS_getdents64, fd, two, sizeof(two)) > 0)
		continue;
	before = count() - before;
	close(fd);
	return before;
}

/* Forks one, waits for any. */
static void one_child(void)
{
	pid_t pid = vfork();

	if (!pid)
		_exit(0);
	waitpid(-1, NULL, 0);
}

/* Timers. */

static timer_t last_timer;

static void more_timers(unsigned from, unsigned to)
{
	struct itimerspec far = {.it_value = {.tv_sec = 100000}};
	struct sigevent event = {.sigev_notify = SIGEV_NONE};

	for (; from < to; from++) {
		timer_create(CLOCK_MONOTONIC, &event, &last_timer);
		far.it_value.tv_sec++;
		timer_settime(last_timer, 0, &far, NULL);
	}
}

static void one_timer(void)
{
	struct itimerspec far = {.it_value = {.tv_sec = 900000}};

	timer_settime(last_timer, 0, &far, NULL);
}

/* Events that count and want no records of mappings. */

static void more_events(unsigned from, unsigned to)
{
	struct perf_event_attr attr = {
	    .type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = PERF_COUNT_SW_DUMMY};

	for (; from < to; from++)
		syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

/* Pending signals. */

static void more_signals(unsigned from, unsigned to)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	sigaddset(&set, SIGRTMIN + 1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	while (from++ < to)
		sigqueue(getpid(), SIGRTMIN, (union sigval){0});
}

static void one_signal(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN + 1);
	sigqueue(getpid(), SIGRTMIN + 1, (union sigval){0});
	sigwaitinfo(&set, NULL);
}

/* Descriptors in one epoll set, the last of which becomes ready. */

static int set_fd = -1, last_watched;

static void more_watched(unsigned from, unsigned to)
{
	struct epoll_event event = {.events = EPOLLIN};

	if (set_fd < 0)
		set_fd = epoll_create1(0);
	for (; from < to; from++) {
		last_watched = eventfd(0, 0);
		epoll_ctl(set_fd, EPOLL_CTL_ADD, last_watched, &event);
	}
}

static void one_wakeup(void)
{
	struct epoll_event event;
	uint64_t value = 1;

	write(last_watched, &value, sizeof(value));
	epoll_wait(set_fd, &event, 1, -1);
	read(last_watched, &value, sizeof(value));
}

/* A file without mappings. */
static void one_ftruncate(void)
{
	static int fd;

	if (!fd)
		fd = (int)syscall(SYS_memfd_create, "cut", 0);
	ftruncate(fd, 8192);
	ftruncate(fd, 0);
}

static const struct {
	const char *name;
	void (*more)(unsigned from, unsigned to);
	void (*one)(void);
	unsigned most;
} cases[] = {
    {"dup and close, descriptors", more_files, one_dup, 10000},
    {"close and dup of the lowest, descriptors", more_files, lowest_dup, 10000},
    {"a page fault, areas", more_areas, one_fault, 10000},
    {"mmap and munmap, areas", more_areas, one_mmap, 10000},
    {"/proc/self/stat, areas", more_areas, one_stat, 10000},
    {"sysinfo, processes", more_children, one_sysinfo, 1000},
    {"fork, exit and wait, children", more_children, one_child, 1000},
    {"timer_settime, timers", more_timers, one_timer, 10000},
    {"mmap and munmap, events", more_events, one_mmap, 1000},
    {"sigqueue and sigwaitinfo, pending signals", more_signals, one_signal, 10000},
    {"epoll_wait, descriptors in the set", more_watched, one_wakeup, 10000},
    {"ftruncate, areas", more_areas, one_ftruncate, 10000},
    {"msgget of a key, queues", more_queues, one_key, QUEUES},
    {"FUTEX_WAKE, words slept on", more_sleepers, one_wake, 10000},
    {"semop, tasks that wait", more_waiting, one_semop, 1000},
};

/* Returns the least cost of some turns: interrupts also cost. */
static uint64_t cost(void (*one)(void))
{
	uint64_t least = UINT64_MAX;

	one();
	for (unsigned i = 0; i < 5; i++) {
		uint64_t before = count(), now;

		one();
		now = count() - before;
		least = now < least ? now : least;
	}
	return least;
}

/* In a process of its own, whose end takes all with it. Trees may double it from ten to ten
 * thousand; a walk would take a hundred times as long. */
static void measure(unsigned which)
{
	uint64_t first = 0, last = 0;
	unsigned from = 0;

	open_counter();
	printf("# %s:", cases[which].name);
	for (unsigned n = 10; n <= cases[which].most; n *= 10) {
		cases[which].more(from, n);
		from = n;
		last = cost(cases[which].one);
		first = first ? first : last;
		printf(" %lu", last);
	}
	printf("\n");
	fflush(stdout);
	kill(0, last < first * 2 + 500 ? SIGUSR1 : SIGUSR2);
}

/* Operations with a constant cost, however many objects there are: instructions at most. */
static const struct {
	const char *name;
	void (*more)(unsigned from, unsigned to);
	uint64_t (*cost)(void);
	uint64_t most;
} linear[] = {
    {"fork, areas", more_areas, fork_cost, 3000},
    {"/proc/self/maps, areas", more_areas, maps_cost, 2 * 1100},
    {"a list of /proc, processes", more_children, list_cost, 1500},
    {"a list of a directory, names", more_names, names_cost, 400},
};

static void measure_linear(unsigned which)
{
	uint64_t costs[3];

	open_counter();
	printf("# %s:", linear[which].name);
	for (unsigned i = 0, n = 10; n <= 1000; n *= 10, i++) {
		linear[which].more(n / 10, n);
		costs[i] = linear[which].cost();
		printf(" %lu", costs[i]);
	}
	printf("\n");
	fflush(stdout);
	kill(0, costs[2] - costs[1] < (1000 - 100) * linear[which].most ? SIGUSR1 : SIGUSR2);
}

static void measure_let_go(void)
{
	uint64_t costs[3];

	open_counter();
	printf("# semctl, tasks that it lets go on, each:");
	for (unsigned n = 5, i = 0; n <= 500; n *= 10, i++) {
		costs[i] = let_go_cost(n);
		printf(" %lu", costs[i]);
	}
	printf("\n");
	fflush(stdout);
	kill(0, costs[2] < 2 * costs[0] + 500 ? SIGUSR1 : SIGUSR2);
}

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static int run(unsigned which)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		setpgid(0, 0);
		if (which < COUNT(cases))
			measure(which);
		else if (which < COUNT(cases) + COUNT(linear))
			measure_linear(which - COUNT(cases));
		else
			measure_let_go();
		pause();
	}
	waitpid(pid, &status, 0);
	return WTERMSIG(status);
}

int main(void)
{
	const struct rlimit files = {20000, 20000}, signals = {20000, 20000};

	if (!open_counter())
		return tap_skip_all("no counter of instructions");
	setrlimit(RLIMIT_NOFILE, &files);
	setrlimit(RLIMIT_SIGPENDING, &signals);
	children = calloc(10000, sizeof(*children));
	areas =
	    mmap(NULL, 20002 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (unsigned i = 0; i < COUNT(cases); i++)
		is(run(i), SIGUSR1, cases[i].name);
	for (unsigned i = 0; i < COUNT(linear); i++)
		is(run(COUNT(cases) + i), SIGUSR1, linear[i].name);
	is(run(COUNT(cases) + COUNT(linear)), SIGUSR1, "semctl, tasks that it lets go on");
	remove_queues();
	return tap_end();
}
