/* SPDX-License-Identifier: BSD-2-Clause */
/* The steps that state.c puts into random order: a program's operations on events, and the
 * conditions that must hold. */
#ifndef TESTS_FUZZ_STATE_STEPS_H
#define TESTS_FUZZ_STATE_STEPS_H

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/state_attr.h"
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#define SLOTS    32
#define CHILDREN 4

struct slot {
	int fd; /* -1: free */
	char *map;
	size_t bytes;
	bool readable; /* this process alone reads the ring, and may write its tail */
	bool counts;   /* no other process can reset it */
	uint64_t ring; /* events of one number may have one ring */
	bool peeked;   /* whoever maps that to read only makes it for all: it is written over */
};

static struct slot slots[SLOTS];
static pid_t children[CHILDREN];
static uint64_t step_number;
static bool tracing;
static int nr_cpus;

static void fail(const char *what, uint64_t a, uint64_t b)
{
	printf("# step %lu: %s (%#lx, %#lx)\n", step_number, what, a, b);
	fflush(stdout);
	_exit(8);
}

/* Later mappings by events that may share its ring may be written over. */
static void peek(const struct slot *slot)
{
	for (unsigned i = 0; i < SLOTS; i++)
		slots[i].peeked |= slots[i].ring == slot->ring;
}

static struct slot *any_slot(void)
{
	return &slots[random_below(SLOTS)];
}

/* One that holds an event, if a few looks find any. */
static struct slot *used_slot(void)
{
	struct slot *slot = any_slot();

	for (unsigned i = 0; i < 8 && slot->fd < 0; i++)
		slot = any_slot();
	return slot;
}

/* ---- open and close ---- */

static pid_t some_task(void)
{
	switch (random_below(10)) {
	case 0:
		return -1;
	case 1:
		return getppid();
	case 2:
	case 3:
	case 4:
		return children[random_below(CHILDREN)];
	default:
		return 0;
	}
}

static int some_cpu(void)
{
	return chance(2) ? -1 : (int)random_below((uint64_t)nr_cpus + chance(20));
}

static void drop(struct slot *slot)
{
	if (slot->map)
		munmap(slot->map, slot->bytes);
	if (slot->fd >= 0)
		close(slot->fd);
	*slot = (struct slot){.fd = -1};
}

static void do_open(void)
{
	struct perf_event_attr attr = random_attr();
	struct slot *slot = any_slot();
	int group = chance(2) ? -1 : used_slot()->fd;
	unsigned long flags = chance(8) ? random_below(16) : 0;

	if (slot->fd >= 0 && !chance(4))
		return;
	drop(slot);
	slot->fd = (int)syscall(SYS_perf_event_open, &attr, some_task(), some_cpu(), group, flags);
	slot->readable = !attr.write_backward;
	slot->counts = true;
	slot->ring = step_number;
}

static void do_close(void)
{
	struct slot *slot = used_slot();

	if (chance(2) && slot->fd >= 0) { /* the mapping stays */
		close(slot->fd);
		slot->fd = -1;
	}
	drop(slot);
}

static void do_dup(void)
{
	struct slot *from = used_slot(), *to = any_slot();

	if (from == to)
		return;
	drop(to);
	*to = *from;
	to->map = NULL;
	to->fd = dup(from->fd);
}

/* ---- mappings ---- */

static void do_map(void)
{
	struct slot *slot = used_slot();
	size_t pages = chance(6) ? random_below(9) : 1 + (1ul << random_below(5));
	int prot = chance(4) ? PROT_READ : PROT_READ | PROT_WRITE;
	void *map;

	if (slot->map || slot->fd < 0)
		return;
	map = mmap(NULL, pages * PAGE, prot, MAP_SHARED, slot->fd, chance(20) ? (long)PAGE : 0);
	if (map == MAP_FAILED)
		return;
	slot->map = map;
	slot->bytes = pages * PAGE;
	if (!(prot & PROT_WRITE))
		peek(slot);
	slot->readable = slot->readable && slot->counts && !slot->peeked;
}

static void do_unmap(void)
{
	struct slot *slot = any_slot();

	if (!slot->map)
		return;
	if (chance(4) && slot->bytes > PAGE)
		munmap(slot->map, PAGE); /* Linux and we refuse parts, or not: the rest goes next */
	munmap(slot->map, slot->bytes);
	slot->map = NULL;
}

/* All that was published is whole records. */
static void do_consume(void)
{
	struct slot *slot = any_slot();
	struct perf_event_mmap_page *page = (void *)slot->map;
	uint64_t head, tail, size;

	if (!page || !slot->readable || slot->bytes <= PAGE)
		return;
	size = page->data_size;
	tail = page->data_tail;
	head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	if (head - tail > size || size != slot->bytes - PAGE)
		fail("more in the ring than it holds", head - tail, size);
	while (tail != head) {
		const struct perf_event_header *header =
		    (void *)(slot->map + PAGE + (tail & (size - 1)));

		if (header->size < sizeof(*header) || header->size % 8 ||
		    header->size > head - tail || !header->type || header->type >= PERF_RECORD_MAX)
			fail("no record", *(const uint64_t *)header, head - tail);
		tail += header->size;
	}
	__atomic_store_n(&page->data_tail, tail, __ATOMIC_RELEASE);
}

/* Two events write to one ring: only one of two readers may follow it. */
static void do_share(void)
{
	struct slot *slot = used_slot(), *to = used_slot();
	bool none = chance(4), peeked;
	uint64_t ring = slot->ring;

	if (ioctl(slot->fd, PERF_EVENT_IOC_SET_OUTPUT, none ? -1 : to->fd) || none)
		return;
	peeked = slot->peeked || to->peeked || !to->counts;
	for (unsigned i = 0; i < SLOTS; i++)
		if (slots[i].ring == ring)
			slots[i].ring = to->ring;
	if (peeked)
		peek(to);
}

/* ---- reading and control ---- */

static void do_read(void)
{
	struct slot *slot = used_slot();
	uint64_t first[2048] = {0}, second[2048] = {0};
	long bytes = read(slot->fd, first, sizeof(first));
	long again = read(slot->fd, second, chance(8) ? random_below(64) : sizeof(second));

	if (bytes < 0 || again != bytes)
		return;
	/* A group's first word is the number of events: neither kind ever goes back. */
	if (slot->counts && bytes >= 8 && second[0] < first[0])
		fail("a count went back", first[0], second[0]);
}

static void do_control(void)
{
	static const unsigned long commands[] = {PERF_EVENT_IOC_ENABLE,
						 PERF_EVENT_IOC_DISABLE,
						 PERF_EVENT_IOC_REFRESH,
						 PERF_EVENT_IOC_PAUSE_OUTPUT,
						 PERF_EVENT_IOC_ID,
						 PERF_EVENT_IOC_PERIOD,
						 PERF_EVENT_IOC_SET_FILTER,
						 PERF_EVENT_IOC_QUERY_BPF,
						 PERF_EVENT_IOC_SET_BPF,
						 PERF_EVENT_IOC_RESET,
						 PERF_EVENT_IOC_MODIFY_ATTRIBUTES};
	struct slot *slot = used_slot();
	unsigned long command = chance(2) ? commands[random_below(2)] : PICK(commands);
	uint64_t argument = chance(2) ? 0 : random_below(4), period = 10 + random_below(10000);
	bool pointer = command == PERF_EVENT_IOC_ID || command == PERF_EVENT_IOC_PERIOD;

	if (chance(30))
		argument = random_u64();
	ioctl(slot->fd, command, pointer ? (uint64_t)&period : argument);
}

static void do_poll(void)
{
	struct pollfd polls[3];

	for (unsigned i = 0; i < 3; i++)
		polls[i] = (struct pollfd){.fd = used_slot()->fd, .events = POLLIN};
	poll(polls, 3, 0);
}

static void do_async(void)
{
	struct slot *slot = used_slot();

	pid_t child = children[random_below(CHILDREN)];

	fcntl(slot->fd, F_SETOWN, child > 0 && chance(2) ? child : getpid());
	fcntl(slot->fd, F_SETSIG, chance(2) ? 0 : SIGUSR1);
	fcntl(slot->fd, F_SETFL, chance(3) ? 0 : O_ASYNC);
}

/* ---- tasks ---- */

static void do_work(void)
{
	const struct timespec nap = {.tv_nsec = (long)random_below(200000)};
	char *map;

	switch (random_below(4)) {
	case 0:
		map = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (map != MAP_FAILED) {
			map[PAGE] = 1;
			munmap(map, 3 * PAGE);
		}
		break;
	case 1:
		nanosleep(&nap, NULL);
		break;
	case 2:
		sched_yield();
		break;
	default:
		for (volatile uint64_t i = random_below(3000); i; i--)
			;
	}
}

static void one_step(void);

/* Others now hold what this process has open. */
static void shared_now(void)
{
	for (unsigned i = 0; i < SLOTS; i++)
		slots[i].counts = false;
}

/* In the child mappings of events are not there, and rings are the parent's to read. */
static void become_child(uint64_t seed)
{
	random_seed(seed);
	memset(children, -1, sizeof(children));
	for (unsigned i = 0; i < SLOTS; i++) {
		slots[i].map = NULL;
		slots[i].readable = false;
	}
}

static void end_somehow(void)
{
	char seed[24], fds[12];

	switch (random_below(4)) {
	case 0:
		raise(SIGKILL);
		break;
	case 1:
		snprintf(seed, sizeof(seed), "%lu", random_u64());
		snprintf(fds, sizeof(fds), "%d", 3 + SLOTS);
		execl("/proc/self/exe", "fuzz", "executed", seed, fds, (char *)NULL);
		break;
	default:
		break;
	}
	_exit(0);
}

static void do_fork(void)
{
	pid_t *child = &children[random_below(CHILDREN)];
	uint64_t seed = random_u64();

	if (*child > 0)
		return;
	shared_now();
	*child = fork();
	if (*child)
		return;
	become_child(seed);
	for (uint64_t left = random_below(60); left; left--)
		one_step();
	end_somehow();
}

/* The program that a child executes: the descriptors are the inherited ones. */
static void executed(uint64_t seed, int most)
{
	for (int i = 0; i < SLOTS; i++)
		slots[i] =
		    (struct slot){.fd = 3 + i < most && fcntl(3 + i, F_GETFD) >= 0 ? 3 + i : -1};
	become_child(seed);
	for (uint64_t left = random_below(40); left; left--)
		one_step();
	_exit(0);
}

static void *thread(void *argument)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = sizeof(attr),
				       .config = PERF_COUNT_SW_CONTEXT_SWITCHES,
				       .exclude_kernel = 1};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	for (volatile uint64_t i = (uint64_t)argument; i; i--)
		;
	close(fd);
	return NULL;
}

static void do_thread(void)
{
	pthread_t handle;

	if (!pthread_create(&handle, NULL, thread, (void *)(uint64_t)random_below(5000)))
		chance(2) ? pthread_detach(handle) : pthread_join(handle, NULL);
}

static void do_kill(void)
{
	static const int signals[] = {SIGKILL, SIGSTOP, SIGCONT, SIGUSR1, SIGTRAP, SIGIO, SIGTERM};
	pid_t *child = &children[random_below(CHILDREN)];

	if (*child <= 0)
		return;
	kill(*child, PICK(signals));
	if (waitpid(*child, NULL, WNOHANG) == *child)
		*child = -1;
}

static void do_move(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(random_below((uint64_t)nr_cpus), &set);
	if (chance(3))
		for (int i = 0; i < nr_cpus; i++)
			CPU_SET(i, &set);
	sched_setaffinity(chance(3) ? children[random_below(CHILDREN)] : 0, sizeof(set), &set);
}

/* The hard limits stay, so that what is short comes back. */
static void do_limit(void)
{
	int which = chance(3) ? RLIMIT_MEMLOCK : RLIMIT_NOFILE;
	struct rlimit limit;

	getrlimit(which, &limit);
	limit.rlim_cur = chance(2) ? limit.rlim_max : random_below(3 + SLOTS);
	setrlimit(which, &limit);
}

static void do_prctl(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTRAP);
	sigaddset(&set, SIGIO);
	switch (random_below(5)) {
	case 0:
		prctl(PR_TASK_PERF_EVENTS_DISABLE);
		break;
	case 1:
		prctl(PR_TASK_PERF_EVENTS_ENABLE);
		break;
	case 2:
		prctl(PR_SET_DUMPABLE, random_below(2));
		break;
	case 3:
		prctl(PR_SET_NAME, chance(2) ? "fuzz" : "a longer name");
		break;
	default:
		sigprocmask(chance(3) ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
	}
}

static const struct {
	void (*step)(void);
	unsigned weight;
	const char *name;
} steps[] = {
    {do_open, 14, "open"},  {do_close, 5, "close"},      {do_dup, 2, "dup"},
    {do_map, 6, "map"},     {do_unmap, 3, "unmap"},      {do_consume, 4, "consume"},
    {do_share, 4, "share"}, {do_read, 8, "read"},        {do_poll, 2, "poll"},
    {do_async, 2, "async"}, {do_control, 12, "control"}, {do_work, 10, "work"},
    {do_fork, 3, "fork"},   {do_kill, 2, "kill"},        {do_move, 3, "move"},
    {do_limit, 2, "limit"}, {do_prctl, 3, "prctl"},      {do_thread, 2, "thread"},
};

static void one_step(void)
{
	uint64_t at = 0, all = 0;

	for (unsigned i = 0; i < COUNT(steps); i++)
		all += steps[i].weight;
	all = random_below(all);
	step_number++;
	for (unsigned i = 0; i < COUNT(steps); i++) {
		at += steps[i].weight;
		if (all < at) {
			if (tracing)
				printf("# %d %lu %s\n", getpid(), step_number, steps[i].name);
			steps[i].step();
			return;
		}
	}
}

#endif
