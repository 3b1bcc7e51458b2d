/* SPDX-License-Identifier: BSD-2-Clause */
/* The pool of huge pages in /proc/meminfo, /proc/sys/vm and /sys/kernel/mm: Linux's
 * admin-guide/mm/hugetlbpage. */
#include <linux/errno.h>
#include "kernel/mem/huge.h"
#include "kernel/procfs/proc.h"
#include "kernel/task/sched.h"

#define MOST_DIGITS 12

void proc_add_huge(struct text *out)
{
	struct huge_counts counts;

	huge_counts(&counts);
	text_print(out, "AnonHugePages:  %8u kB\n", 0);
	text_print(out,
		   "HugePages_Total:   %5lu\nHugePages_Free:    %5lu\nHugePages_Rsvd:    %5lu\n"
		   "HugePages_Surp:    %5lu\n",
		   counts.total, counts.free, counts.reserved, counts.surplus);
	text_print(out, "Hugepagesize:   %8lu kB\nHugetlb:        %8lu kB\n", HUGE_PAGE_SIZE / 1024,
		   counts.total * (HUGE_PAGE_SIZE / 1024));
}

/* A count, by its place in struct huge_counts. */
static void make_count(struct text *out, uint64_t place)
{
	struct huge_counts counts;

	huge_counts(&counts);
	text_print(out, "%lu\n", *(uint64_t *)((char *)&counts + place));
}

static void make_zero(struct text *out, uint64_t id)
{
	(void)id;
	text_print(out, "0\n");
}

/* There are none. */
static void make_transparent(struct text *out, uint64_t id)
{
	(void)id;
	text_print(out, "always madvise [never]\n");
}

static int store_total(const char *text, uint64_t id)
{
	uint64_t pages = 0;
	unsigned digits = 0;

	(void)id;
	for (; text[digits] >= '0' && text[digits] <= '9'; digits++) {
		if (digits >= MOST_DIGITS)
			return -EINVAL;
		pages = pages * 10 + (uint64_t)(text[digits] - '0');
	}
	if (!digits || (text[digits] && (text[digits] != '\n' || text[digits + 1])))
		return -EINVAL;
	while (huge_resize(pages) && sched_pause())
		;
	return 0;
}

#define FOLDER "/sys/kernel/mm/hugepages/hugepages-2048kB"

static const struct {
	const char *path;
	uint64_t place;
} counts[] = {
    {FOLDER "/free_hugepages", offsetof(struct huge_counts, free)},
    {FOLDER "/resv_hugepages", offsetof(struct huge_counts, reserved)},
    {FOLDER "/surplus_hugepages", offsetof(struct huge_counts, surplus)},
};

static const struct synthetic count = {.make = make_count};
static const struct synthetic total = {.make = make_count, .store = store_total};
static const struct synthetic others[] = {
    {.path = FOLDER "/nr_overcommit_hugepages", .make = make_zero},
    {.path = "/proc/sys/vm/nr_overcommit_hugepages", .make = make_zero},
    {.path = "/sys/kernel/mm/transparent_hugepage/enabled", .make = make_transparent},
};

void proc_huge_init(void)
{
	synthetic_add_at(FOLDER "/nr_hugepages", &total, offsetof(struct huge_counts, total));
	synthetic_add_at("/proc/sys/vm/nr_hugepages", &total, offsetof(struct huge_counts, total));
	for (unsigned i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		synthetic_add_at(counts[i].path, &count, counts[i].place);
	for (unsigned i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		synthetic_add(&others[i]);
}
