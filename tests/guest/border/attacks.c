/* SPDX-License-Identifier: BSD-2-Clause */
/* An ordinary user's attacks on the kernel, by calls that are allowed to all: nothing of the
 * kernel's changes. */
#include "tests/guest/border/credentials.h"
#include <linux/futex.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>

#include "abi/linux/perf_event.h"

#define STACKS       0xffffc90000000000ul /* kernel stacks; on Linux the same region without KASLR */
#define STACK_PAGES  96
#define BELOW_TOP    (5 * 8ul) /* the address of the saved RIP in a system call's frame */
#define KERNEL       0xffffffff80200000ul
#define KERNEL_BYTES (2ul << 20)

static const char limit_file[] = "/proc/sys/kernel/perf_event_mlock_kb";

/* clone() writes the child's number to where the parent says. */
static void child_numbers(void)
{
	long failed = 0;
	int status;

	become(USER);
	for (unsigned page = 1; page <= STACK_PAGES; page++) {
		uint64_t address = STACKS + page * 4096ul - BELOW_TOP;
		long pid = syscall(SYS_clone, CLONE_CHILD_SETTID | SIGCHLD, 0, 0, address, 0);

		if (!pid)
			_exit(0);
		failed += pid < 0 || waitpid((pid_t)pid, &status, 0) != pid || status;
	}
	is(failed, 0, "clones whose number should go to kernel stacks run, and write nothing");
}

/* The robust list: entries[i] names the word 8 i bytes after the start. */
static uint64_t entries[2000];

static struct {
	uint64_t next;
	int64_t offset;
	uint64_t pending;
} head;

static long read_limit(void)
{
	char text[32] = "";
	int fd = open(limit_file, O_RDONLY);

	read(fd, text, sizeof(text) - 1);
	close(fd);
	return atol(text);
}

static void write_limit(long value)
{
	int fd = open(limit_file, O_WRONLY);

	dprintf(fd, "%ld", value);
	close(fd);
}

/* Ends with a list over the kernel's words from `start` on, after a byte from `told`. */
static void die_holding(uint64_t start, int told)
{
	char byte;

	become(USER);
	for (unsigned i = 0; i < 2000; i++)
		entries[i] = i + 1 < 2000 ? (uint64_t)&entries[i + 1] : (uint64_t)&head;
	head.next = (uint64_t)&entries[0];
	head.offset = (int64_t)(start - head.next);
	syscall(SYS_set_robust_list, &head, sizeof(head));
	read(told, &byte, 1);
	syscall(SYS_exit, 0);
}

/* A word of the kernel's that holds the number of a thread looks like a futex that it holds. */
static void futexes_in_the_kernel(void)
{
	long before = read_limit(), changed = 0, pid;
	unsigned turn = 0;
	int told[2];

	for (uint64_t at = 0; at < KERNEL_BYTES; at += turn % 2 ? sizeof(entries) : 0, turn++) {
		pipe(told);
		pid = fork();
		if (!pid)
			die_holding(KERNEL + at + turn % 2 * 4, told[0]);
		write_limit(pid);
		write(told[1], "x", 1);
		waitpid((pid_t)pid, NULL, 0);
		changed += read_limit() != pid;
		close(told[0]);
		close(told[1]);
	}
	write_limit(before);
	is(changed, 0, "no word of the kernel's is taken for a futex");
}

/* A directory where users may write. */
static void to_directory(void)
{
	mkdir("/tmp/attacks", 0777);
	chmod("/tmp/attacks", 0777);
	chdir("/tmp/attacks");
}

/* A removed directory takes no new file, which would never be freed. */
static void removed_directory(void)
{
	int dir;

	to_directory();
	become(USER);
	mkdir("gone", 0700);
	close(open("kept", O_CREAT | O_RDWR, 0600));
	dir = open("gone", O_RDONLY | O_DIRECTORY);
	rmdir("gone");
	is(result(openat(dir, "x", O_CREAT | O_RDWR, 0600)), -ENOENT,
	   "no file in a removed directory");
	is(result(mkdirat(dir, "x", 0700)), -ENOENT, "no directory");
	is(result(symlinkat("a", dir, "x")), -ENOENT, "no symbolic link");
	is(result(mknodat(dir, "x", S_IFIFO | 0600, 0)), -ENOENT, "no pipe");
	is(result(linkat(AT_FDCWD, "kept", dir, "x", 0)), -ENOENT, "no second name");
	is(result(renameat(AT_FDCWD, "kept", dir, "x")), -ENOENT,
	   "nothing moves into a removed directory");
	is(unlink("kept"), 0, "a file that was not moved is still there");
}

static pid_t reaper;

static void *write_parent(void *pipe_end)
{
	char line[128], path[64];
	int parent = -1;
	FILE *file;

	sprintf(path, "/proc/self/task/%ld/status", syscall(SYS_gettid));
	while (getppid() != reaper)
		usleep(1000);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file))
		sscanf(line, "PPid: %d", &parent);
	write((int)(long)pipe_end, &parent, sizeof(parent));
	return NULL;
}

/* All threads of a process whose parent ended name the new one. */
static void parents_of_threads(void)
{
	int ends[2], parent = 0;
	pthread_t thread;
	pid_t pid;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	reaper = getpid();
	pipe(ends);
	pid = fork();
	if (!pid) {
		if (!fork()) {
			pthread_create(&thread, NULL, write_parent, (void *)(long)ends[1]);
			pthread_join(thread, NULL);
			_exit(0);
		}
		usleep(20000);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	read(ends[0], &parent, sizeof(parent));
	is(parent, getpid(), "a thread whose process was given away names the new parent");
}

/* Events that a child would inherit are not left behind by clones that fail. */
static void failing_clones(void)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = sizeof(attr),
				       .config = PERF_COUNT_SW_DUMMY,
				       .exclude_kernel = 1,
				       .inherit = 1};
	struct sysinfo before, after;
	long failed = 0, less;

	allow_events();
	become(USER);
	ok(syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0) >= 0,
	   "an event that children inherit");
	for (unsigned i = 0; i < 1600; i++) {
		if (i == 400)
			sysinfo(&before);
		failed += result(syscall(SYS_clone, CLONE_PIDFD | SIGCHLD, 0, 8, 0, 0)) == -EFAULT;
	}
	sysinfo(&after);
	is(failed, 1600, "clones without a place for the descriptor fail");
	less = ((long)before.freeram - (long)after.freeram) * (long)before.mem_unit;
	ok(less < 1 << 18, "failing clones leave nothing behind: %ld KiB less", less >> 10);
}

#define WIDE 20

/* Sets that watch all sets of the level below: ways multiply. */
static void many_ways(void)
{
	struct epoll_event event = {.events = EPOLLIN};
	int ends[2], below[WIDE], level[WIDE];
	long refused = 0, other = 0;

	become(USER);
	pipe(ends);
	for (unsigned depth = 0; depth < 4; depth++) {
		for (unsigned i = 0; i < WIDE; i++) {
			level[i] = epoll_create1(0);
			for (unsigned j = 0; j < (depth ? WIDE : 1); j++) {
				long got = result(epoll_ctl(level[i], EPOLL_CTL_ADD,
							    depth ? below[j] : ends[0], &event));

				refused += got == -EINVAL;
				other += got && got != -EINVAL;
			}
		}
		memcpy(below, level, sizeof(below));
	}
	is(other, 0, "sets watch sets");
	ok(refused > 0, "epoll refuses too many ways to one file");
	is(write(ends[1], "x", 1), 1, "a write ends");
}

static int locked_file;

static void *wait_for_lock(void *got)
{
	struct flock lock = {.l_type = F_WRLCK};

	*(long *)got = result(fcntl(locked_file, F_SETLKW, &lock));
	return NULL;
}

/* A lock that comes when its descriptor is closed already goes again. */
static void lock_of_closed(void)
{
	struct flock lock = {.l_type = F_WRLCK};
	int ends[2], fd, status = -1;
	pthread_t thread;
	long got = 1;
	char byte;
	pid_t pid;

	pipe(ends);
	to_directory();
	become(USER);
	locked_file = open("locked", O_CREAT | O_RDWR, 0600);
	pid = fork();
	if (!pid) {
		fcntl(locked_file, F_SETLK, &lock);
		write(ends[1], "x", 1);
		usleep(50000);
		_exit(0);
	}
	read(ends[0], &byte, 1);
	pthread_create(&thread, NULL, wait_for_lock, &got);
	usleep(10000);
	close(locked_file);
	pthread_join(thread, NULL);
	waitpid(pid, NULL, 0);
	is(got, -EBADF, "a lock whose descriptor was closed while it waited");
	if (!fork()) {
		fd = open("locked", O_RDWR);
		_exit(fcntl(fd, F_SETLK, &lock) ? errno : 0);
	}
	wait(&status);
	is(status, 0, "stands in nobody's way");
	unlink("locked");
}

/* A link to a descriptor's file gives no ownership of the file. */
static void names_for_descriptors(void)
{
	struct stat stat;
	char path[32];
	int fd;

	to_directory();
	fd = open("roots", O_CREAT | O_RDWR, 0600);
	unlink("roots");
	is(result(linkat(fd, "", AT_FDCWD, "again", AT_EMPTY_PATH)), -ENOENT,
	   "a removed file gets no name, not even by root");
	sprintf(path, "/proc/self/fd/%d", fd);
	become(USER);
	is(result(linkat(fd, "", AT_FDCWD, "mine", AT_EMPTY_PATH)), -ENOENT,
	   "a user names no descriptor's file");
	ok(linkat(AT_FDCWD, path, AT_FDCWD, "mine", AT_SYMLINK_FOLLOW),
	   "a user links no descriptor's file through /proc");
	ok(!fstat(fd, &stat) && !stat.st_uid, "a user does not come to own a descriptor's file");
}

#define PAGES 256

static char *new_page(void)
{
	return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

static void *sleep_on(void *word)
{
	return (void *)syscall(SYS_futex, word, FUTEX_WAIT, 0, NULL, NULL, 0);
}

static void *wait_for_moving(void *word)
{
	return (void *)syscall(SYS_futex, word, FUTEX_WAIT_REQUEUE_PI, 0, NULL,
			       (uint32_t *)word + 1, 0);
}

/* A thread sleeps on a page that is then unmapped. Returns how many sleep on the memory that
 * replaces it: FUTEX_WAKE on each of its pages answers -EINVAL for a lock. */
static long sleepers_on_new_pages(void *(*sleep)(void *))
{
	char *page = new_page();
	pthread_t thread;
	long found = 0;

	pthread_create(&thread, NULL, sleep, page + 64);
	usleep(10000);
	munmap(page, 4096);
	for (unsigned i = 0; i < PAGES; i++)
		found += syscall(SYS_futex, new_page() + 64, FUTEX_WAKE, 1, NULL, NULL, 0) != 0;
	return found;
}

static void futexes_of_gone_pages(void)
{
	become(USER);
	is(sleepers_on_new_pages(sleep_on), 0, "a sleeper on an unmapped page is not on a new one");
	is(sleepers_on_new_pages(wait_for_moving), 0,
	   "a waiter for a lock on an unmapped page is not on a new one");
}

static void (*const parts[])(void) = {
    child_numbers,      futexes_in_the_kernel, removed_directory,
    parents_of_threads, failing_clones,        many_ways,
    lock_of_closed,     names_for_descriptors, futexes_of_gone_pages,
};

int main(void)
{
	return run_parts(parts, sizeof(parts) / sizeof(parts[0]));
}
