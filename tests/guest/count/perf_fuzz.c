/* SPDX-License-Identifier: BSD-2-Clause */
/* Hostile programs: random attrs, calls, mappings, user pages and tasks from a fixed seed. The
 * machine must survive, and count right after. */
#include "tests/guest/perf.h"
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

#define SLOTS 24
#define STEPS 10000

static uint64_t seed;
static int fds[SLOTS];
static void *maps[SLOTS];
static size_t map_bytes[SLOTS];

static uint64_t rnd(void)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return seed >> 33 ^ seed << 20;
}

/* A value that is often small, often one bit, sometimes anything. */
static uint64_t value(void)
{
	switch (rnd() % 5) {
	case 0:
		return 0;
	case 1:
		return rnd() % 16;
	case 2:
		return 1ull << rnd() % 64;
	case 3:
		return (1ull << rnd() % 64) - 1;
	default:
		return rnd();
	}
}

/* Mostly valid, with something random in it. */
static struct perf_event_attr random_attr(void)
{
	static const uint32_t types[] = {PERF_TYPE_HARDWARE, PERF_TYPE_SOFTWARE, PERF_TYPE_SOFTWARE,
					 PERF_TYPE_HW_CACHE, PERF_TYPE_RAW};
	struct perf_event_attr attr = perf_attr(types[rnd() % 5], rnd() % 12);
	unsigned char *bytes = (unsigned char *)&attr;

	if (attr.type == PERF_TYPE_RAW)
		attr.config = rnd() % 2 ? 0xc0 : rnd() & 0xffffff;
	attr.sample_period = rnd() % 3 ? 0 : 50 + rnd() % 10000;
	if (rnd() % 2)
		attr.sample_type = rnd() & (PERF_SAMPLE_MAX - 1) &
				   ~(uint64_t)PERF_SAMPLE_BRANCH_STACK & ~(uint64_t)PERF_SAMPLE_AUX;
	attr.read_format = rnd() % 32;
	attr.sample_regs_user = attr.sample_regs_intr = 0xff0fff;
	attr.sample_stack_user = rnd() % 256 * 8;
	attr.wakeup_events = rnd() % 100;
	attr.disabled = rnd() % 2;
	attr.inherit = rnd() % 4 == 0;
	attr.pinned = rnd() % 8 == 0;
	attr.exclusive = rnd() % 16 == 0;
	attr.exclude_kernel = rnd() % 4 != 0;
	attr.freq = rnd() % 8 == 0;
	attr.comm = attr.mmap = attr.task = attr.mmap2 = attr.context_switch = rnd() % 2;
	attr.sample_id_all = rnd() % 2;
	attr.write_backward = rnd() % 8 == 0;
	if (rnd() % 3 == 0)
		bytes[rnd() % sizeof(attr)] = (unsigned char)rnd();
	if (rnd() % 50 == 0)
		for (unsigned i = 0; i < sizeof(attr); i++)
			bytes[i] = (unsigned char)rnd();
	/* An unexpected signal would end the test. */
	attr.sigtrap = 0;
	return attr;
}

static void open_one(unsigned slot)
{
	struct perf_event_attr attr = random_attr();
	static const int pids[] = {0, 0, 0, -1, 1, 99999}, cpus[] = {-1, -1, 0, 0, 1, -2};
	int group = rnd() % 3 ? -1 : fds[rnd() % SLOTS];

	if (fds[slot] < 0)
		fds[slot] = perf_open(&attr, pids[rnd() % 6], cpus[rnd() % 6], group,
				      rnd() % 8 ? 0 : rnd() % 32);
}

static void unmap_one(unsigned slot)
{
	if (!maps[slot])
		return;
	/* Sometimes a part only; then the rest. */
	if (rnd() % 4 == 0 && map_bytes[slot] > 4096)
		munmap(maps[slot], 4096);
	munmap(maps[slot], map_bytes[slot]);
	maps[slot] = NULL;
}

static void map_one(unsigned slot)
{
	size_t pages = rnd() % 4 ? 1 + (1u << rnd() % 5) : rnd() % 9;
	void *map;

	if (maps[slot] || fds[slot] < 0)
		return;
	map = mmap(NULL, pages * 4096, rnd() % 2 ? PROT_READ : PROT_READ | PROT_WRITE, MAP_SHARED,
		   fds[slot], rnd() % 8 ? 0 : 4096);
	if (map == MAP_FAILED)
		return;
	maps[slot] = map;
	map_bytes[slot] = pages * 4096;
}

/* No access of this program's own may fail. */
static void on_fault(int signo)
{
	printf("not ok - signal %d\n", signo);
	_exit(1);
}

/* The user page becomes noise. */
static void scribble(unsigned slot)
{
	struct perf_event_mmap_page *page = maps[slot];

	if (!page || fds[slot] < 0)
		return;
	if (mprotect(page, 4096, PROT_READ | PROT_WRITE))
		return;
	page->data_tail = value();
	page->data_head = value();
	page->data_size = value();
	page->data_offset = value();
	page->lock = (uint32_t)value();
	page->aux_offset = value();
	page->aux_size = value();
}

static void control(unsigned slot)
{
	static const unsigned long commands[] = {
	    PERF_EVENT_IOC_ENABLE,           PERF_EVENT_IOC_DISABLE,    PERF_EVENT_IOC_RESET,
	    PERF_EVENT_IOC_REFRESH,          PERF_EVENT_IOC_SET_OUTPUT, PERF_EVENT_IOC_PAUSE_OUTPUT,
	    PERF_EVENT_IOC_PERIOD,           PERF_EVENT_IOC_ID,         PERF_EVENT_IOC_SET_FILTER,
	    PERF_EVENT_IOC_MODIFY_ATTRIBUTES};
	uint64_t argument = value();
	unsigned which = rnd() % 11;

	if (which == 4)
		ioctl(fds[slot], commands[4], rnd() % 4 ? fds[rnd() % SLOTS] : -1);
	else if (which == 6)
		ioctl(fds[slot], commands[6], &argument);
	else if (which < 10)
		ioctl(fds[slot], commands[which], rnd() % 2 ? argument : 0);
	else
		ioctl(fds[slot], argument, argument);
}

static void child(void)
{
	int pid = fork();

	if (pid == 0) {
		for (unsigned i = 0; i < 20; i++)
			control(rnd() % SLOTS);
		perf_loop(1 + rnd() % 2000);
		_exit(0);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

static void step(void)
{
	static char buffer[4096];
	unsigned slot = rnd() % SLOTS;
	struct pollfd poll_fd = {.fd = fds[slot], .events = POLLIN};

	switch (rnd() % 16) {
	case 0:
	case 1:
	case 2:
	case 3:
		open_one(slot);
		break;
	case 4:
		if (fds[slot] >= 0)
			close(fds[slot]);
		fds[slot] = -1;
		break;
	case 5:
	case 6:
		map_one(slot);
		break;
	case 7:
		unmap_one(slot);
		break;
	case 8:
	case 9:
	case 10:
		control(slot);
		break;
	case 11:
		if (read(fds[slot], rnd() % 8 ? buffer : (void *)value(), rnd() % sizeof(buffer)) <
		    0)
			buffer[0] = 0;
		break;
	case 12:
		poll(&poll_fd, 1, 0);
		break;
	case 13:
		scribble(slot);
		break;
	case 14:
		perf_loop(1 + rnd() % 3000);
		break;
	default:
		if (rnd() % 16 == 0)
			child();
		else
			free(malloc(200000));
	}
}

int main(int argc, char **argv)
{
	struct perf_event_attr attr =
	    perf_user_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	unsigned steps = argc > 2 ? (unsigned)atoi(argv[2]) : STEPS;
	int fd;

	seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	setvbuf(stdout, NULL, _IOLBF, 0);
	signal(SIGSEGV, on_fault);
	signal(SIGBUS, on_fault);
	signal(SIGIO, SIG_IGN);
	memset(fds, -1, sizeof(fds));
	for (unsigned i = 0; i < steps; i++)
		step();
	for (unsigned i = 0; i < SLOTS; i++) {
		unmap_one(i);
		if (fds[i] >= 0)
			close(fds[i]);
	}
	ok(true, "the machine survives %u random steps", steps);
	if (!have_hardware()) {
		skip("a count afterwards", "no PMU");
		return tap_end();
	}
	fd = perf_open(&attr, 0, -1, -1, 0);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	perf_loop(100000);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	ok(perf_value(fd) >= 200000 && perf_value(fd) < 200100, "the PMU counts right afterwards");
	close(fd);
	return tap_end();
}
