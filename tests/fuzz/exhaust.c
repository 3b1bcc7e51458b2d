/* SPDX-License-Identifier: BSD-2-Clause */
/* Uses up memory, address space, areas, processes, threads, descriptors, files, pipes, events. A
 * program that requests too much gets an errno or is killed; all of it comes back. */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/sysv.h"
#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>

#define LEAK_BYTES (4096 * 1024) /* stacks and tables that are kept for reuse */
#define MIB        (1ul << 20)

/* Touches memory until none is left: killed, or an error. */
static void touch_all(uint64_t argument)
{
	(void)argument;
	for (;;) {
		char *map = mmap(NULL, 64 * MIB, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		if (map == MAP_FAILED)
			_exit(7);
		for (size_t i = 0; i < 64 * MIB; i += PAGE)
			map[i] = 1;
	}
}

static void populate_all(uint64_t prot)
{
	while (mmap(NULL, 16 * MIB, (int)prot,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_POPULATE, -1,
		    0) != MAP_FAILED)
		if (free_memory() < MIB)
			_exit(7);
	_exit(7);
}

/* Address space without memory. */
static void map_all(uint64_t bytes)
{
	unsigned count = 0;

	while (count < 100000 &&
	       mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) !=
		   MAP_FAILED)
		count++;
	_exit(errno == ENOMEM ? 7 : 8);
}

/* Two areas for each page, until there are too many. */
static void split_areas(uint64_t pages)
{
	char *map = mmap(NULL, pages * 2 * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (uint64_t i = 0; i < pages; i++)
		if (mprotect(map + i * 2 * PAGE, PAGE, PROT_READ | PROT_WRITE))
			_exit(errno == ENOMEM ? 7 : 8);
	_exit(munmap(map, pages * 2 * PAGE) ? 9 : 7);
}

/* Ends by itself if the processes that would kill it do not get to run. */
static void fork_bomb(uint64_t ms)
{
	const uint64_t end = now_ms() + ms;

	while (now_ms() < end)
		if (fork() < 0)
			sched_yield();
}

/* Children that stay, each with a page of its own, until fork fails. */
static void fork_all(uint64_t argument)
{
	int last = 0;

	(void)argument;
	for (unsigned i = 0; i < 4000 && !last; i++) {
		pid_t child = fork();

		if (!child)
			for (;;)
				pause();
		if (child < 0)
			last = errno;
	}
	_exit(last == 0 || last == EAGAIN || last == ENOMEM ? 7 : 8);
}

static int sleeper(void *argument)
{
	(void)argument;
	pause();
	return 0;
}

/* clone(), of which musl 1.2.5 makes no threads. */
int __clone(int (*function)(void *), void *stack, int flags, void *argument);

static void thread_all(uint64_t argument)
{
	(void)argument;
	for (unsigned i = 0; i < 2000; i++) {
		char *stack = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (stack == MAP_FAILED || __clone(sleeper, stack + 4 * PAGE,
						   CLONE_VM | CLONE_FS | CLONE_FILES |
						       CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM,
						   NULL) < 0)
			_exit(errno == EAGAIN || errno == ENOMEM ? 7 : 8);
	}
	_exit(7);
}

static void open_all(uint64_t limit)
{
	const struct rlimit files = {limit, limit};
	unsigned count = 0;

	if (setrlimit(RLIMIT_NOFILE, &files))
		_exit(9);
	while (dup(0) >= 0)
		count++;
	_exit(errno == EMFILE && count + 3 >= limit ? 7 : errno == EMFILE ? 8 : errno);
}

static void pipe_all(uint64_t limit)
{
	static const char bytes[65536];
	const struct rlimit files = {limit, limit};
	int ends[2];

	setrlimit(RLIMIT_NOFILE, &files);
	while (!pipe2(ends, O_NONBLOCK))
		write(ends[1], bytes, sizeof(bytes));
	_exit(errno == EMFILE || errno == ENFILE || errno == ENOMEM ? 7 : 8);
}

/* Files until the disk, which is memory, is full. */
static void write_all(uint64_t sparse)
{
	static char bytes[MIB];
	int fd = open("/tmp/all", O_RDWR | O_CREAT | O_TRUNC, 0600), err;
	off_t at = 0;

	unlink("/tmp/all");
	memset(bytes, 1, sizeof(bytes));
	while (pwrite(fd, bytes, sizeof(bytes), at) > 0)
		at += sparse ? 1l << 30 : (long)sizeof(bytes);
	err = errno;
	_exit(err == ENOSPC || err == EFBIG || err == ENOMEM ? 7 : 8);
}

/* Sets of semaphores outlive their process. */
static void set_all(uint64_t argument)
{
	int err;

	(void)argument;
	while (semget(IPC_PRIVATE, 32000, 0600) >= 0)
		;
	err = errno;
	remove_sysv();
	_exit(err == ENOMEM || err == ENOSPC ? 7 : 8);
}

static void link_all(uint64_t argument)
{
	char name[64];
	unsigned count = 0;

	(void)argument;
	mkdir("/tmp/links", 0700);
	for (; count < 3000; count++) {
		sprintf(name, "/tmp/links/%u", count);
		if (count % 2 ? symlink("/tmp", name) : mkdir(name, 0700))
			break;
	}
	for (unsigned i = 0; i < count; i++) {
		sprintf(name, "/tmp/links/%u", i);
		remove(name);
	}
	_exit(rmdir("/tmp/links") ? 8 : 7);
}

static void ring_all(uint64_t pages)
{
	struct perf_event_attr attr = {
	    .type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = PERF_COUNT_SW_DUMMY};

	for (;;) {
		int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);

		if (fd < 0)
			_exit(errno == EMFILE || errno == ENOMEM ? 7 : 8);
		if (mmap(NULL, (1 + pages) * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) ==
		    MAP_FAILED)
			_exit(errno == ENOMEM || errno == EPERM ? 7 : 9);
	}
}

/* Signals with a siginfo queue up. */
static void signal_all(uint64_t argument)
{
	const union sigval value = {0};
	sigset_t all;
	unsigned count = 0;

	(void)argument;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	while (count < 100000 && !sigqueue(getpid(), SIGRTMIN, value))
		count++;
	_exit(count == 100000 || errno == EAGAIN ? 7 : 8);
}

/* Arguments as long as they may be, and longer. */
static void long_arguments(uint64_t count)
{
	static char string[100000];
	char **argv = calloc(count + 1, sizeof(*argv));

	memset(string, 'a', sizeof(string) - 1);
	for (uint64_t i = 0; i < count; i++)
		argv[i] = string;
	argv[0] = "fuzz";
	argv[1] = "well";
	execv("/proc/self/exe", argv);
	_exit(errno == E2BIG ? 7 : 8);
}

static const struct {
	const char *name;
	void (*body)(uint64_t argument);
	uint64_t argument;
	int wanted, or_else;
} cases[] = {
    {"touching all memory", touch_all, 0, -7, SIGKILL},
    {"populating all memory", populate_all, PROT_READ | PROT_WRITE, -7, SIGKILL},
    {"mapping all addresses, 1 TiB at a time", map_all, 1ul << 40, -7, -7},
    {"mapping all addresses, 64 TiB at a time", map_all, 1ul << 46, -7, -7},
    {"splitting areas", split_areas, 3000, -7, -7},
    {"a fork bomb", fork_bomb, 50, 0, SIGKILL},
    {"processes", fork_all, 0, -7, SIGKILL},
    {"threads", thread_all, 0, -7, SIGKILL},
    {"descriptors", open_all, 1024, -7, -7},
    {"many descriptors", open_all, 5000, -7, -7},
    {"pipes", pipe_all, 3000, -7, SIGKILL},
    {"a large file", write_all, 0, -7, SIGKILL},
    {"a sparse file", write_all, 1, -7, -7},
    {"directories and links", link_all, 0, -7, -7},
    {"sets of semaphores", set_all, 0, -7, -7},
    {"small rings", ring_all, 1, -7, SIGKILL},
    {"large rings", ring_all, 1 << 14, -7, SIGKILL},
    {"queued signals", signal_all, 0, -7, SIGKILL},
    {"long arguments", long_arguments, 20, -42, -42},
    {"too long arguments", long_arguments, 4000, -7, -7},
};

/* A killed process needs some time to give its memory back. */
static void wait_for_memory(uint64_t bytes)
{
	const struct timespec nap = {.tv_nsec = 1000000};

	for (unsigned i = 0; i < 500 && free_memory() + LEAK_BYTES < bytes; i++) {
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		nanosleep(&nap, NULL);
	}
}

static void check(unsigned i)
{
	int status = contained(cases[i].body, cases[i].argument, 500);
	int got = status == -1 ? 0 : WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status);

	if (!ok(got == cases[i].wanted || got == cases[i].or_else, "%s", cases[i].name))
		printf("# got %d, wanted %d or %d (a signal, or minus an exit status)\n", got,
		       cases[i].wanted, cases[i].or_else);
}

int main(int argc, char **argv)
{
	uint64_t before, after;

	be_well_first(argc, argv);
	system_is_well("the start");
	before = free_memory();
	for (unsigned i = 0; i < COUNT(cases); i++) {
		check(i);
		wait_for_memory(before);
	}
	after = free_memory();
	printf("# free: %lu KiB before, %lu KiB after\n", before >> 10, after >> 10);
	ok(after + LEAK_BYTES > before, "all memory came back");
	system_is_well("all this");
	return tap_end();
}
