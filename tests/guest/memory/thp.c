/* SPDX-License-Identifier: BSD-2-Clause */
/* Transparent huge pages: the areas that get them, the operations that split them, and that
 * every byte and page is there afterwards. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/guest/tap.h"

#define PAGE    4096ul
#define HUGE    (2ul << 20)
#define ENABLED "/sys/kernel/mm/transparent_hugepage/enabled"

/* The number after `name` in the file, or -1. */
static long number(const char *path, const char *name)
{
	static char text[16384];
	int fd = open(path, O_RDONLY);
	ssize_t n = read(fd, text, sizeof(text) - 1);
	const char *at;

	close(fd);
	if (n < 0)
		return -1;
	text[n] = '\0';
	at = strstr(text, name);
	return at ? atol(at + strlen(name)) : -1;
}

/* Returns the number of huge pages of all processes. */
static long huge_pages(void)
{
	return number("/proc/meminfo", "AnonHugePages:") / 2048;
}

static int set(const char *mode)
{
	int fd = open(ENABLED, O_WRONLY);
	int err = write(fd, mode, strlen(mode)) < 0 ? errno : 0;

	close(fd);
	return err;
}

/* `count` aligned ones with room before and after them, advised or not. */
static char *map(size_t count, bool advised)
{
	char *at = mmap(NULL, (count + 2) * HUGE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	at = (char *)(((uint64_t)at + HUGE) & -HUGE);
	if (advised)
		madvise(at, count * HUGE, MADV_HUGEPAGE);
	return at;
}

static void unmap(char *at, size_t count)
{
	munmap(at, count * HUGE);
}

static void fill(char *at, size_t bytes)
{
	for (size_t i = 0; i < bytes / sizeof(uint64_t); i += 64)
		((volatile uint64_t *)at)[i] = i * 0x9e3779b97f4a7c15 + 1;
}

/* Every page holds what fill() wrote. */
static bool intact(const char *base, size_t from, size_t to)
{
	for (size_t i = from / sizeof(uint64_t); i < to / sizeof(uint64_t); i += 64)
		if (((const volatile uint64_t *)base)[i] != i * 0x9e3779b97f4a7c15 + 1)
			return false;
	return true;
}

static void who(void)
{
	char *at = map(2, false);

	is(number("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size", ""), (long)HUGE,
	   "2 MiB each");
	at[0] = 1;
	is(huge_pages(), 0, "an area without MADV_HUGEPAGE gets no huge page");
	is(madvise(at, 2 * HUGE, MADV_HUGEPAGE), 0, "MADV_HUGEPAGE of an area");
	at[1] = 1;
	is(huge_pages(), 0, "keeps what is there");
	at[HUGE + 5] = 1;
	is(huge_pages(), 1, "a huge page comes where no small page is");
	ok(!at[HUGE] && at[HUGE + 5] == 1 && !at[2 * HUGE - 1], "a huge page is zero");
	is(madvise(at, 2 * HUGE, MADV_DONTNEED), 0, "MADV_DONTNEED gives a huge page back");
	is(huge_pages(), 0, "the huge page is gone");
	is(((volatile char *)at)[HUGE + 5], 0, "memory is zero again");
	is(huge_pages(), 1, "a read gets a huge page as well");
	madvise(at, 2 * HUGE, MADV_NOHUGEPAGE);
	at[0] = 1;
	is(huge_pages(), 1, "MADV_NOHUGEPAGE keeps existing huge pages");
	unmap(at, 2);
	is(huge_pages(), 0, "unmapped");
	at = map(1, false);
	madvise(at + PAGE, HUGE - PAGE, MADV_HUGEPAGE);
	at[PAGE] = 1;
	is(huge_pages(), 0, "an area with less room gets no huge page");
	unmap(at, 1);
	is(madvise(at, HUGE, MADV_HUGEPAGE) ? errno : 0, ENOMEM, "where nothing is mapped");
}

static void modes(void)
{
	char *at;

	is(set("always"), 0, "always");
	at = map(1, false);
	at[0] = 1;
	ok(huge_pages() >= 1, "everybody gets them");
	unmap(at, 1);
	is(set("never\n"), 0, "never");
	at = map(1, true);
	at[0] = 1;
	is(huge_pages(), 0, "nobody does");
	unmap(at, 1);
	is(set("sometimes"), EINVAL, "anything else is refused");
	is(set("madvise"), 0, "madvise");
}

/* Each change of a part splits one page of four, and the others stay. */
static void splits(void)
{
	char *at = map(4, true), *moved;

	fill(at, 4 * HUGE);
	is(huge_pages(), 4, "four");
	is(munmap(at + 5 * PAGE, 2 * PAGE), 0, "a part of the first is unmapped");
	is(huge_pages(), 3, "unmapping a part splits a huge page");
	ok(intact(at, 0, 5 * PAGE) && intact(at, 7 * PAGE, 4 * HUGE), "the rest is there");
	is(mprotect(at + HUGE + 3 * PAGE, PAGE, PROT_READ), 0, "a part of the second is protected");
	is(huge_pages(), 2, "protecting a part splits a huge page");
	ok(intact(at, 7 * PAGE, 4 * HUGE), "a split page keeps its bytes");
	at[HUGE + 4 * PAGE + 8] = 1;
	is(madvise(at + 2 * HUGE + PAGE, PAGE, MADV_DONTNEED), 0,
	   "a part of the third is given back");
	is(huge_pages(), 1, "MADV_DONTNEED of a part splits a huge page");
	ok(intact(at, 2 * HUGE + 2 * PAGE, 4 * HUGE) && !((volatile char *)at)[2 * HUGE + PAGE],
	   "a split page keeps its bytes, except the part given back");
	is(mprotect(at + 3 * HUGE, HUGE, PROT_READ), 0, "the whole fourth is protected");
	is(mprotect(at + 3 * HUGE, HUGE, PROT_READ | PROT_WRITE), 0,
	   "a huge page is made writable again");
	at[3 * HUGE + 8] = 2;
	is(huge_pages(), 1, "protecting the whole page does not split it");
	moved = mremap(at + 3 * HUGE, HUGE, 2 * HUGE, MREMAP_MAYMOVE);
	ok(moved != MAP_FAILED && moved[8] == 2, "mremap moves a huge page");
	moved[8] = 0;
	ok(intact(moved - 3 * HUGE, 3 * HUGE + PAGE, 4 * HUGE),
	   "a moved huge page keeps its bytes");
	munmap(moved, 2 * HUGE);
	unmap(at, 4);
	is(huge_pages(), 0, "unmapped: no huge page is left");
}

/* Each sees its own writes. */
static void forked(void)
{
	char *at = map(2, true);
	int status;
	pid_t child;

	fill(at, 2 * HUGE);
	is(huge_pages(), 2, "two");
	child = fork();
	if (!child) {
		bool good = intact(at, 0, 2 * HUGE);

		at[HUGE + 9] = 5;
		_exit(good && at[HUGE + 9] == 5 ? 0 : 1);
	}
	at[PAGE + 9] = 6;
	waitpid(child, &status, 0);
	is(status, 0, "a child has what the parent had");
	ok(at[PAGE + 9] == 6 && at[HUGE + 9] == 0, "writes after fork are each process's own");
	at[PAGE + 9] = 0;
	ok(intact(at, 0, 2 * HUGE), "the parent's bytes are unchanged");
	unmap(at, 2);
}

/* By other ways than the processor's. */
static void others(void)
{
	char *at = map(1, true), bytes[3 * PAGE];
	struct iovec here = {bytes, sizeof(bytes)},
		     there = {at + HUGE - 4 * PAGE - 7, sizeof(bytes)};
	int fd = open("/proc/self/mem", O_RDWR);
	uint64_t first = 0, last = 0;
	int map_fd = open("/proc/self/pagemap", O_RDONLY);

	fill(at, HUGE);
	memset(bytes, 3, sizeof(bytes));
	is(process_vm_writev(getpid(), &here, 1, &there, 1, 0), sizeof(bytes),
	   "process_vm_writev across pages");
	ok(at[HUGE - 4 * PAGE - 7] == 3 && at[HUGE - PAGE - 8] == 3 && at[HUGE - PAGE - 7] == 0,
	   "process_vm_writev's bytes are there");
	is(pwrite(fd, "x", 1, (off_t)(at + PAGE)), 1, "/proc/self/mem");
	is(at[PAGE], 'x', "/proc/self/mem reads a huge page");
	is(pread(map_fd, &first, 8, (off_t)((uint64_t)at / PAGE * 8)), 8, "pagemap");
	is(pread(map_fd, &last, 8, (off_t)((uint64_t)at / PAGE * 8 + 511 * 8)), 8, "pagemap");
	is((long)(last - first), 511, "tells 512 pages in a row");
	is(huge_pages(), 1, "a huge page read by others stays whole");
	close(fd);
	close(map_fd);
	unmap(at, 1);
}

/* Memory comes back whole, however it went. */
static void nothing_lost(void)
{
	struct sysinfo before, after;

	sysinfo(&before);
	for (int i = 0; i < 30; i++) {
		char *at = map(3, true);

		for (int n = 0; n < 3; n++)
			at[(size_t)n * HUGE] = 1;
		if (i % 3 == 0)
			munmap(at + HUGE + (size_t)(i + 1) * PAGE, HUGE);
		if (i % 3 == 1)
			madvise(at + PAGE, 2 * HUGE, MADV_DONTNEED);
		unmap(at - HUGE, 5);
	}
	sysinfo(&after);
	is(huge_pages(), 0, "no huge page is left");
	ok(after.freeram * after.mem_unit + 32 * PAGE > before.freeram * before.mem_unit,
	   "90 come and go, and memory is as free as before");
}

int main(void)
{
	if (access(ENABLED, W_OK) || set("madvise")) {
		skip("transparent huge pages", "this kernel has none");
		return tap_end();
	}
	who();
	modes();
	splits();
	forked();
	others();
	nothing_lost();
	return tap_end();
}
