/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns on one processor: no task that works, sleeps, wakes or yields, however often, keeps
 * another from its share. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "tests/guest/tap.h"

#define RUN_MS 100

static atomic_int stop;
static long sleep_ns;
static int ends[2][2];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void work(void)
{
	for (volatile unsigned i = 0; i < 100; i++)
		;
}

static uint64_t own_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

struct runner {
	void (*turn)(void);
	uint64_t rounds, ns;
};

static void *run(void *argument)
{
	struct runner *runner = argument;

	while (!stop) {
		work();
		if (runner->turn)
			runner->turn();
		runner->rounds++;
	}
	runner->ns = own_ns();
	return NULL;
}

static void nap(void)
{
	nanosleep(&(struct timespec){.tv_nsec = sleep_ns}, NULL);
}

static void lock(void)
{
	pthread_mutex_lock(&mutex);
	work();
	pthread_mutex_unlock(&mutex);
}

static void yield(void)
{
	sched_yield();
}

static void ping(void)
{
	char byte = 0;

	write(ends[0][1], &byte, 1);
	read(ends[1][0], &byte, 1);
}

static void pong(void)
{
	char byte = 0;

	read(ends[0][0], &byte, 1);
	write(ends[1][1], &byte, 1);
}

/* Runs what takes turns beside one who only works; that one's share of the processor, in
 * percent. */
static long share(void (*first)(void), void (*second)(void), const char *name)
{
	struct runner runners[3] = {{.turn = NULL}, {.turn = first}, {.turn = second}};
	unsigned count = second ? 3 : 2;
	pthread_t threads[3];
	uint64_t sum = 0;

	stop = 0;
	for (unsigned i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, run, &runners[i]);
	usleep(RUN_MS * 1000);
	stop = 1;
	for (unsigned i = 0; second == pong && i < 1;
	     i++) { /* neither waits for the other forever */
		write(ends[0][1], "", 1);
		write(ends[1][1], "", 1);
	}
	for (unsigned i = 0; i < count; i++) {
		pthread_join(threads[i], NULL);
		sum += runners[i].ns;
	}
	printf("# %s: who works %lu rounds, others %lu and %lu\n", name, runners[0].rounds,
	       runners[1].rounds, runners[2].rounds);
	return sum ? (long)(runners[0].ns * 100 / sum) : -1;
}

static uint64_t longest_ns; /* between two looks at the clock */

static void *look_at_clock(void *unused)
{
	struct timespec before, now;
	uint64_t ns;

	clock_gettime(CLOCK_MONOTONIC, &before);
	for (; !stop; before = now) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		ns = (uint64_t)(now.tv_sec - before.tv_sec) * 1000000000 + (uint64_t)now.tv_nsec -
		     (uint64_t)before.tv_nsec;
		longest_ns = ns > longest_ns ? ns : longest_ns;
	}
	return unused;
}

#define LARGE (96ul << 20)
#define MORE  (256ul << 20)

static char *large;

/* Calls that take long: whether they did all. */

static bool enter(size_t bytes)
{
	large = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	return large != MAP_FAILED;
}

static bool populate(void)
{
	return enter(LARGE);
}

static bool read_zeros(void)
{
	int fd = open("/dev/zero", O_RDONLY);
	struct iovec twice[] = {{large, LARGE}, {large, LARGE}};
	bool all = readv(fd, twice, 2) == 2 * LARGE;

	close(fd);
	return all;
}

static bool write_file(void)
{
	int fd = (int)syscall(SYS_memfd_create, "large", 0);

	/* Its pages go with the process: how long that takes is not asked. */
	return write(fd, large, LARGE / 2) == LARGE / 2 &&
	       pread(fd, large, LARGE / 2, 0) == LARGE / 2;
}

static bool random_bytes(void)
{
	return syscall(SYS_getrandom, large, 4 << 20, 0) == 4 << 20;
}

static bool copy_memory(void)
{
	struct iovec from = {large, LARGE / 4}, to = {large + LARGE / 2, LARGE / 4};

	return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == LARGE / 4;
}

static bool look_for_pages(void)
{
	void *empty =
	    mmap(NULL, 4ul << 30, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	bool all = mincore(empty, 4ul << 30, (unsigned char *)large) == 0;

	munmap(empty, 4ul << 30);
	return all;
}

static bool unmap(void)
{
	return munmap(large, LARGE) == 0 && enter(MORE) && munmap(large, MORE) == 0;
}

static bool discard(void)
{
	return enter(MORE) && madvise(large, MORE, MADV_DONTNEED) == 0 && !large[MORE - 1] &&
	       munmap(large, MORE) == 0;
}

static bool shrink_heap(void)
{
	char *begin = (char *)syscall(SYS_brk, NULL);

	if ((char *)syscall(SYS_brk, begin + MORE) != begin + MORE)
		return false;
	for (size_t at = 4096; at < MORE; at += 4096)
		begin[at] = 1;
	return (char *)syscall(SYS_brk, begin) == begin;
}

#define DESCRIPTORS 250000
#define AREAS       30000

static bool close_many(void)
{
	return syscall(SYS_close_range, 100, ~0u, 0) == 0 && fcntl(DESCRIPTORS, F_GETFD) < 0;
}

static bool poll_many(void)
{
	struct pollfd *fds = calloc(DESCRIPTORS, sizeof(*fds));
	int ready, rest, pair[2];

	pipe(pair);
	for (unsigned i = 0; i < DESCRIPTORS; i++)
		fds[i] = (struct pollfd){pair[0], POLLIN, 0};
	rest = poll(fds, DESCRIPTORS, 1); /* waits in 250,000 queues */
	fds[DESCRIPTORS - 1] = (struct pollfd){pair[1], POLLOUT, 0};
	ready = poll(fds, DESCRIPTORS, -1);
	free(fds);
	close(pair[0]);
	close(pair[1]);
	return !rest && ready == 1;
}

static bool select_many(void)
{
	unsigned long *set = malloc(DESCRIPTORS / 8);
	struct timeval none = {0, 0};
	int ready;

	memset(set, 0xff, DESCRIPTORS / 8);
	set[0] = 7; /* below 100 the first three are open for sure */
	set[1] &= ~0ul << 36;
	ready = (int)syscall(SYS_select, DESCRIPTORS, NULL, set, NULL, &none);
	free(set);
	return ready >= 0;
}

/* A child that has much, and ends or executes another program. */
static bool child_goes(bool executes)
{
	int status = -1;
	pid_t child = fork();

	if (!child) {
		if (!enter(MORE))
			_exit(1);
		if (executes)
			execl("/proc/self/exe", "turns", "child", (char *)NULL);
		_exit(0);
	}
	return waitpid(child, &status, 0) == child && !status;
}

static bool end(void)
{
	return child_goes(false);
}

static bool execute(void)
{
	return child_goes(true);
}

static bool map_over(void)
{
	int status = -1;
	pid_t child = fork(); /* alone in its memory */

	if (!child) {
		if (!enter(MORE))
			_exit(1);
		_exit(mmap(large, MORE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
			   0) != large);
	}
	return waitpid(child, &status, 0) == child && !status;
}

/* Areas that do not become one, in a child that unmaps them, or ends. */
static bool many_areas(void)
{
	int status = -1;
	pid_t child = fork();
	char *at;

	if (!child) {
		at = mmap(NULL, 2ul * AREAS * 4096, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		for (unsigned i = 0; i < AREAS; i++)
			mprotect(at + i * 8192ul, 4096, PROT_READ);
		munmap(at, AREAS * 4096ul);
		_exit(0);
	}
	return waitpid(child, &status, 0) == child && !status;
}

/* Descriptors for close_many(). */
static void open_many(void)
{
	struct rlimit limit = {DESCRIPTORS + 1, DESCRIPTORS + 1};

	setrlimit(RLIMIT_NOFILE, &limit);
	for (int fd = 100; fd <= DESCRIPTORS; fd++)
		dup2(0, fd);
}

#define NAMES 1500 /* of 200 bytes: they take more than one call */

/* All entries come, whatever room there is. */
static void long_list(void)
{
	int dir = (mkdir("names", 0700), open("names", O_RDONLY | O_DIRECTORY));
	unsigned found = 0;
	char name[201];
	long bytes;

	large = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (unsigned i = 0; i < NAMES; i++) {
		sprintf(name, "%0200u", i);
		close(openat(dir, name, O_CREAT | O_WRONLY, 0600));
	}
	while ((bytes = syscall(SYS_getdents64, dir, large, 1 << 20)) > 0)
		for (char *at = large; at < large + bytes; at += *(uint16_t *)(at + 16))
			found++;
	ok(!bytes && found == NAMES + 2, "a long list has all names: %u", found);
	for (unsigned i = 0; i < NAMES; i++) {
		sprintf(name, "%0200u", i);
		unlinkat(dir, name, 0);
	}
	close(dir);
	rmdir("names");
}

/* How long who works waits for one who makes the call, in microseconds. */
static long wait_for(bool (*call)(void))
{
	pthread_t looker;
	bool done;

	stop = 0;
	longest_ns = 0;
	pthread_create(&looker, NULL, look_at_clock, NULL);
	usleep(1000);
	done = call();
	stop = 1;
	pthread_join(looker, NULL);
	return done ? (long)(longest_ns / 1000) : -1;
}

static void long_calls(void)
{
	static const struct {
		bool (*call)(void);
		const char *what;
	} calls[] = {
	    {populate, "enters 96 MiB at once"},
	    {read_zeros, "reads 192 MiB of zeros"},
	    {write_file, "writes 48 MiB"},
	    {random_bytes, "asks for 4 MiB of chance"},
	    {copy_memory, "copies 24 MiB"},
	    {look_for_pages, "looks for a million pages"},
	    {unmap, "unmaps 256 MiB"},
	    {discard, "gives back 256 MiB"},
	    {shrink_heap, "takes 256 MiB from its heap"},
	    {poll_many, "polls 250,000 descriptors"},
	    {select_many, "selects as many"},
	    {map_over, "maps over 256 MiB"},
	    {end, "ends with 256 MiB and as many descriptors"},
	    {execute, "executes a program with 256 MiB"},
	    {many_areas, "unmaps and ends with 60,000 areas"},
	    {close_many, "closes 249,901 descriptors"},
	};

	open_many();
	for (unsigned i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		long us = wait_for(calls[i].call);

		ok(us > 0 && us < 8000, "beside one who %s: %ld us at a time", calls[i].what, us);
	}
}

static void one_processor(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

int main(int argc, char **argv)
{
	static const long naps[] = {1, 250, 500, 1000, 10000};
	long percent;

	(void)argv;
	if (argc > 1)
		return 0; /* executed by a test */
	one_processor();
	pipe(ends[0]);
	pipe(ends[1]);
	for (unsigned i = 0; i < sizeof(naps) / sizeof(naps[0]); i++) {
		char name[32];

		sleep_ns = naps[i];
		sprintf(name, "naps of %ld ns", sleep_ns);
		percent = share(nap, NULL, name);
		ok(percent >= 30, "beside %s: %ld %%", name, percent);
	}
	percent = share(yield, NULL, "yielding");
	ok(percent >= 30 && percent <= 75, "beside one who yields: %ld %%", percent);
	percent = share(ping, pong, "a pair over pipes");
	ok(percent >= 20 && percent <= 60, "beside a pair that wakes each other: %ld %%", percent);
	percent = share(lock, lock, "a pair with a lock");
	ok(percent >= 20 && percent <= 60, "beside a pair with a lock: %ld %%", percent);
	long_calls();
	long_list();
	return tap_end();
}
