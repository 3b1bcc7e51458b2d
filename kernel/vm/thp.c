/* SPDX-License-Identifier: BSD-2-Clause */
/* Transparent huge pages: entering, splitting, removing. The first page's descriptor has the spare
 * table. */
#include <linux/mman.h>
#include "arch/x86/paging/paging.h"
#include "kernel/base/assert.h"
#include "kernel/mem/huge.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/page.h"
#include "kernel/vm/thp.h"

#define SMALL_PAGES (HUGE_PAGE_SIZE / PAGE_SIZE)

uint32_t thp_always;

static enum thp_mode mode = THP_MADVISE;
static uint64_t count;

enum thp_mode thp_mode(void)
{
	return mode;
}

void thp_set_mode(enum thp_mode new_mode)
{
	mode = new_mode;
	thp_always = mode == THP_ALWAYS ? VMA_THP : 0;
}

uint64_t thp_count(void)
{
	return count;
}

bool thp_eligible(const struct vma *vma)
{
	uint64_t first = (vma->start + HUGE_PAGE_SIZE - 1) & -HUGE_PAGE_SIZE;

	return mode != THP_NEVER && (vma->flags | thp_always) & VMA_THP &&
	       !(vma->flags & (VMA_NO_THP | MAP_SHARED)) && !vma->ops &&
	       (!vma->file || vma->flags & VMA_ZEROS) && first + HUGE_PAGE_SIZE <= vma->end;
}

/* True if more than 1/16 of memory is free, which is kept for small pages. */
static bool plenty(void)
{
	return memory_free_pages() > memory_total_pages() / 16 + SMALL_PAGES;
}

/* Returns pages, with the table for splitting; NULL: none. */
static char *make_page(void)
{
	void *table = page_alloc_dirty();
	char *page = table ? pages_alloc(HUGE_PAGE_SIZE) : NULL;

	if (page)
		page_of(page)->objects = table;
	else if (table)
		page_put(table);
	return page;
}

static void *take_table(char *page)
{
	void *table = page_of(page)->objects;

	page_of(page)->objects = NULL;
	return table;
}

static void free_page(void *page)
{
	page_put(take_table(page));
	for (unsigned i = 0; i < SMALL_PAGES; i++)
		page_put((char *)page + i * PAGE_SIZE);
}

static void gone(struct mm *mm)
{
	KASSERT(mm->large > 0 && count > 0);
	mm->large--;
	count--;
}

bool thp_fault(struct vma *vma, uint64_t addr)
{
	uint64_t start = addr & -HUGE_PAGE_SIZE, end = start + HUGE_PAGE_SIZE;
	struct mm *mm = vma->mm;
	char *page;

	if (mode == THP_NEVER || vma->flags & VMA_NO_THP || start < vma->start || end > vma->end ||
	    !plenty() || paging_next(mm->root_phys, start, end) < end)
		return false;
	page = make_page();
	if (!page)
		return false;
	if (paging_map_large(mm->root_phys, start, page_phys(page), vma_paging(vma, true),
			     PAGING_LARGE_BYTES)) {
		free_page(page);
		return false;
	}
	mm->large++;
	count++;
	mm->rss += SMALL_PAGES;
	if (mm->rss > mm->max_rss)
		mm->max_rss = mm->rss;
	return true;
}

void thp_split_at(struct mm *mm, uint64_t addr)
{
	uint64_t start = addr & -HUGE_PAGE_SIZE;
	struct paging_entry entry;

	if (!mm->large || addr == start || !paging_query(mm->root_phys, start, &entry) ||
	    entry.bytes == PAGE_SIZE)
		return;
	paging_split_large(mm->root_phys, start, take_table(phys_virt(entry.phys)));
	gone(mm);
}

void thp_split(struct mm *mm, uint64_t start, uint64_t end)
{
	start &= -HUGE_PAGE_SIZE;
	while (mm->large && (start = paging_next_large(mm->root_phys, start, end)) < end) {
		start &= -HUGE_PAGE_SIZE;
		thp_split_at(mm, start + PAGE_SIZE);
		start += HUGE_PAGE_SIZE;
	}
}

void thp_drop(struct vma *vma, uint64_t start, uint64_t end)
{
	struct mm *mm = vma->mm;
	uint64_t at;

	thp_split_at(mm, start);
	thp_split_at(mm, end);
	for (at = start; (at = paging_next_large(mm->root_phys, at, end)) < end;
	     at += HUGE_PAGE_SIZE) {
		gone(mm);
		mm->rss -= SMALL_PAGES;
	}
	paging_clear_large(mm->root_phys, start, end, free_page);
}
