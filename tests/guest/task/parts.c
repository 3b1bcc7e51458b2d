/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts that tasks share and separate: working directory and mask, descriptors, memory by clone(2)
 * and unshare(2), and namespaces by setns(2), including several UTS namespaces. */
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
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
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

/* The parts that a child shares with its parent, and the ones that it then separates. */
struct sharing {
	int clone, unshare;
	int end; /* a descriptor of both */
};

/* Leaves other marks in its directory, mask and descriptors than it found. */
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

/* Whether the caller finds a child's directory and mask, and its closed descriptor. */
static void see_marks(int end, bool *place, bool *files)
{
	char directory[64] = "";
	uint32_t mask = umask(022);

	*place = getcwd(directory, sizeof(directory)) && !strcmp(directory, "/proc");
	ok(*place == (mask == 077), "the mask goes with the directory");
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
	ok(place == !!(both & CLONE_FS), "shared %x, parted %x: the directory is %s", shared,
	   parted, place ? "both's" : "one's own");
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
	ok(unshare(1) == -1 && errno == EINVAL, "unshare of unknown flags: EINVAL");
	pipe(ends);
	is(unshare(CLONE_VM), 0, "a single thread has its memory for itself");
	pthread_create(&thread, NULL, wait_for_end, &ends[0]);
	ok(unshare(CLONE_VM) == -1 && errno == EINVAL,
	   "unshare of memory with two threads: EINVAL");
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
	ok(setns(ends[0], 0) == -1 && errno == EINVAL, "setns of another file: EINVAL");
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
	is(join("time", 0), -EUSERS, "beside another thread: not the time namespace");
	is(join("uts", 0), 0, "beside another thread: other namespaces");
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
		is(join_file(fd, kinds[i].kind), kinds[i].result, "setns by the namespace's kind");
		is(ioctl(fd, NS_GET_NSTYPE), kinds[i].kind, "NS_GET_NSTYPE tells the kind");
		is(join(kinds[i].name, CLONE_NEWUTS | CLONE_NEWIPC), -EINVAL,
		   "setns by another kind: EINVAL");
		close(fd);
	}
}

static void test_joining(void)
{
	int pid = (int)syscall(SYS_pidfd_open, getpid(), 0), status;
	int path = namespace_file("uts", O_PATH);
	char directory[64] = "";
	pthread_t thread;

	test_own_namespaces();
	ok(namespace_file("uts", O_RDWR) == -1 && errno == EPERM,
	   "namespace files are not written");
	is(join_file(path, 0), -EBADF, "setns to a path: EBADF");
	is(join_file(pid, CLONE_NEWUTS | CLONE_NEWIPC), 0, "two, of a process");
	is(join_file(pid, CLONE_NEWUTS | CLONE_NEWUSER), -EINVAL,
	   "setns by a pidfd to users and another: EINVAL");
	is(join_file(pid, 0), -EINVAL, "setns by a pidfd without a kind: EINVAL");
	is(join_file(pid, CLONE_FS), -EINVAL, "setns by a pidfd to an unknown kind: EINVAL");
	chdir("/proc");
	join("uts", 0);
	ok(getcwd(directory, sizeof(directory)) && !strcmp(directory, "/proc"),
	   "the directory stays");
	join("mnt", 0);
	ok(getcwd(directory, sizeof(directory)) && !strcmp(directory, "/"),
	   "setns to mounts sets the directory to the root");
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

/* True if uname(2) and /proc have these names for the caller. */
static bool is_called(const char *node, const char *domain)
{
	static const char *const files[] = {"/proc/sys/kernel/hostname",
					    "/proc/sys/kernel/domainname"};
	const char *const expected[] = {node, domain};
	struct utsname name;
	char text[80];

	for (unsigned i = 0; i < 2; i++) {
		int fd = open(files[i], O_RDONLY);
		ssize_t bytes = read(fd, text, sizeof(text));

		close(fd);
		if (bytes != (ssize_t)strlen(expected[i]) + 1 || text[bytes - 1] != '\n' ||
		    memcmp(text, expected[i], (size_t)bytes - 1))
			return false;
	}
	return !uname(&name) && !strcmp(name.nodename, node) && !strcmp(name.domainname, domain);
}

static int call_it(const char *node, const char *domain)
{
	return sethostname(node, strlen(node)) ? -1 : setdomainname(domain, strlen(domain));
}

/* Both calls refuse it. */
static bool refused(const void *name, long bytes, int error)
{
	return syscall(SYS_sethostname, name, bytes) == -1 && errno == error &&
	       syscall(SYS_setdomainname, name, bytes) == -1 && errno == error;
}

static void write_name(const char *file, const char *text)
{
	int fd = open(file, O_WRONLY);

	write(fd, text, strlen(text));
	close(fd);
}

static void test_names(void)
{
	static const char longest[] =
	    "0123456789012345678901234567890123456789012345678901234567890123456789";
	char most[65] = "";

	memcpy(most, longest, 64);
	is(call_it("one", "alone"), 0, "sethostname, setdomainname");
	ok(is_called("one", "alone"), "are told");
	ok(refused(longest, 65, EINVAL) && refused(longest, -1, EINVAL), "65 bytes: EINVAL");
	ok(refused((char *)8, 3, EFAULT) && refused((char *)-9l, 3, EFAULT), "no memory: EFAULT");
	ok(is_called("one", "alone"), "a bad pointer changes no name");
	is(sethostname(longest, 64) || !is_called(most, "alone"), 0, "64 bytes");
	is(sethostname(longest, 0) || !is_called("", "alone"), 0, "a name of 0 bytes");
	write_name("/proc/sys/kernel/domainname", "by.file\nmore");
	ok(is_called("", "by.file"), "a line that is written to the file");
	write_name("/proc/sys/kernel/hostname", longest);
	ok(is_called(most, "by.file"), "a written line is cut to 64 bytes");
	call_it("one", "alone");
}

/* The number of the calling thread's namespace of names by its link, or 0 where its file has
 * another. */
static unsigned long own_number(void)
{
	char text[64] = "";
	struct stat stat_of;
	unsigned long number;

	readlink("/proc/thread-self/ns/uts", text, sizeof(text) - 1);
	number = memcmp(text, "uts:[", 5) ? 0 : strtoul(text + 5, NULL, 10);
	return !stat("/proc/thread-self/ns/uts", &stat_of) && stat_of.st_ino == number ? number : 0;
}

static void *part_alone(void *number)
{
	if (!unshare(CLONE_NEWUTS) && !call_it("thread", "x") && is_called("thread", "x"))
		*(unsigned long *)number = own_number();
	return NULL;
}

static int in_its_own(void *arg)
{
	unsigned long outside = *(unsigned long *)arg;

	return own_number() != outside && is_called("one", "alone") && !call_it("child", "c") &&
		       is_called("child", "c")
		   ? 0
		   : 1;
}

/* Starts a child with names of its own, which stays until its gate opens. */
static pid_t parted_child(int *gate)
{
	int ends[2], told[2];
	pid_t child;
	char byte;

	pipe(ends);
	pipe(told);
	child = fork();
	if (!child) {
		close(ends[1]);
		byte = (char)(!unshare(CLONE_NEWUTS) && !call_it("kept", "k"));
		write(told[1], &byte, 1);
		read(ends[0], &byte, 1);
		_exit(0);
	}
	close(ends[0]);
	ok(read(told[0], &byte, 1) == 1 && byte == 1, "a child with names of its own");
	close(told[0]);
	close(told[1]);
	*gate = ends[1];
	return child;
}

static void test_joining_names(unsigned long number)
{
	int first = namespace_file("uts", O_RDONLY), gate, fd, pid;
	pid_t child = parted_child(&gate);
	struct stat stat_of;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/ns/uts", child);
	fd = open(path, O_RDONLY);
	pid = (int)syscall(SYS_pidfd_open, child, 0);
	ok(!fstat(fd, &stat_of) && stat_of.st_ino != number,
	   "the child's uts link leads to another namespace");
	is(ioctl(fd, NS_GET_NSTYPE), CLONE_NEWUTS, "the child's namespace is of the same kind");
	is(join_file(fd, CLONE_NEWIPC), -EINVAL, "setns to UTS by another kind: EINVAL");
	is(join_file(pid, CLONE_NEWUTS), 0, "setns by its process");
	ok(is_called("kept", "k") && own_number() == stat_of.st_ino, "leads there");
	is(join_file(first, 0), 0, "setns to the first UTS namespace");
	ok(is_called("one", "alone") && own_number() == number, "where it was");
	close(gate);
	waitpid(child, NULL, 0);
	is(join_file(pid, CLONE_NEWUTS), -ESRCH, "setns by the pidfd of an ended process: ESRCH");
	is(join_file(fd, CLONE_NEWUTS), 0, "an open file keeps the namespace");
	ok(is_called("kept", "k"), "a kept namespace has its names");
	join_file(first, 0);
	close(fd);
	close(pid);
	close(first);
}

/* The errors that a user without rights gets. */
static int as_user(void)
{
	setresuid(1000, 1000, 1000);
	return unshare(CLONE_NEWUTS) == -1 && errno == EPERM && refused("x", 1, EPERM) &&
		       refused(NULL, 70, EPERM) &&
		       syscall(SYS_clone, CLONE_NEWUTS | SIGCHLD, 0, 0, 0, 0) == -1 &&
		       errno == EPERM &&
		       syscall(SYS_clone, CLONE_NEWNS | SIGCHLD, 0, 0, 0, 0) == -1 &&
		       errno == EPERM && open("/proc/sys/kernel/hostname", O_WRONLY) == -1 &&
		       errno == EACCES
		   ? 0
		   : 1;
}

static void test_namespaces_of_names(void)
{
	static char stack[16384];
	unsigned long number = own_number(), of_thread = 0;
	pthread_t thread;
	int status = -1;

	ok(number, "the number of a link is its file's");
	waitpid(clone(in_its_own, stack + sizeof(stack), CLONE_NEWUTS | SIGCHLD, &number), &status,
		0);
	is(status, 0, "a child of clone with names of its own");
	ok(is_called("one", "alone"), "a clone's names are not its parent's");
	pthread_create(&thread, NULL, part_alone, &of_thread);
	pthread_join(thread, NULL);
	ok(of_thread && of_thread != number, "a thread parts alone");
	ok(is_called("one", "alone") && own_number() == number,
	   "unshare of one thread leaves the others");
	test_joining_names(number);
	if (!fork())
		_exit(as_user());
	wait(&status);
	is(status, 0, "users do none of this");
}

int main(void)
{

	test_parting();
	test_all_sharing();
	test_joining();
	test_names();
	test_namespaces_of_names();
	return tap_end();
}
