/* SPDX-License-Identifier: BSD-2-Clause */
/* Huge pages of 1 GiB: a machine of 4 GiB has two, which are free at the start; a small one
 * none. Their allocation and release, operations on their mappings, and their traces in /proc
 * and samples. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "tests/guest/memory/large.h"
#include "tests/guest/perf.h"

#define PAGE      4096ul
#define GIANT     (1ul << 30)
#define SHIFT     30
#define DIRECTORY "/sys/kernel/mm/hugepages/hugepages-1048576kB/"
#ifndef MAP_HUGE_SHIFT
#define MAP_HUGE_SHIFT 26
#endif
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

static long number(const char *file)
{
	return atol(contents(file));
}

static int resize(const char *pages)
{
	int fd = open(DIRECTORY "nr_hugepages", O_WRONLY), err;

	err = write(fd, pages, strlen(pages)) < 0 ? errno : 0;
	close(fd);
	return err;
}

static void pool(long total, long available, long promised, const char *what)
{
	long t = number(DIRECTORY "nr_hugepages"), f = number(DIRECTORY "free_hugepages"),
	     r = number(DIRECTORY "resv_hugepages");

	ok(t == total && f == available && r == promised, "%s: %ld pages, %ld free, %ld promised",
	   what, total, available, promised);
	if (t != total || f != available || r != promised)
		printf("# %ld, %ld, %ld\n", t, f, r);
}

static char *map(size_t bytes, int flags)
{
	flags |= MAP_ANONYMOUS | MAP_HUGETLB | SHIFT << MAP_HUGE_SHIFT |
		 (flags & MAP_SHARED ? 0 : MAP_PRIVATE);
	return (char *)syscall(SYS_mmap, NULL, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
}

/* The number after a name in the lines of smaps that are about the area; -1: there is none. */
static long smaps(const char *area, const char *name)
{
	char start[32];
	const char *found;

	snprintf(start, sizeof(start), "%lx-", (unsigned long)area);
	found = strstr(contents("/proc/self/smaps"), start);
	found = found ? strstr(found, name) : NULL;
	return found ? atol(found + strlen(name)) : -1;
}

static long meminfo(const char *name)
{
	const char *found = strstr(contents("/proc/meminfo"), name);

	return found ? atol(found + strlen(name)) : -1;
}

static void cuts(char *at)
{
	ok(munmap(at + (2ul << 20), PAGE) && errno == EINVAL, "no part of it is unmapped");
	ok(mprotect(at, 2ul << 20, PROT_READ) && errno == EINVAL,
	   "a part of a giant page is not protected: EINVAL");
	ok(madvise(at + PAGE, GIANT - PAGE, MADV_DONTNEED) && errno == EINVAL,
	   "a part of a giant page is not emptied: EINVAL");
	ok(mremap(at, GIANT, GIANT, MREMAP_MAYMOVE | MREMAP_FIXED, at + GIANT + (2ul << 20)) ==
		   MAP_FAILED &&
	       errno == EINVAL,
	   "a giant page is not moved to an unaligned address: EINVAL");
	ok(!mprotect(at, GIANT, PROT_READ) && poke(at) == SIGSEGV &&
	       !mprotect(at, GIANT, PROT_READ | PROT_WRITE) && !poke(at),
	   "a whole giant page is protected");
}

static void look(char *at)
{
	_exit(at[GIANT - 1] != 7);
}

static void change(char *at)
{
	poke(at);
}

static void hold(char *at)
{
	_exit(poke(at) == SIGBUS ? 0 : 1);
}

/* Code at its end, sampled: dec rdi; jnz to it; ret. */
static void samples(char *at)
{
	static const unsigned char loop[] = {0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3};
	struct perf_event_attr attr = perf_user_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
	static struct perf_record record;
	unsigned inside = 0, right = 0;
	struct perf_ring ring = {0};
	int fd;

	memcpy(at + GIANT - PAGE, loop, sizeof(loop));
	mprotect(at, GIANT, PROT_READ | PROT_EXEC);
	attr.sample_period = 1000000;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CODE_PAGE_SIZE;
	fd = perf_open(&attr, 0, -1, -1, 0);
	ok(fd >= 0 && perf_map(&ring, fd, 8, PROT_READ | PROT_WRITE), "an event with page sizes");
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	((void (*)(uint64_t))(uintptr_t)(at + GIANT - PAGE))(20000000);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	while (perf_next(&ring, &record)) {
		if (record.header.type != PERF_RECORD_SAMPLE ||
		    record.words[0] / GIANT != (uint64_t)at / GIANT)
			continue;
		inside++;
		right += record.words[2] == GIANT;
	}
	ok(inside > 2 && right == inside, "samples of its code say 1 GiB");
	perf_unmap(&ring);
	close(fd);
}

/* Only one of the two is ever touched: the host gives memory for it. */
static void pages(void)
{
	char *at = map(GIANT - PAGE, 0), *moved;
	uint64_t entry = 0;
	int fd = open("/proc/self/pagemap", O_RDONLY);

	ok(at != MAP_FAILED && (uint64_t)at % GIANT == 0,
	   "an area is aligned to 1 GiB, its length rounded up");
	pool(2, 2, 1, "mapped");
	ok(map(2 * GIANT, 0) == MAP_FAILED && errno == ENOMEM,
	   "a promised giant page is not given to others: ENOMEM");
	ok(!at[GIANT - 1] && !at[5 * PAGE + 1] && !poke(at + GIANT - 1), "zeros, up to its end");
	pool(2, 1, 0, "touched");
	ok(smaps(at, "KernelPageSize:") == 1048576 && smaps(at, "Private_Hugetlb:") == 1048576 &&
	       smaps(at, "Rss:") == 0,
	   "smaps: 1 GiB, private, and not in Rss");
	pread(fd, &entry, 8, ((uint64_t)at / PAGE + 5) * 8);
	ok(entry >> 63 && entry >> 56 & 1 && entry % (GIANT / PAGE) == 5,
	   "pagemap: there, alone, the sixth frame of a giant page");
	cuts(at);
	ok(!child_of(look, at), "a child sees the same page");
	moved = map(GIANT, 0);
	ok(!child_of(hold, at), "SIGBUS for its write when none is left to copy to");
	ok(!poke(at), "the parent, alone again, writes");
	munmap(moved, GIANT);
	moved = mremap(at, GIANT, GIANT, MREMAP_MAYMOVE | MREMAP_FIXED, at - 4 * GIANT);
	ok(moved == at - 4 * GIANT && moved[GIANT - 1] == 7 && poke(at) == SIGSEGV,
	   "mremap moves a giant page");
	samples(moved);
	ok(resize("0") == 0, "a pool in use is emptied");
	pool(1, 0, 0, "what is used stays");
	ok(number(DIRECTORY "surplus_hugepages") == 1, "a shrunk pool in use has a surplus page");
	munmap(moved, GIANT);
	pool(0, 0, 0, "and goes when it is given back");
	close(fd);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* The longest that the process had to wait for its turn, in ms, while a child did the work. */
static long longest_wait(void (*work)(char *), char *at)
{
	uint64_t before = now_ns(), longest = 0, now;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child) {
		work(at);
		_exit(0);
	}
	while (waitpid(child, NULL, WNOHANG) == 0) {
		now = now_ns();
		longest = now - before > longest ? now - before : longest;
		before = now;
	}
	return (long)(longest / 1000000);
}

static void touch(char *at)
{
	at[GIANT - 1] = 1;
}

static void populate(char *at)
{
	madvise(at, GIANT, MADV_POPULATE_WRITE);
}

/* Zeroing 1 GiB takes 40 ms of emulated time; a task's turn has 4. */
static void turns(void)
{
	static void (*const works[])(char *) = {touch, populate};

	for (unsigned i = 0; i < 2; i++) {
		char *at = map(GIANT, MAP_SHARED);
		long wait = longest_wait(works[i], at);

		ok(wait < 20, "others run while a page is zeroed%s", i ? " by madvise" : "");
		printf("# %ld ms\n", wait);
		munmap(at, GIANT);
	}
}

static void sharing(void)
{
	char *at = map(GIANT, MAP_SHARED);

	pool(2, 2, 1, "shared");
	ok(at != MAP_FAILED && !child_of(change, at + 9) && at[9] == 7, "a child's write is seen");
	ok(smaps(at, "Private_Hugetlb:") + smaps(at, "Shared_Hugetlb:") == 1048576, "smaps has it");
	munmap(at, GIANT);
	/* A table of small pages, and one of those, in place of which a giant one comes. */
	at = mmap(NULL, 3 * GIANT, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	at = (char *)(((uint64_t)at + GIANT - 1) & -GIANT);
	poke(at + PAGE), poke(at + GIANT / 2);
	munmap(at, GIANT);
	at = (char *)syscall(
	    SYS_mmap, at, GIANT, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_HUGETLB | SHIFT << MAP_HUGE_SHIFT, -1, 0);
	ok(at != MAP_FAILED && !poke(at) && !at[PAGE] && !at[GIANT / 2],
	   "a giant page replaces small ones");
	munmap(at, GIANT);
	pool(2, 2, 0, "unmapped");
}

int main(void)
{
	const struct sigaction action = {.sa_handler = on_signal};
	long before = meminfo("MemFree:");

	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	ok(map(GIANT, 0) == MAP_FAILED && errno == ENOMEM,
	   "a machine without room has no giant page: ENOMEM");
	ok(resize("2") == 0 && resize("x") == EINVAL, "root asks for two");
	if (meminfo("MemTotal:") < 3l << 20) {
		pool(0, 0, 0, "less memory than that");
		ok(map(GIANT, 0) == MAP_FAILED && errno == ENOMEM,
		   "an empty pool has no giant page: ENOMEM");
		return tap_end();
	}
	pool(2, 2, 0, "4 GiB of memory");
	ok(meminfo("Hugetlb:") == 2 << 20 && meminfo("HugePages_Total:") == 0 &&
	       meminfo("Hugepagesize:") == 2048,
	   "/proc/meminfo: so many kilobytes, none of the usual size");
	ok(before - meminfo("MemFree:") >= 2 << 20, "giant pages of the pool are not free memory");
	sharing();
	turns();
	pages();
	ok(meminfo("MemFree:") > before - 4096, "giant pages that leave the pool are free memory");
	return tap_end();
}
