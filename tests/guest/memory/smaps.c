/* SPDX-License-Identifier: BSD-2-Clause */
/* /proc/PID/smaps and smaps_rollup: lines and their order as Linux 6.1's, and their numbers for
 * pages that are private, shared, clean, dirty, a file's or huge. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/guest/memory/large.h"
#include "tests/guest/tap.h"

#define PAGE  4096ul
#define LARGE (2ul << 20)

/* The number after a name in the lines of the area that begins there; -1: there is none. */
static long value(const void *area, const char *name)
{
	char start[32], line[32];
	const char *found;

	snprintf(start, sizeof(start), "%lx-", (unsigned long)area);
	snprintf(line, sizeof(line), "\n%s:", name);
	found = strstr(contents("/proc/self/smaps"), start);
	found = found ? strstr(found, line) : NULL;
	return found ? atol(found + strlen(line)) : -1;
}

/* Whether the area has these kilobytes: Rss, Pss, shared clean and dirty, private clean and dirty,
 * anonymous. */
static void holds(const void *area, const long wanted[7], const char *what)
{
	static const char *const names[] = {"Rss",          "Pss",           "Shared_Clean",
					    "Shared_Dirty", "Private_Clean", "Private_Dirty",
					    "Anonymous"};
	long got[7];
	int right = 0;

	for (int i = 0; i < 7; i++)
		right += (got[i] = value(area, names[i])) == wanted[i];
	ok(right == 7, "%s", what);
	for (int i = 0; right != 7 && i < 7; i++)
		printf("# %s %ld\n", names[i], got[i]);
}

static void *anonymous(size_t bytes, int kind)
{
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE, kind | MAP_ANONYMOUS, -1, 0);
}

/* The names in front of the colons, one blank after each. */
static void names_of(const char *from, const char *end, char *names, size_t size)
{
	size_t have = 0;

	for (const char *line = from; line && line < end; line = strchr(line, '\n') + 1) {
		size_t length = strcspn(line, ":");

		if (have + length + 2 < size) {
			memcpy(names + have, line, length);
			names[have + length] = ' ';
			have += length + 1;
		}
	}
	names[have] = 0;
}

static void lines(void)
{
	static const char common[] =
	    "Shared_Clean Shared_Dirty Private_Clean Private_Dirty Referenced Anonymous "
	    "LazyFree AnonHugePages ShmemPmdMapped FilePmdMapped Shared_Hugetlb "
	    "Private_Hugetlb Swap SwapPss Locked ";
	char wanted[512], names[512], header[80];
	const char *begin, *end;

	begin = strchr(contents("/proc/self/smaps"), '\n') + 1;
	end = strstr(begin, "VmFlags:");
	names_of(begin, end, names, sizeof(names));
	snprintf(wanted, sizeof(wanted),
		 "Size KernelPageSize MMUPageSize Rss Pss Pss_Dirty %sTHPeligible ", common);
	ok(!strncmp(names, wanted, strlen(wanted)), "the lines of an area");
	ok(!strncmp(begin, "Size:         ", 14) && !strncmp(strchr(begin, '\n') - 3, " kB", 3),
	   "a name, a number, its unit");
	ok(!strncmp(end, "VmFlags: rd ", 12), "VmFlags has the area's rights");
	begin = contents("/proc/self/smaps_rollup");
	ok(strstr(begin, " ---p 00000000 00:00 0") &&
	       strstr(begin, "[rollup]\n") == strchr(begin, '\n') - 8,
	   "the rollup's head");
	begin = strchr(begin, '\n') + 1;
	names_of(begin, begin + strlen(begin), names, sizeof(names));
	snprintf(wanted, sizeof(wanted), "Rss Pss Pss_Dirty Pss_Anon Pss_File Pss_Shmem %s",
		 common);
	ok(!strcmp(names, wanted), "the rollup's lines");
	snprintf(header, sizeof(header), "/proc/%d/smaps", getpid());
	ok(strlen(contents(header)) > 1000 && access("/proc/999999/smaps", F_OK) == -1,
	   "smaps of another process, by number");
}

static void areas(void)
{
	char *at = anonymous(8 * PAGE, MAP_PRIVATE), *shared = anonymous(4 * PAGE, MAP_SHARED),
	     byte;
	int status, go[2], fd = open("/proc/self/exe", O_RDONLY);
	const char *file;

	mprotect(at + 6 * PAGE, 2 * PAGE,
		 PROT_READ); /* an area of its own, beside others of ours */
	ok(value(at, "Size") == 24 && value(at, "KernelPageSize") == 4, "an area's size");
	holds(at, (long[]){0, 0, 0, 0, 0, 0, 0}, "nothing touched");
	at[0] = at[PAGE] = 1;
	holds(at, (long[]){8, 8, 0, 0, 0, 8, 8}, "two pages written");
	byte = *(volatile char *)(at + 3 * PAGE);
	holds(at, (long[]){8, 8, 0, 0, 0, 8, 8}, "a page read is nobody's");
	shared[(int)byte] = 1;
	holds(shared, (long[]){4, 4, 0, 0, 0, 4, 0}, "shared memory that no other has");
	if (pipe(go) || !fork()) {
		byte = *(volatile char *)shared;
		status = (int)read(go[0], &byte, 1);
		_exit(status != 1);
	}
	while (value(shared, "Shared_Dirty") != 4) /* the child has looked */
		usleep(1000);
	holds(at, (long[]){8, 4, 0, 8, 0, 0, 8}, "beside a child, half of each page");
	holds(shared, (long[]){4, 2, 0, 4, 0, 0, 0}, "and of what is shared");
	ok(write(go[1], "", 1) == 1 && wait(&status) > 0 && !status, "the child ends");
	holds(at, (long[]){8, 8, 0, 0, 0, 8, 8}, "then all is private again");
	file = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	ok(((volatile const char *)file)[0] == 0x7f && value(file, "Rss") == 4 &&
	       value(file, "Anonymous") == 0,
	   "a file's page");
	((volatile char *)(uintptr_t)file)[0] = 0x7f;
	ok(value(file, "Anonymous") == 4 && value(file, "Private_Dirty") == 4,
	   "a written private page of a file is Anonymous");
	ok(value(at, "THPeligible") == 0, "an area that is too small for a huge page");
	close(fd);
}

static void huge(void)
{
	char *at = anonymous(4 * LARGE, MAP_PRIVATE);

	mprotect(at, PAGE, PROT_NONE);
	at = (char *)(((uint64_t)at + LARGE) & -LARGE);
	munmap(at - PAGE, PAGE);
	madvise(at, 2 * LARGE, MADV_HUGEPAGE);
	munmap(at + 2 * LARGE, PAGE);
	ok(value(at, "Size") == 4096 && value(at, "THPeligible") == 1, "an area for huge pages");
	at[LARGE] = 1;
	ok(value(at, "AnonHugePages") == 2048, "AnonHugePages");
	holds(at, (long[]){2048, 2048, 0, 0, 0, 2048, 2048}, "one of them");
	mprotect(at + LARGE, PAGE, PROT_READ);
	ok(value(at + LARGE, "AnonHugePages") == 0 && value(at + LARGE, "Rss") == 4 &&
	       value(at + LARGE + PAGE, "Rss") == 2044,
	   "a split huge page has its small pages");
}

/* All areas of a name, added up. */
static long sum(const char *name)
{
	char line[32];
	long all = 0;

	snprintf(line, sizeof(line), "\n%s:", name);
	for (const char *at = contents("/proc/self/smaps"); (at = strstr(at, line)); at++)
		all += atol(at + strlen(line));
	return all;
}

static long rollup(const char *name)
{
	char line[32];
	const char *at;

	snprintf(line, sizeof(line), "\n%s:", name);
	at = strstr(contents("/proc/self/smaps_rollup"), line);
	return at ? atol(at + strlen(line)) : -1;
}

int main(void)
{
	static const char *const exact[] = {"Rss", "Private_Dirty", "Anonymous", "Private_Hugetlb"};

	contents("/proc/self/smaps_rollup");
	lines();
	areas();
	huge();
	for (unsigned i = 0; i < sizeof(exact) / sizeof(exact[0]); i++)
		ok(sum(exact[i]) == rollup(exact[i]), "the rollup's %s is the sum", exact[i]);
	ok(rollup("Pss_Anon") + rollup("Pss_File") + rollup("Pss_Shmem") <= rollup("Pss") &&
	       rollup("Pss") - 3 < rollup("Pss_Anon") + rollup("Pss_File") + rollup("Pss_Shmem"),
	   "Pss is the sum of its kinds");
	return tap_end();
}
