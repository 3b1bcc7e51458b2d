/* SPDX-License-Identifier: BSD-2-Clause */
/* Huge pages: the pool and its users, areas (MAP_HUGETLB), copies after fork, cutting,
 * protecting, moving and emptying, and samples of them. */
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
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/guest/memory/large.h"
#include "tests/guest/perf.h"

#define PAGE  4096ul
#define HUGE  (2ul << 20)
#define PAGES 8 /* in the pool */
#ifndef MAP_HUGE_SHIFT
#define MAP_HUGE_SHIFT 26
#endif

static long number(const char *file, const char *line)
{
	char text[8192], *found = text;
	int fd = open(file, O_RDONLY);
	ssize_t length = read(fd, text, sizeof(text) - 1);

	close(fd);
	if (length <= 0)
		return -1;
	text[length] = 0;
	if (line)
		found = strstr(text, line);
	return found ? atol(found + (line ? strlen(line) : 0)) : -1;
}

/* Checks the pool's pages: total, free, promised. */
static void pool(long total, long available, long promised, const char *what)
{
	long t = number("/proc/meminfo", "HugePages_Total:"),
	     f = number("/proc/meminfo", "HugePages_Free:"),
	     r = number("/proc/meminfo", "HugePages_Rsvd:");

	ok(t == total && f == available && r == promised, "%s: %ld pages, %ld free, %ld promised",
	   what, total, available, promised);
	if (t != total || f != available || r != promised)
		printf("# %ld, %ld, %ld\n", t, f, r);
}

static int resize(const char *pages)
{
	int fd = open("/proc/sys/vm/nr_hugepages", O_WRONLY), err;

	err = write(fd, pages, strlen(pages)) < 0 ? errno : 0;
	close(fd);
	return err;
}

static char *map(size_t bytes, int flags)
{
	flags |= MAP_ANONYMOUS | MAP_HUGETLB | (flags & MAP_SHARED ? 0 : MAP_PRIVATE);
	return (char *)syscall(SYS_mmap, NULL, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
}

static int map_error(size_t bytes, int flags)
{
	char *at = map(bytes, flags);

	if (at == MAP_FAILED)
		return errno;
	munmap(at, bytes);
	return 0;
}

static void pools(void)
{
	ok(map_error(HUGE, 0) == ENOMEM, "an empty pool has none");
	ok(resize("8") == 0, "root makes it larger");
	pool(PAGES, PAGES, 0, "filled");
	ok(resize("x") == EINVAL, "nr_hugepages takes only numbers: EINVAL");
	ok(number("/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", NULL) == PAGES &&
	       number("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", NULL) == PAGES,
	   "/sys tells the same");
	ok(number("/proc/meminfo", "Hugepagesize:") == 2048, "2 MiB each");
	ok(number("/proc/meminfo", "Hugetlb:") == PAGES * 2048, "Hugetlb has all pages of 2 MiB");
	ok(map_error((PAGES + 1) * HUGE, 0) == ENOMEM, "more than there are are refused");
	ok(map_error(0, 0) == EINVAL, "MAP_HUGETLB of 0 bytes: EINVAL");
	ok(map_error(HUGE, 21 << MAP_HUGE_SHIFT) == 0, "MAP_HUGE_2MB");
	ok(map_error(HUGE, 20 << MAP_HUGE_SHIFT) == EINVAL, "no other size");
	ok(map_error(-HUGE, 0) == ENOMEM && map_error(-PAGE, 0) == EINVAL,
	   "lengths that nothing has");
	pool(PAGES, PAGES, 0, "after errors");
}

static void promises(void)
{
	char *at = map(3 * HUGE - PAGE, 0), *other;

	ok(at != MAP_FAILED && (uint64_t)at % HUGE == 0, "an area is aligned");
	pool(PAGES, PAGES, 3, "mapped, its length rounded up");
	ok(!poke(at + HUGE) && at[HUGE] == 7 && !at[HUGE + 1] && !at[2 * HUGE - 1], "zeros");
	ok(number("/proc/self/status", "HugetlbPages:") == 2048, "/proc/PID/status has it");
	pool(PAGES, PAGES - 1, 2, "one touched");
	ok(map_error(6 * HUGE, 0) == ENOMEM, "promised ones are not given to others");
	other = map(5 * HUGE, MAP_POPULATE);
	ok(other != MAP_FAILED, "the rest are");
	pool(PAGES, 2, 2, "those entered");
	munmap(other, 5 * HUGE);
	ok(munmap(at + PAGE, PAGE) && errno == EINVAL, "no part of a page is unmapped");
	ok(mprotect(at, PAGE, PROT_READ) && errno == EINVAL,
	   "a part of a huge page is not protected: EINVAL");
	ok(!munmap(at + HUGE, HUGE), "a page is");
	ok(poke(at + HUGE) == SIGSEGV, "an unmapped huge page faults");
	pool(PAGES, PAGES, 2, "its neighbours keep theirs");
	ok(!poke(at) && !poke(at + 2 * HUGE), "promised huge pages are touched");
	munmap(at, 3 * HUGE);
	pool(PAGES, PAGES, 0, "unmapped");
	at = map(20 * HUGE, MAP_NORESERVE);
	ok(at != MAP_FAILED, "MAP_NORESERVE promises none");
	for (int i = 0; i < PAGES; i++)
		poke(at + i * HUGE);
	ok(!seen && poke(at + PAGES * HUGE) == SIGBUS, "MAP_NORESERVE without a free page: SIGBUS");
	munmap(at, 20 * HUGE);
	pool(PAGES, PAGES, 0, "unmapped");
}

static void sizes(void)
{
	char *at = map(4 * HUGE, 0);

	poke(at);
	ok(resize("2") == 0, "a pool in use is made smaller");
	pool(4, 3, 3, "what is promised stays");
	ok(number("/proc/meminfo", "HugePages_Surp:") == 2,
	   "a shrunk pool in use has surplus pages");
	munmap(at, 4 * HUGE);
	pool(2, 2, 0, "it goes when it is given back");
	resize("8");
	pool(PAGES, PAGES, 0, "and comes again");
}

static void change(char *at)
{
	if (at[1] != 1 || poke(at) || at[0] != 7 || at[1] != 1)
		_exit(1);
	if (number("/proc/meminfo", "HugePages_Free:") != PAGES - 3)
		_exit(2);
}

static void look(char *at)
{
	_exit(at[0] != 1 || at[HUGE] != 1);
}

static void nothing(char *at)
{
	(void)at;
}

static void exhaust(char *at)
{
	char *rest = map(6 * HUGE, MAP_POPULATE);

	_exit(rest == MAP_FAILED ? 1 : poke(at) == SIGBUS ? 0 : 2);
}

/* Its own signal instead of its child's SIGSEGV. */
static void touch(char *at)
{
	signal(SIGUSR1, SIG_DFL);
	if (poke(at) == SIGSEGV)
		raise(SIGUSR1);
}

static void copies(void)
{
	char *at = map(2 * HUGE, 0);

	memset(at, 1, 2 * HUGE);
	ok(!child_of(look, at), "a child sees the parent's pages");
	ok(!child_of(change, at) && at[0] == 1, "a child changes its own copy");
	pool(PAGES, PAGES - 2, 0, "which ends with it");
	ok(!poke(at) && at[1] == 1, "the parent writes again");
	ok(!child_of(exhaust, at), "without a page for the copy: SIGBUS");
	pool(PAGES, PAGES - 2, 0, "afterwards");
	mprotect(at, 2 * HUGE, PROT_NONE);
	ok(poke(at) == SIGSEGV, "PROT_NONE");
	ok(WTERMSIG(child_of(touch, at)) == SIGUSR1, "PROT_NONE holds for a child");
	mprotect(at, 2 * HUGE, PROT_READ);
	ok(poke(at) == SIGSEGV && at[0] == 7, "PROT_READ");
	mprotect(at, HUGE, PROT_READ | PROT_WRITE);
	ok(!poke(at) && poke(at + HUGE) == SIGSEGV, "PROT_READ of one huge page of two");
	munmap(at, 2 * HUGE);
	pool(PAGES, PAGES, 0, "unmapped");
}

static void set(char *at)
{
	at[0] = 5;
	at[3 * HUGE] = 6;
}

static void sharing(void)
{
	char *at = map(4 * HUGE, MAP_SHARED);

	pool(PAGES, PAGES, 4, "shared");
	ok(!child_of(set, at) && at[0] == 5 && at[3 * HUGE] == 6, "a child's writes are seen");
	pool(PAGES, PAGES - 2, 2, "touched by the child");
	ok(!madvise(at, 4 * HUGE, MADV_DONTNEED) && at[0] == 5, "MADV_DONTNEED keeps shared pages");
	munmap(at, 2 * HUGE);
	ok(at[3 * HUGE] == 6, "half of it");
	munmap(at + 2 * HUGE, 2 * HUGE);
	pool(PAGES, PAGES, 0, "unmapped");
}

static void moves(void)
{
	char *at = map(3 * HUGE, 0), *to = map(4 * HUGE, MAP_NORESERVE), *moved;

	memset(at, 3, 3 * HUGE);
	ok(mremap(at, 2 * HUGE, 3 * HUGE, MREMAP_MAYMOVE) == MAP_FAILED && errno == EINVAL,
	   "mremap: none grow");
	ok(mremap(at + PAGE, HUGE, HUGE, 0) == MAP_FAILED && errno == EINVAL,
	   "mremap does not begin within a huge page: EINVAL");
	ok(mremap(at, 3 * HUGE, 2 * HUGE, 0) == at && poke(at + 2 * HUGE) == SIGSEGV,
	   "mremap shrinks an area of huge pages");
	pool(PAGES, PAGES - 2, 0, "by a page");
	moved = mremap(at, 2 * HUGE, 2 * HUGE, MREMAP_MAYMOVE | MREMAP_FIXED, to + HUGE);
	ok(moved == to + HUGE && moved[2 * HUGE - 1] == 3, "mremap moves an area of huge pages");
	ok(poke(at) == SIGSEGV && !poke(moved), "away from where they were");
	munmap(to, 4 * HUGE);
	pool(PAGES, PAGES, 0, "unmapped");
}

static void calls(void)
{
	char *at = map(2 * HUGE, 0), *rest = at + HUGE, byte = 9;
	struct iovec from = {&byte, 1}, into = {at + HUGE + 5, 1};
	unsigned char there[4];
	uint64_t entry = 0;
	int fd = open("/proc/self/pagemap", O_RDONLY), pipes[2];

	memset(at, 1, 2 * HUGE);
	ok(process_vm_writev(getpid(), &from, 1, &into, 1, 0) == 1 && rest[5] == 9,
	   "process_vm_writev");
	ok(pipe(pipes) == 0 && write(pipes[1], "abc", 3) == 3 &&
	       read(pipes[0], at + PAGE, 3) == 3 && !memcmp(at + PAGE, "abc", 3),
	   "read(2) into it");
	ok(!mincore(at + HUGE - 2 * PAGE, 4 * PAGE, there) && there[0] & there[3] & 1, "mincore");
	pread(fd, &entry, 8, ((uint64_t)at + 5 * PAGE) / PAGE * 8);
	ok(entry >> 63 && entry >> 56 & 1 && entry % 512 == 5,
	   "pagemap: there, alone, the sixth frame of a huge page");
	ok(madvise(at + PAGE, HUGE, MADV_DONTNEED) && errno == EINVAL, "MADV_DONTNEED from a page");
	ok(!madvise(at, HUGE + PAGE, MADV_DONTNEED) && !at[PAGE] && rest[5] == 9,
	   "MADV_DONTNEED of whole pages");
	ok(madvise(at, HUGE, MADV_FREE) && errno == EINVAL, "no MADV_FREE");
	ok(madvise(at, HUGE, MADV_WIPEONFORK) && errno == EINVAL, "no MADV_WIPEONFORK");
	ok(!madvise(at, HUGE, MADV_DONTFORK), "MADV_DONTFORK");
	ok(mmap(at + PAGE, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
		   MAP_FAILED &&
	       errno == ENOMEM,
	   "nothing is mapped over a part of a page");
	ok(mmap(at, HUGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
		   at &&
	       !poke(at + PAGE),
	   "small pages in place of one");
	munmap(at, 2 * HUGE);
	at = mmap(at, HUGE, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_FIXED, -1, 0);
	ok(at != MAP_FAILED && !at[PAGE] && !poke(at + PAGE), "a huge page replaces small ones");
	munmap(at, HUGE);
	pool(PAGES, PAGES, 0, "unmapped");
	close(fd);
}

/* Code in a huge page, sampled: dec rdi; jnz to it; ret. */
static void samples(void)
{
	static const unsigned char loop[] = {0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3};
	struct perf_event_attr attr = perf_user_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
	static struct perf_record record;
	unsigned inside = 0, right = 0;
	struct perf_ring ring = {0};
	char *at = map(HUGE, 0);
	int fd;

	memcpy(at + 3 * PAGE, loop, sizeof(loop));
	mprotect(at, HUGE, PROT_READ | PROT_EXEC);
	attr.sample_period = 1000000;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CODE_PAGE_SIZE;
	fd = perf_open(&attr, 0, -1, -1, 0);
	ok(fd >= 0 && perf_map(&ring, fd, 8, PROT_READ | PROT_WRITE), "an event with page sizes");
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	((void (*)(uint64_t))(uintptr_t)(at + 3 * PAGE))(20000000);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	while (perf_next(&ring, &record)) {
		if (record.header.type != PERF_RECORD_SAMPLE ||
		    record.words[0] / HUGE != (uint64_t)at / HUGE)
			continue;
		inside++;
		right += record.words[2] == HUGE;
	}
	ok(inside > 2 && right == inside, "samples of its code say 2 MiB");
	perf_unmap(&ring);
	close(fd);
	munmap(at, HUGE);
}

int main(void)
{
	const struct sigaction action = {.sa_handler = on_signal};

	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	pools();
	promises();
	sizes();
	copies();
	sharing();
	moves();
	calls();
	samples();
	ok(resize("100000") == 0 && number("/proc/meminfo", "HugePages_Total:") > PAGES &&
	       !child_of(nothing, NULL),
	   "a pool of all memory leaves some");
	ok(resize("0") == 0, "root empties the pool");
	pool(0, 0, 0, "empty");
	return tap_end();
}
