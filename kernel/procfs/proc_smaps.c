/* SPDX-License-Identifier: BSD-2-Clause */
/* /proc/PID/maps, smaps and smaps_rollup: the pages of an address space, by area and in total.
 * Linux's filesystems/proc. */
#include <linux/mman.h>
#include "kernel/file/file.h"
#include "kernel/fs/inode.h"
#include "kernel/mem/huge.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/procfs/proc.h"
#include "kernel/procfs/proc_smaps.h"
#include "kernel/task/sched.h"
#include "kernel/task/task.h"
#include "kernel/vm/huge_area.h"
#include "kernel/vm/thp.h"
#include "kernel/vm/vma.h"

#define AREAS_AT_ONCE 64 /* without a pause */

/* A process's share of a page that n processes map is 1/n: counted in fractions of a byte. */
#define PSS_SHIFT 12

enum share { SHARE_ANON, SHARE_FILE, SHARE_SHMEM, NR_SHARES };

/* All in bytes, except pss. */
struct sums {
	uint64_t rss, pss[NR_SHARES], pss_dirty;
	uint64_t of[2][2]; /* mapped elsewhere as well, dirty */
	uint64_t referenced, anonymous, thp;
	uint64_t locked;  /* of pss */
	uint64_t huge[2]; /* mapped elsewhere as well */
};

/* Returns the number of address spaces that map the page; a page of a special area's owner counts
 * as 1. */
static unsigned mappings(const struct vma *vma, uint64_t phys, bool files)
{
	unsigned references = proc_page_references(vma, phys);

	/* One reference is the file's. */
	return references > 1 && files ? references - 1 : references ? references : 1;
}

static enum share share_of(const struct vma *vma, bool files)
{
	if (!files)
		return SHARE_ANON;
	return vma->file && vma->file->inode && vma->file->inode->label ? SHARE_SHMEM : SHARE_FILE;
}

static void add_page(struct sums *sums, const struct vma *vma, uint64_t addr,
		     const struct paging_entry *entry)
{
	bool files = proc_page_is_files(vma, addr, entry);
	unsigned had_by = mappings(vma, entry->phys, files);
	bool dirty = entry->dirty || !files;
	uint64_t part = (PAGE_SIZE << PSS_SHIFT) / had_by;

	sums->rss += PAGE_SIZE;
	sums->pss[share_of(vma, files)] += part;
	sums->pss_dirty += dirty ? part : 0;
	sums->of[had_by > 1][dirty] += PAGE_SIZE;
	sums->referenced += entry->accessed ? PAGE_SIZE : 0;
	sums->anonymous += files ? 0 : PAGE_SIZE;
}

/* A transparent huge page is private to its area, and written. */
static void add_large(struct sums *sums, const struct paging_entry *entry)
{
	sums->rss += entry->bytes;
	sums->pss[SHARE_ANON] += entry->bytes << PSS_SHIFT;
	sums->pss_dirty += entry->bytes << PSS_SHIFT;
	sums->of[false][true] += entry->bytes;
	sums->referenced += entry->accessed ? entry->bytes : 0;
	sums->anonymous += entry->bytes;
	sums->thp += entry->bytes;
}

/* Returns the sum of all pages, each divided among the areas that map it. */
static uint64_t total_pss(const struct sums *sums)
{
	return sums->pss[SHARE_ANON] + sums->pss[SHARE_FILE] + sums->pss[SHARE_SHMEM];
}

static void add_pages(struct sums *sums, const struct vma *vma)
{
	uint64_t before = total_pss(sums);
	uint64_t root = vma->mm->root_phys, at;
	struct paging_entry entry = {.bytes = PAGE_SIZE};

	for (at = paging_next(root, vma->start, vma->end); at < vma->end;
	     at = paging_next(root, at + entry.bytes, vma->end)) {
		entry.bytes = PAGE_SIZE;
		if (!paging_query(root, at, &entry))
			continue; /* a device's */
		if (vma->flags & VMA_HUGE)
			sums->huge[mappings(vma, entry.phys, vma->flags & MAP_SHARED) > 1] +=
			    entry.bytes;
		else if (entry.bytes > PAGE_SIZE)
			add_large(sums, &entry);
		else if (!vm_is_zero_page(entry.phys))
			add_page(sums, vma, at, &entry);
	}
	if (vma->flags & VMA_LOCKED)
		sums->locked += total_pss(sums) - before;
}

static void line(struct text *out, const char *name, uint64_t bytes)
{
	size_t start = out->length;

	text_print(out, "%s:", name);
	while (out->length - start < 16)
		text_char(out, ' ');
	text_print(out, "%8lu kB\n", bytes / 1024);
}

/* Adds the lines common to both files. */
static void add_sums(struct text *out, const struct sums *sums, bool rollup)
{
	const uint64_t *pss = sums->pss;

	line(out, "Rss", sums->rss);
	line(out, "Pss", total_pss(sums) >> PSS_SHIFT);
	line(out, "Pss_Dirty", sums->pss_dirty >> PSS_SHIFT);
	if (rollup) {
		line(out, "Pss_Anon", pss[SHARE_ANON] >> PSS_SHIFT);
		line(out, "Pss_File", pss[SHARE_FILE] >> PSS_SHIFT);
		line(out, "Pss_Shmem", pss[SHARE_SHMEM] >> PSS_SHIFT);
	}
	line(out, "Shared_Clean", sums->of[true][false]);
	line(out, "Shared_Dirty", sums->of[true][true]);
	line(out, "Private_Clean", sums->of[false][false]);
	line(out, "Private_Dirty", sums->of[false][true]);
	line(out, "Referenced", sums->referenced);
	line(out, "Anonymous", sums->anonymous);
	line(out, "LazyFree", 0);
	line(out, "AnonHugePages", sums->thp);
	line(out, "ShmemPmdMapped", 0);
	line(out, "FilePmdMapped", 0);
	line(out, "Shared_Hugetlb", sums->huge[true]);
	line(out, "Private_Hugetlb", sums->huge[false]);
	line(out, "Swap", 0);
	line(out, "SwapPss", 0);
	line(out, "Locked", sums->locked >> PSS_SHIFT);
}

/* Adds Linux's two-letter flags of an area, in Linux's order. */
static void add_flags(struct text *out, const struct vma *vma)
{
	bool shared = vma->flags & MAP_SHARED, writable = vma->prot & PROT_WRITE;
	const struct {
		const char *name;
		bool has;
	} flags[] = {
	    {"rd", vma->prot & PROT_READ},
	    {"wr", writable},
	    {"ex", vma->prot & PROT_EXEC},
	    {"sh", shared},
	    {"mr", true},
	    {"mw", true},
	    {"me", true},
	    {"ms", shared},
	    {"gd", vma->flags & VMA_STACK},
	    {"pf", vma->flags & VMA_DEVICE},
	    {"lo", vma->flags & VMA_LOCKED},
	    {"io", vma->flags & VMA_DEVICE},
	    {"dc", vma->flags & VMA_DONTCOPY},
	    {"de", vma->ops != NULL},
	    {"ac", writable && !shared && !vma->ops},
	    {"ht", vma->flags & VMA_HUGE},
	    {"wf", vma->flags & VMA_WIPE},
	    {"dd", vma->flags & (VMA_DONTDUMP | VMA_VVAR)},
	    {"sd", true},
	    {"hg", vma->flags & VMA_THP},
	    {"nh", vma->flags & VMA_NO_THP},
	};

	text_print(out, "VmFlags: ");
	for (unsigned i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (flags[i].has)
			text_print(out, "%s ", flags[i].name);
	text_char(out, '\n');
}

static void add_area(struct text *out, const struct vma *vma, char *buffer)
{
	uint64_t unit = vma->flags & VMA_HUGE ? huge_bytes_of(vma) : PAGE_SIZE;
	struct sums sums = {0};

	add_pages(&sums, vma);
	proc_add_area(out, vma, buffer);
	line(out, "Size", vma->end - vma->start);
	line(out, "KernelPageSize", unit);
	line(out, "MMUPageSize", unit);
	add_sums(out, &sums, false);
	text_print(out, "THPeligible:    %d\n", thp_eligible(vma));
	add_flags(out, vma);
}

/* The memory of the task, referenced, or NULL. */
static struct mm *memory_of(uint64_t id)
{
	struct task *task = proc_task(id);
	struct mm *mm = task ? task->mm : NULL;

	if (mm)
		mm_get(mm);
	if (task)
		task_put(task);
	return mm;
}

/* Adds a number of areas from `at` on; returns the end of the last one, 0 if there was none. */
static uint64_t add_some(struct text *out, struct mm *mm, uint64_t at, char *buffer)
{
	struct vma *vma = vma_find(mm, at);

	at = 0;
	for (unsigned i = 0; vma && i < AREAS_AT_ONCE; i++, vma = vma_next(vma)) {
		proc_add_area(out, vma, buffer);
		at = vma->end;
	}
	return at;
}

void proc_make_maps(struct text *out, uint64_t id)
{
	char *buffer = page_alloc_dirty();
	struct mm *mm = memory_of(id);

	/* Other tasks run in between, and may change areas behind the printed ones. */
	for (uint64_t at = 0; mm && buffer && (at = add_some(out, mm, at, buffer)); sched_pause())
		;
	if (mm)
		mm_put(mm);
	if (buffer)
		page_put(buffer);
}

void proc_make_smaps(struct text *out, uint64_t id)
{
	char *buffer = page_alloc_dirty();
	struct mm *mm = memory_of(id);
	struct vma *vma;

	/* Other tasks run in between, and may change areas behind the printed one. */
	for (uint64_t at = 0; mm && buffer && (vma = vma_find(mm, at)); sched_pause()) {
		add_area(out, vma, buffer);
		at = vma->end;
	}
	if (mm)
		mm_put(mm);
	if (buffer)
		page_put(buffer);
}

void proc_make_rollup(struct text *out, uint64_t id)
{
	uint64_t start = 0, end = 0, header;
	struct mm *mm = memory_of(id);
	struct sums sums = {0};
	struct vma *vma;

	for (; mm && (vma = vma_find(mm, end)); sched_pause()) {
		start = end ? start : vma->start;
		end = vma->end;
		add_pages(&sums, vma);
	}
	if (mm)
		mm_put(mm);
	header = out->length;
	text_print(out, "%08lx-%08lx ---p 00000000 00:00 0 ", start, end);
	while (out->length - header < 73)
		text_char(out, ' ');
	text_print(out, "[rollup]\n");
	add_sums(out, &sums, true);
}
