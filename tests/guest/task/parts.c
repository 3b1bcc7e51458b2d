/* SPDX-License-Identifier: BSD-2-Clause */
/* What tasks share and part: folder and mask, descriptors, memory by clone(2) and unshare(2), and
 * namespaces, of which there is one of each kind, by setns(2). */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/nsfs.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/guest/tap.h"

static long join_file(int fd, long kinds)
{
	return setns(fd, (int)kinds) ? -errno : 0;
}

static void *wait_for_end(void *end)
{
	char byte;

	read(*(int *)end, &byte, 1);
	return NULL;
}

/* What a child shares with its parent, and what it parts from then. */
struct sharing {
	int clone, unshare;
	int end; /* a descriptor of both */
};

/* Leaves other marks in its folder, mask and descriptors than it found. */
static int other_marks(void *arg)
{
	const struct sharing *sharing = arg;

	if (unshare(sharing->unshare))
		return 1;
	if (chdir("/proc"))
		return 2;
	umask(077);
	return close(sharing->end) ? 3 : 0;
}

/* Whether the caller finds a child's folder and mask, and its closed descriptor. */
static void see_marks(int end, bool *place, bool *files)
{
	char folder[64] = "";
	uint32_t mask = umask(022);

	*place = getcwd(folder, sizeof(folder)) && !strcmp(folder, "/proc");
	ok(*place == (mask == 077), "the mask goes with the folder");
	*files = fcntl(end, F_GETFD) == -1;
}

static void test_sharing(int shared, int parted)
{
	static char stack[16384];
	struct sharing sharing = {.clone = shared, .unshare = parted};
	int ends[2], status = -1, both = shared & ~parted;
	bool place, files;

	pipe(ends);
	sharing.end = ends[1];
	chdir("/");
	umask(022);
	waitpid(clone(other_marks, stack + sizeof(stack), shared | SIGCHLD, &sharing), &status, 0);
	is(status, 0, "a child of clone");
	see_marks(ends[1], &place, &files);
	ok(place == !!(both & CLONE_FS), "shared %x, parted %x: the folder is %s", shared, parted,
	   place ? "both's" : "one's own");
	ok(files == !!(both & CLONE_FILES), "the descriptors are %s",
	   files ? "both's" : "one's own");
	close(ends[0]);
	if (!files)
		close(ends[1]);
	chdir("/");
}

static void test_all_sharing(void)
{
	static const int flags[] = {0, CLONE_FS, CLONE_FILES, CLONE_FS | CLONE_FILES};

	for (unsigned shared = 0; shared < 4; shared++)
		for (unsigned parted = 0; parted < 4; parted++)
			test_sharing(flags[shared], flags[parted]);
}

static void test_parting(void)
{
	int ends[2], status;
	pthread_t thread;
	pid_t child;

	is(unshare(0), 0, "unshare of nothing");
	ok(unshare(1) == -1 && errno == EINVAL, "of what is not known: EINVAL");
	pipe(ends);
	is(unshare(CLONE_VM), 0, "a single thread has its memory for itself");
	pthread_create(&thread, NULL, wait_for_end, &ends[0]);
	ok(unshare(CLONE_VM) == -1 && errno == EINVAL, "one of two has not");
	write(ends[1], "x", 1);
	pthread_join(thread, NULL);
	child = fork();
	if (!child) {
		setresuid(1000, 1000, 1000);
		_exit(unshare(CLONE_NEWNS) == -1 && errno == EPERM ? 0 : 1);
	}
	waitpid(child, &status, 0);
	is(status, 0, "no namespaces for users");
	ok(setns(-1, 0) == -1 && errno == EBADF, "setns of no file: EBADF");
	ok(setns(ends[0], 0) == -1 && errno == EINVAL, "of another: EINVAL");
}

static int namespace_file(const char *name, int flags)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/ns/%s", name);
	return open(path, flags);
}

/* setns(2) to one's own. */
static long join(const char *name, long kinds)
{
	int fd = namespace_file(name, O_RDONLY);
	long result = join_file(fd, kinds);

	close(fd);
	return result;
}

static void *join_beside_another(void *unused)
{
	is(join("mnt", 0), -EINVAL, "beside another thread: not that of mounts");
	is(join("time", 0), -EUSERS, "nor that of time");
	is(join("uts", 0), 0, "but others");
	return unused;
}

static void test_own_namespaces(void)
{
	static const struct {
		const char *name;
		long kind, result;
	} kinds[] = {
	    {"cgroup", CLONE_NEWCGROUP, 0},   {"ipc", CLONE_NEWIPC, 0}, {"mnt", CLONE_NEWNS, 0},
	    {"net", CLONE_NEWNET, 0},         {"pid", CLONE_NEWPID, 0}, {"time", CLONE_NEWTIME, 0},
	    {"user", CLONE_NEWUSER, -EINVAL}, {"uts", CLONE_NEWUTS, 0},
	};

	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		int fd = namespace_file(kinds[i].name, O_RDONLY);

		ok(join_file(fd, 0) == kinds[i].result, "setns to one's own %s", kinds[i].name);
		is(join_file(fd, kinds[i].kind), kinds[i].result, "by its kind as well");
		is(ioctl(fd, NS_GET_NSTYPE), kinds[i].kind, "which the file tells");
		is(join(kinds[i].name, CLONE_NEWUTS | CLONE_NEWIPC), -EINVAL, "by another: EINVAL");
		close(fd);
	}
}

static void test_joining(void)
{
	int pid = (int)syscall(SYS_pidfd_open, getpid(), 0), status;
	int path = namespace_file("uts", O_PATH);
	char folder[64] = "";
	pthread_t thread;

	test_own_namespaces();
	ok(namespace_file("uts", O_RDWR) == -1 && errno == EPERM, "their files are not written");
	is(join_file(path, 0), -EBADF, "setns to a path: EBADF");
	is(join_file(pid, CLONE_NEWUTS | CLONE_NEWIPC), 0, "two, of a process");
	is(join_file(pid, CLONE_NEWUTS | CLONE_NEWUSER), -EINVAL, "with that of users: EINVAL");
	is(join_file(pid, 0), -EINVAL, "none of a process: EINVAL");
	is(join_file(pid, CLONE_FS), -EINVAL, "of no kind: EINVAL");
	chdir("/proc");
	join("uts", 0);
	ok(getcwd(folder, sizeof(folder)) && !strcmp(folder, "/proc"), "the folder stays");
	join("mnt", 0);
	ok(getcwd(folder, sizeof(folder)) && !strcmp(folder, "/"),
	   "with the mounts it is the root");
	pthread_create(&thread, NULL, join_beside_another, NULL);
	pthread_join(thread, NULL);
	if (!fork()) {
		setresuid(1000, 1000, 1000);
		_exit(join("uts", 0) == -EPERM && join("mnt", 0) == -EPERM &&
			      join("user", 0) == -EINVAL
			  ? 0
			  : 1);
	}
	wait(&status);
	is(status, 0, "users join none");
	close(path);
	close(pid);
}

int main(void)
{
	test_parting();
	test_all_sharing();
	test_joining();
	return tap_end();
}
