/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Areas of huge pages. `priv` of a private area is the number of pages reserved for it in the pool;
 * a child has no reservation, so its copies may find the pool empty (SIGBUS), as on Linux. The
 * pages of a shared area belong to an object that lives as long as any area that maps it.
 */
#include <linux/errno.h>
#include <linux/mman.h>
#include "kernel/base/assert.h"
#include "kernel/base/string.h"
#include "kernel/mem/memory.h"
#include "kernel/vm/huge_area.h"
#include "kernel/vm/vma.h"

/* The pages of a shared mapping. */
struct shared {
	uint32_t refs; /* areas */
	uint64_t nr, promised;
	void *pages[]; /* NULL: not touched yet */
};

static enum huge_size size_requested(uint32_t mmap_flags)
{
	uint32_t shift = mmap_flags >> MAP_HUGE_SHIFT & MAP_HUGE_MASK;

	for (enum huge_size size = 0; size < HUGE_SIZES; size++)
		if (shift == huge_shift(size) && huge_there(size))
			return size;
	return shift ? HUGE_SIZES : HUGE_2M;
}

uint64_t huge_bytes_requested(uint32_t mmap_flags)
{
	enum huge_size size = size_requested(mmap_flags);

	return size == HUGE_SIZES ? 0 : huge_bytes(size);
}

static enum huge_size size_of(const struct vma *vma)
{
	return vma->flags & VMA_GIANT ? HUGE_1G : HUGE_2M;
}

uint64_t huge_bytes_of(const struct vma *vma)
{
	return huge_bytes(size_of(vma));
}

static uint64_t nr_pages(const struct vma *vma)
{
	return (vma->end - vma->start) / huge_bytes_of(vma);
}

/* ---- private ---- */

static void private_close(struct vma *vma)
{
	huge_unreserve(size_of(vma), (uint64_t)vma->priv);
}

/* Reservations are for pages that are not present. */
static void private_split(struct vma *vma, struct vma *upper)
{
	uint64_t missing = nr_pages(upper), root = vma->mm->root_phys, promised;

	for (uint64_t at = paging_next_large(root, upper->start, upper->end); at < upper->end;
	     at = paging_next_large(root, at + huge_bytes_of(vma), upper->end))
		missing--;
	promised = (uint64_t)vma->priv < missing ? (uint64_t)vma->priv : missing;
	upper->priv = (void *)promised;
	vma->priv = (void *)((uint64_t)vma->priv - promised);
}

#define PRIVATE(bytes)                                                                   \
	{                                                                                \
		.close = private_close, .split = private_split, .split_mask = (bytes)-1, \
		.name = "/anon_hugepage (deleted)"                                       \
	}
static const struct vma_ops private_ops[HUGE_SIZES] = {
    [HUGE_2M] = PRIVATE(PAGING_LARGE_BYTES), [HUGE_1G] = PRIVATE(PAGING_GIANT_BYTES)};

static bool is_shared(const struct vma *vma)
{
	return vma->flags & MAP_SHARED;
}

static void *private_page(struct vma *vma)
{
	bool promised = vma->priv;
	void *page = huge_take(size_of(vma), promised);

	if (page && promised)
		vma->priv = (void *)((uint64_t)vma->priv - 1);
	return page;
}

/* ---- shared ---- */

static void shared_open(struct vma *vma)
{
	((struct shared *)vma->priv)->refs++;
}

static void shared_close(struct vma *vma)
{
	struct shared *shared = vma->priv;

	KASSERT(shared->refs > 0);
	if (--shared->refs)
		return;
	for (uint64_t i = 0; i < shared->nr; i++)
		if (shared->pages[i])
			huge_put(shared->pages[i]);
	huge_unreserve(size_of(vma), shared->promised);
	kfree(shared);
}

#define SHARED(bytes)                                                                \
	{                                                                            \
		.open = shared_open, .close = shared_close, .split_mask = (bytes)-1, \
		.name = "/anon_hugepage (deleted)"                                   \
	}
static const struct vma_ops shared_ops[HUGE_SIZES] = {
    [HUGE_2M] = SHARED(PAGING_LARGE_BYTES), [HUGE_1G] = SHARED(PAGING_GIANT_BYTES)};

/* Returns the object's slot of the page. */
static void **shared_place(const struct vma *vma, uint64_t addr)
{
	struct shared *shared = vma->priv;

	return &shared->pages[(addr - vma->start + vma->pgoff * PAGE_SIZE) / huge_bytes_of(vma)];
}

/* Returns the page with a reference for the caller; NULL: none is left. */
static void *shared_page(struct vma *vma, uint64_t addr)
{
	struct shared *shared = vma->priv;
	void **place = shared_place(vma, addr);

	if (!*place) {
		*place = huge_take(size_of(vma), shared->promised);
		if (!*place)
			return NULL;
		shared->promised -= shared->promised != 0;
	}
	huge_get(*place);
	return *place;
}

/* ---- both ---- */

static int open_shared(struct vma *vma, uint64_t promised)
{
	uint64_t nr = nr_pages(vma);
	struct shared *shared = kalloc(sizeof(*shared) + nr * sizeof(shared->pages[0]));

	if (!shared)
		return -ENOMEM;
	*shared = (struct shared){.refs = 1, .nr = nr, .promised = promised};
	vma->priv = shared;
	vma->ops = &shared_ops[size_of(vma)];
	return 0;
}

int huge_open(struct vma *vma, uint32_t mmap_flags)
{
	enum huge_size size = size_requested(mmap_flags);
	uint64_t promised;

	vma->flags |= size == HUGE_1G ? VMA_GIANT : 0;
	promised = mmap_flags & MAP_NORESERVE ? 0 : nr_pages(vma);
	if (!huge_reserve(size, promised))
		return -ENOMEM;
	if (is_shared(vma) && open_shared(vma, promised)) {
		huge_unreserve(size, promised);
		return -ENOMEM;
	}
	vma_change(vma, vma->prot, vma->flags | VMA_HUGE);
	if (!is_shared(vma)) {
		vma->priv = (void *)promised;
		vma->ops = &private_ops[size];
	}
	return 0;
}

int huge_copy(struct vma *vma, struct vma *child)
{
	uint64_t root = vma->mm->root_phys, bytes = huge_bytes_of(vma);
	struct paging_entry entry;

	if (is_shared(vma))
		return 0; /* they come by faults */
	child->priv = NULL;
	for (uint64_t at = paging_next_large(root, vma->start, vma->end); at < vma->end;
	     at = paging_next_large(root, at + bytes, vma->end)) {
		paging_query(root, at, &entry);
		if (entry.prot & PAGING_WRITE) {
			entry.prot = (entry.prot & ~(unsigned)PAGING_WRITE) | PAGING_COW;
			paging_protect_large(root, at, entry.prot);
		}
		if (paging_map_large(child->mm->root_phys, at, entry.phys, entry.prot, bytes))
			return -ENOMEM;
		huge_get(phys_virt(entry.phys));
	}
	return 0;
}

/* Enters the pages of [start, end) at `to` as well; references do not change. 0, or -ENOMEM with
 * nothing entered. */
static int enter_again(const struct mm *mm, uint64_t start, uint64_t end, uint64_t to)
{
	struct paging_entry entry;

	for (uint64_t at = paging_next_large(mm->root_phys, start, end); at < end;
	     at = paging_next_large(mm->root_phys, at + entry.bytes, end)) {
		paging_query(mm->root_phys, at, &entry);
		if (paging_map_large(mm->root_phys, to + (at - start), entry.phys, entry.prot,
				     entry.bytes))
			return -ENOMEM;
	}
	return 0;
}

static void forget(void *page)
{
	(void)page;
}

int huge_move(struct vma *vma, struct vma *to)
{
	struct mm *mm = vma->mm;
	uint64_t length = to->end - to->start;

	if (enter_again(mm, vma->start, vma->start + length, to->start)) {
		paging_clear_large(mm->root_phys, to->start, to->end, forget);
		return -ENOMEM;
	}
	paging_clear_large(mm->root_phys, vma->start, vma->start + length, forget);
	to->ops = vma->ops;
	to->priv = vma->priv;
	vma->ops = NULL;
	return 0;
}

/* Replaces a shared page by a copy for the area alone. */
static enum fault_result copy_page(struct vma *vma, uint64_t start, char *old)
{
	uint64_t bytes = huge_bytes_of(vma);
	char *page = huge_take(size_of(vma), false);

	if (!page)
		return FAULT_BUS;
	for (uint64_t at = 0; at < bytes; at += PAGE_SIZE)
		page_copy(page + at, old + at);
	paging_map_large(vma->mm->root_phys, start, page_phys(page), vma_paging(vma, true), bytes);
	paging_flush_others(vma->mm->root_phys, start, start + PAGE_SIZE);
	huge_put(old);
	return FAULT_DONE;
}

static enum fault_result huge_area_enter(struct vma *vma, uint64_t start)
{
	bool made = is_shared(vma) && *shared_place(vma, start);
	uint64_t bytes = huge_bytes_of(vma);
	void *page;

	if (!made && !huge_zero_some(size_of(vma)))
		return FAULT_AGAIN;
	page = is_shared(vma) ? shared_page(vma, start) : private_page(vma);
	if (!page)
		return FAULT_BUS;
	if (!paging_map_large(vma->mm->root_phys, start, page_phys(page), vma_paging(vma, true),
			      bytes))
		return FAULT_DONE;
	huge_put(page);
	return FAULT_NOMEM;
}

enum fault_result huge_fault(struct vma *vma, uint64_t addr, bool write)
{
	uint64_t start = addr & -huge_bytes_of(vma);
	struct paging_entry entry;
	void *page;

	if (!paging_query(vma->mm->root_phys, start, &entry))
		return huge_area_enter(vma, start);
	if (!write || !(entry.prot & PAGING_COW))
		return FAULT_DONE;
	page = phys_virt(entry.phys);
	if (huge_refs(page) != 1)
		return copy_page(vma, start, page);
	paging_protect_large(vma->mm->root_phys, start, vma_paging(vma, true));
	return FAULT_DONE;
}

void huge_drop(struct vma *vma, uint64_t start, uint64_t end)
{
	paging_clear_large(vma->mm->root_phys, start, end, huge_put);
}

void huge_reprotect(struct vma *vma)
{
	uint64_t root = vma->mm->root_phys;
	struct paging_entry entry;

	for (uint64_t at = paging_next_large(root, vma->start, vma->end); at < vma->end;
	     at = paging_next_large(root, at + entry.bytes, vma->end)) {
		paging_query(root, at, &entry);
		paging_protect_large(
		    root, at,
		    vma_paging(vma, is_shared(vma) || huge_refs(phys_virt(entry.phys)) == 1));
	}
	paging_flush_others(root, vma->start, vma->end);
}
