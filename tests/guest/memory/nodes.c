/* SPDX-License-Identifier: BSD-2-Clause */
/* Nodes of memory, of which there are one or two; and other expectations of programs: /dev/shm,
 * executable stacks. */
#define _GNU_SOURCE
#include <cpuid.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/mempolicy.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
	is(strcmp(text, "0\n"), 0, "node 0 has processors");
	slurp("/sys/devices/system/node/node0/cpulist");
	snprintf(wanted, sizeof(wanted), online > 1 ? "0-%ld\n" : "0\n", online - 1);
	is(strcmp(text, wanted), 0, "node 0 has all processors");
	slurp("/sys/devices/system/node/node0/distance");
	is(atoi(text), 10, "node 0 is at distance 10 from itself");
	ok(slurp("/sys/devices/system/node/node0/meminfo") > 0 && strstr(text, "Node 0 MemTotal:"),
	   "node 0 has memory");
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
	is(get(&mode, NULL, 0, NULL, MPOL_F_NODE), -EINVAL,
	   "get_mempolicy of a node without an address: EINVAL");
	is(get(&mode, NULL, 0, &mode, 0), -EINVAL, "an address that is not asked for: EINVAL");
	is(get(&mode, NULL, 0, (void *)64, MPOL_F_ADDR), -EFAULT,
	   "get_mempolicy of an unmapped address: EFAULT");
	is(get(&mode, nodes, 0, NULL, 0), -EINVAL, "a mask without bits: EINVAL");
	is(get((int *)64, NULL, 0, NULL, 0), -EFAULT, "a bad pointer: EFAULT");
	is(get(&mode, NULL, 0, NULL, 1 << 7), -EINVAL, "unknown flags: EINVAL");
	is(set(MPOL_BIND, 3), 0, "binding to nodes 0 and 1");
	get(&mode, nodes, 64, NULL, 0);
	ok(mode == MPOL_BIND && nodes[0] == 1, "is binding to node 0");
	is(set(MPOL_BIND, 2), -EINVAL, "binding to node 1 alone: EINVAL");
	is(set(MPOL_BIND, 0), -EINVAL, "binding to no node: EINVAL");
	is(set(MPOL_DEFAULT, 1), -EINVAL, "the default has no nodes");
	is(set(77, 1), -EINVAL, "no such mode: EINVAL");
	is(set(MPOL_PREFERRED, 0), 0, "preferring none");
	get(&mode, nodes, 64, NULL, 0);
	is(mode, MPOL_LOCAL, "is preferring the own");
	is(set(MPOL_DEFAULT, 0), 0, "the default policy is set again");
}

static void test_areas(void)
{
	unsigned long node = 1;
	char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	is(syscall(SYS_mbind, page, 4096, MPOL_BIND, &node, 64, 0), 0, "mbind of a page");
	ok(syscall(SYS_mbind, page + 1, 4096, MPOL_BIND, &node, 64, 0) == -1 && errno == EINVAL,
	   "mbind of an address within a page: EINVAL");
	munmap(page, 4096);
	ok(syscall(SYS_mbind, page, 4096, MPOL_BIND, &node, 64, 0) == -1 && errno == EFAULT,
	   "mbind of an unmapped page: EFAULT");
}

static char *new_pages(unsigned long nr)
{
	return mmap(NULL, nr * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* Returns the node of a page, which is written first. */
static int node_of(char *page)
{
	int node = -1;

	*page = 1;
	get(&node, NULL, 0, page, MPOL_F_NODE | MPOL_F_ADDR);
	return node;
}

static void bind_area(char *pages, unsigned long nr, unsigned long node)
{
	unsigned long nodes = 1ul << node;

	is(syscall(SYS_mbind, pages, nr * 4096, MPOL_BIND, &nodes, 64, 0), 0, "mbind to a node");
}

/* Eight pages each: an area bound to node 1, one by the task's policy, and one that alternates. */
static void test_two_nodes(void)
{
	char *bound = new_pages(8), *plain, *turns = new_pages(8);
	int status = 0, on[2] = {0};

	bind_area(bound, 4, 1);
	bind_area(bound + 4 * 4096, 4, 0);
	for (int i = 0; i < 8; i++)
		on[node_of(bound + i * 4096) == (i < 4)]++;
	is(on[1], 8, "pages of an area come from its node");
	is(set(MPOL_BIND, 2), 0, "binding to node 1");
	plain = new_pages(8);
	is(node_of(plain), 1, "a page comes from node 1");
	if (!fork())
		_exit(node_of(plain + 4096) == 1 && node_of(bound + 4096) == 1 ? 7 : 1);
	wait(&status);
	is(WEXITSTATUS(status), 7, "so does a child's");
	is(set(MPOL_INTERLEAVE, 3), 0, "in turns");
	memset(on, 0, sizeof(on));
	for (int i = 0; i < 8; i++)
		on[node_of(turns + i * 4096)]++;
	ok(on[0] >= 2 && on[1] >= 2, "pages come from both nodes: %d and %d", on[0], on[1]);
	is(set(MPOL_DEFAULT, 0), 0, "the default policy is set again");
	munmap(bound, 8 * 4096);
	munmap(plain, 8 * 4096);
	munmap(turns, 8 * 4096);
}

/* A task that fills its node ends itself, not the larger one that has other nodes. */
static void test_full_node(void)
{
	const unsigned long larger = 300ul << 20, node = 280ul << 20;
	char *pages = new_pages(larger / 4096);
	int status = 0;

	memset(pages, 1, larger);
	if (!fork()) {
		munmap(pages, larger);
		set(MPOL_BIND, 2);
		memset(new_pages(node / 4096), 1, node);
		_exit(0);
	}
	wait(&status);
	ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "who fills its node is killed");
	munmap(pages, larger);
}

static void test_shared_directory(void)
{
	struct stat info;
	int fd;

	if (stat("/dev/shm", &info)) /* the oracle's machine mounts nothing there */
		mkdir("/dev/shm", 01777);
	is(stat("/dev/shm", &info) == 0 && S_ISDIR(info.st_mode), 1, "/dev/shm is a directory");
	fd = shm_open("/nodes-test", O_CREAT | O_RDWR | O_EXCL, 0600);
	ok(fd >= 0, "shm_open makes a file in /dev/shm");
	is(ftruncate(fd, 8192), 0, "files of any length");
	ok(mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) != MAP_FAILED,
	   "a file of /dev/shm is mapped shared");
	is(shm_unlink("/nodes-test"), 0, "shm_unlink removes the file");
	close(fd);
}

static void test_growing(void)
{
	char here, *page = (char *)((unsigned long)&here & -4096ul);
	char *other = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	is(mprotect(page, 4096, PROT_READ | PROT_WRITE | PROT_GROWSDOWN), 0,
	   "PROT_GROWSDOWN of the stack");
	ok(mprotect(other, 4096, PROT_READ | PROT_GROWSDOWN) == -1 && errno == EINVAL,
	   "PROT_GROWSDOWN of other memory: EINVAL");
	munmap(other, 4096);
	ok(mprotect((void *)0x10000, 4096, PROT_READ | PROT_GROWSDOWN) == -1 && errno == ENOMEM,
	   "PROT_GROWSDOWN of unmapped memory: ENOMEM");
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

/* Before leaf 8000001DH AMD's processors reported their caches in other leaves. */
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
	is(cache_size(1), d >> 24, "the instruction cache, by leaf 80000005H");
	__cpuid(0x80000006, a, b, larger, last);
	is(cache_size(2), larger >> 16, "the second level, by leaf 80000006H");
	is(cache_size(3), (last >> 18) * 512, "the third");
}

int main(void)
{
	test_old_caches();
	slurp("/sys/devices/system/node/has_memory");
	if (!strcmp(text, "0-1\n")) {
		test_two_nodes();
		test_full_node();
	} else {
		test_files();
		test_policies();
		test_areas();
	}
	test_shared_directory();
	test_growing();
	return tap_end();
}
