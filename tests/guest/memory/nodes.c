/* SPDX-License-Identifier: BSD-2-Clause */
/* Nodes of memory, of which there is one; and what else programs expect of a machine: /dev/shm,
 * stacks that are made executable, parting from what is shared. */
#define _GNU_SOURCE
#include <cpuid.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/mempolicy.h>
#include <linux/nsfs.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/guest/files/slurp.h"
#include "tests/guest/tap.h"

static long call(long number, long a, long b, long c, long d, long e)
{
	long result = syscall(number, a, b, c, d, e, 0);

	return result < 0 ? -errno : result;
}

static long get(int *mode, unsigned long *nodes, unsigned long most, void *address,
		unsigned long flags)
{
	return call(SYS_get_mempolicy, (long)mode, (long)nodes, (long)most, (long)address,
		    (long)flags);
}

static long set(int mode, unsigned long nodes)
{
	return call(SYS_set_mempolicy, mode, (long)&nodes, 64, 0, 0);
}

static void test_files(void)
{
	char wanted[32];
	long online = sysconf(_SC_NPROCESSORS_ONLN);

	slurp("/sys/devices/system/node/online");
	is(strcmp(text, "0\n"), 0, "node 0 is there, and no other");
	slurp("/sys/devices/system/node/has_cpu");
	is(strcmp(text, "0\n"), 0, "it has processors");
	slurp("/sys/devices/system/node/node0/cpulist");
	snprintf(wanted, sizeof(wanted), online > 1 ? "0-%ld\n" : "0\n", online - 1);
	is(strcmp(text, wanted), 0, "all of them");
	slurp("/sys/devices/system/node/node0/distance");
	is(atoi(text), 10, "it is near itself");
	ok(slurp("/sys/devices/system/node/node0/meminfo") > 0 && strstr(text, "Node 0 MemTotal:"),
	   "and has memory");
}

static void test_policies(void)
{
	unsigned long nodes[2] = {~0ul, ~0ul};
	int mode = 99;

	is(get(&mode, nodes, 128, NULL, 0), 0, "get_mempolicy");
	ok(mode == MPOL_DEFAULT && !nodes[0] && !nodes[1], "the default, with no nodes");
	is(get(&mode, nodes, 64, NULL, MPOL_F_MEMS_ALLOWED), 0, "MPOL_F_MEMS_ALLOWED");
	is((long)nodes[0], 1, "is node 0");
	is(get(&mode, NULL, 0, &mode, MPOL_F_NODE | MPOL_F_ADDR), 0, "MPOL_F_NODE of an address");
	is(mode, 0, "is 0");
	is(get(&mode, NULL, 0, NULL, MPOL_F_NODE), -EINVAL, "of no address: EINVAL");
	is(get(&mode, NULL, 0, &mode, 0), -EINVAL, "an address that is not asked for: EINVAL");
	is(get(&mode, NULL, 0, (void *)64, MPOL_F_ADDR), -EFAULT, "one where nothing is: EFAULT");
	is(get(&mode, nodes, 0, NULL, 0), -EINVAL, "a mask without bits: EINVAL");
	is(get((int *)64, NULL, 0, NULL, 0), -EFAULT, "a bad pointer: EFAULT");
	is(get(&mode, NULL, 0, NULL, 1 << 7), -EINVAL, "unknown flags: EINVAL");
	is(set(MPOL_BIND, 3), 0, "binding to nodes 0 and 1");
	get(&mode, nodes, 64, NULL, 0);
	ok(mode == MPOL_BIND && nodes[0] == 1, "is binding to node 0");
	is(set(MPOL_BIND, 2), -EINVAL, "to node 1 alone: EINVAL");
	is(set(MPOL_BIND, 0), -EINVAL, "to none: EINVAL");
	is(set(MPOL_DEFAULT, 1), -EINVAL, "the default has no nodes");
	is(set(77, 1), -EINVAL, "no such mode: EINVAL");
	is(set(MPOL_PREFERRED, 0), 0, "preferring none");
	get(&mode, nodes, 64, NULL, 0);
	is(mode, MPOL_LOCAL, "is preferring the own");
	is(set(MPOL_DEFAULT, 0), 0, "and back");
}

static void test_areas(void)
{
	unsigned long node = 1;
	char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	is(syscall(SYS_mbind, page, 4096, MPOL_BIND, &node, 64, 0), 0, "mbind of a page");
	ok(syscall(SYS_mbind, page + 1, 4096, MPOL_BIND, &node, 64, 0) == -1 && errno == EINVAL,
	   "at its begin");
	munmap(page, 4096);
	ok(syscall(SYS_mbind, page, 4096, MPOL_BIND, &node, 64, 0) == -1 && errno == EFAULT,
	   "that is there");
}

static void test_shared_folder(void)
{
	struct stat info;
	int fd;

	if (stat("/dev/shm", &info)) /* the oracle's machine mounts nothing there */
		mkdir("/dev/shm", 01777);
	is(stat("/dev/shm", &info) == 0 && S_ISDIR(info.st_mode), 1, "/dev/shm is a folder");
	fd = shm_open("/nodes-test", O_CREAT | O_RDWR | O_EXCL, 0600);
	ok(fd >= 0, "for shm_open");
	is(ftruncate(fd, 8192), 0, "files of any length");
	ok(mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) != MAP_FAILED,
	   "that can be shared");
	is(shm_unlink("/nodes-test"), 0, "and removed");
	close(fd);
}

static void test_growing(void)
{
	char here, *page = (char *)((unsigned long)&here & -4096ul);
	char *other = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	is(mprotect(page, 4096, PROT_READ | PROT_WRITE | PROT_GROWSDOWN), 0,
	   "PROT_GROWSDOWN of the stack");
	ok(mprotect(other, 4096, PROT_READ | PROT_GROWSDOWN) == -1 && errno == EINVAL,
	   "of other memory: EINVAL");
	munmap(other, 4096);
	ok(mprotect((void *)0x10000, 4096, PROT_READ | PROT_GROWSDOWN) == -1 && errno == ENOMEM,
	   "of none: ENOMEM");
}

static void *wait_for_end(void *end)
{
	char byte;

	read(*(int *)end, &byte, 1);
	return NULL;
}

static int parted(void *fd)
{
	unshare(CLONE_FILES);
	close(*(int *)fd);
	return 0;
}

static void test_parting(void)
{
	static char stack[16384];
	int ends[2], status;
	pthread_t thread;
	pid_t child;

	is(unshare(0), 0, "unshare of nothing");
	ok(unshare(1) == -1 && errno == EINVAL, "of what is not known: EINVAL");
	pipe(ends);
	child = clone(parted, stack + sizeof(stack), CLONE_FILES | SIGCHLD, &ends[1]);
	waitpid(child, &status, 0);
	is(write(ends[1], "x", 1), 1, "who parts closes its own descriptors");
	read(ends[0], &status, 1);
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
	long result = call(SYS_setns, fd, kinds, 0, 0, 0);

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

		ok(call(SYS_setns, fd, 0, 0, 0, 0) == kinds[i].result, "setns to one's own %s",
		   kinds[i].name);
		is(call(SYS_setns, fd, kinds[i].kind, 0, 0, 0), kinds[i].result,
		   "by its kind as well");
		is(ioctl(fd, NS_GET_NSTYPE), kinds[i].kind, "which the file tells");
		is(join(kinds[i].name, CLONE_NEWUTS | CLONE_NEWIPC), -EINVAL, "by another: EINVAL");
		close(fd);
	}
}

static void test_joining(void)
{
	int pid = (int)call(SYS_pidfd_open, getpid(), 0, 0, 0, 0), status;
	int path = namespace_file("uts", O_PATH);
	char folder[64] = "";
	pthread_t thread;

	test_own_namespaces();
	ok(namespace_file("uts", O_RDWR) == -1 && errno == EPERM, "their files are not written");
	is(call(SYS_setns, path, 0, 0, 0, 0), -EBADF, "setns to a path: EBADF");
	is(call(SYS_setns, pid, CLONE_NEWUTS | CLONE_NEWIPC, 0, 0, 0), 0, "two, of a process");
	is(call(SYS_setns, pid, CLONE_NEWUTS | CLONE_NEWUSER, 0, 0, 0), -EINVAL,
	   "with that of users: EINVAL");
	is(call(SYS_setns, pid, 0, 0, 0, 0), -EINVAL, "none of a process: EINVAL");
	is(call(SYS_setns, pid, CLONE_FS, 0, 0, 0), -EINVAL, "of no kind: EINVAL");
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

/* The size of processor 0's cache, KiB; 0: there is no such cache. */
static unsigned cache_size(unsigned index)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu0/cache/index%u/size", index);
	if (access(path, R_OK))
		return 0;
	slurp(path);
	return (unsigned)strtoul(text, NULL, 10);
}

/* AMD's processors told of their caches otherwise before they had leaf 8000001DH. */
static void test_old_caches(void)
{
	unsigned a, b, c, d, first, larger, last;

	__cpuid(0, a, b, c, d);
	if (b != 0x68747541) { /* "Auth" */
		skip("caches of AMD's older processors", "this is none");
		return;
	}
	__cpuid(0x80000001, a, b, c, d);
	if (c >> 22 & 1) {
		skip("caches of AMD's older processors", "this is newer");
		return;
	}
	__cpuid(0x80000005, a, b, first, d);
	is(cache_size(0), first >> 24, "the data cache, by leaf 80000005H");
	is(cache_size(1), d >> 24, "that of instructions");
	__cpuid(0x80000006, a, b, larger, last);
	is(cache_size(2), larger >> 16, "the second level, by leaf 80000006H");
	is(cache_size(3), (last >> 18) * 512, "the third");
}

int main(void)
{
	test_old_caches();
	test_files();
	test_policies();
	test_areas();
	test_shared_folder();
	test_growing();
	test_parting();
	test_joining();
	return tap_end();
}
