/* SPDX-License-Identifier: BSD-2-Clause */
/* The pool of huge pages in /proc/meminfo, /proc/sys/vm and /sys/kernel/mm: Linux's
 * admin-guide/mm/hugetlbpage. */
#include <linux/errno.h>
#include "kernel/base/number.h"
#include "kernel/base/string.h"
#include "kernel/mem/huge.h"
#include "kernel/procfs/proc.h"
#include "kernel/task/sched.h"
#include "kernel/vm/thp.h"

void proc_add_huge(struct text *out)
{
	struct huge_counts counts, giant;

	huge_counts(HUGE_2M, &counts);
	huge_counts(HUGE_1G, &giant);
	text_print(out, "AnonHugePages:  %8lu kB\n", thp_count() * (HUGE_PAGE_SIZE / 1024));
	text_print(out,
		   "HugePages_Total:   %5lu\nHugePages_Free:    %5lu\nHugePages_Rsvd:    %5lu\n"
		   "HugePages_Surp:    %5lu\n",
		   counts.total, counts.free, counts.reserved, counts.surplus);
	text_print(out, "Hugepagesize:   %8lu kB\nHugetlb:        %8lu kB\n", HUGE_PAGE_SIZE / 1024,
		   counts.total * (HUGE_PAGE_SIZE / 1024) +
		       giant.total * (PAGING_GIANT_BYTES / 1024));
}

/* The id of a file that shows a count: the page size, and the index in struct huge_counts. */
#define SIZE_SHIFT 32

static enum huge_size size_of(uint64_t id)
{
	return (enum huge_size)(id >> SIZE_SHIFT);
}

static void make_count(struct text *out, uint64_t id)
{
	struct huge_counts counts;

	huge_counts(size_of(id), &counts);
	text_print(out, "%lu\n", *(uint64_t *)((char *)&counts + (uint32_t)id));
}

static const char *const modes[THP_MODES] = {
    [THP_ALWAYS] = "always", [THP_MADVISE] = "madvise", [THP_NEVER] = "never"};

static void make_mode(struct text *out, uint64_t id)
{
	(void)id;
	for (unsigned i = 0; i < THP_MODES; i++)
		text_print(out, i == thp_mode() ? "[%s]%s" : "%s%s", modes[i],
			   i + 1 < THP_MODES ? " " : "\n");
}

static int store_mode(const char *text, uint64_t id)
{
	(void)id;
	for (unsigned i = 0; i < THP_MODES; i++) {
		if (!line_is(text, modes[i]))
			continue;
		thp_set_mode((enum thp_mode)i);
		return 0;
	}
	return -EINVAL;
}

static void make_size(struct text *out, uint64_t id)
{
	(void)id;
	text_print(out, "%lu\n", HUGE_PAGE_SIZE);
}

static void resize(enum huge_size size, uint64_t pages)
{
	while (huge_resize(size, pages) && sched_pause())
		;
}

static int store_sysfs(const char *text, uint64_t id)
{
	uint64_t pages;
	int err = number_read(text, 10, INT64_MAX, &pages);

	if (!err)
		resize(size_of(id), pages);
	return err;
}

static int store_sysctl(const char *text, uint64_t id)
{
	int64_t pages;
	int err = number_read_sysctl(text, 0, INT64_MAX, &pages);

	if (!err)
		resize(size_of(id), (uint64_t)pages);
	return err;
}

static const struct synthetic count = {.make = make_count};
static const struct synthetic zero = {.text = "0"};
static const struct synthetic sysfs_total = {.make = make_count, .store = store_sysfs};
static const struct synthetic sysctl_total = {.make = make_count, .store = store_sysctl};

#define DIRECTORY "/sys/kernel/mm/hugepages/hugepages-"
/* The files of one size. */
#define SIZE(size, name)                                                                           \
	{DIRECTORY name "/nr_hugepages", &sysfs_total, size, offsetof(struct huge_counts, total)}, \
	    {DIRECTORY name "/free_hugepages", &count, size, offsetof(struct huge_counts, free)},  \
	    {DIRECTORY name "/resv_hugepages", &count, size,                                       \
	     offsetof(struct huge_counts, reserved)},                                              \
	    {DIRECTORY name "/surplus_hugepages", &count, size,                                    \
	     offsetof(struct huge_counts, surplus)},                                               \
	{                                                                                          \
		DIRECTORY name "/nr_overcommit_hugepages", &zero, size, 0                          \
	}

static const struct {
	const char *path;
	const struct synthetic *file;
	enum huge_size size;
	uint64_t place;
} counts[] = {
    {"/proc/sys/vm/nr_hugepages", &sysctl_total, HUGE_2M, offsetof(struct huge_counts, total)},
    {"/proc/sys/vm/nr_overcommit_hugepages", &zero, HUGE_2M, 0},
    SIZE(HUGE_2M, "2048kB"),
    SIZE(HUGE_1G, "1048576kB"),
};

#define TRANSPARENT "/sys/kernel/mm/transparent_hugepage"

static const struct synthetic transparent[] = {
    {.path = TRANSPARENT "/enabled", .make = make_mode, .store = store_mode},
    /* Huge pages are made at once or not at all: there is no compaction. */
    {.path = TRANSPARENT "/defrag", .text = "always defer defer+madvise madvise [never]"},
    {.path = TRANSPARENT "/shmem_enabled", .text = "always within_size advise [never] deny force"},
    {.path = TRANSPARENT "/use_zero_page", .text = "0"},
    {.path = TRANSPARENT "/hpage_pmd_size", .make = make_size},
};

void proc_huge_init(void)
{
	for (unsigned i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		if (huge_there(counts[i].size))
			synthetic_add_at(counts[i].path, counts[i].file,
					 (uint64_t)counts[i].size << SIZE_SHIFT | counts[i].place);
	for (unsigned i = 0; i < sizeof(transparent) / sizeof(transparent[0]); i++)
		synthetic_add(&transparent[i]);
}
