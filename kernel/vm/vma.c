/* SPDX-License-Identifier: BSD-2-Clause */
/* The areas of an address space: a sorted list, split and merged as ranges of it change. */
#include <linux/errno.h>
#include <linux/mman.h>
#include "kernel/fs/file.h"
#include "kernel/fs/inode.h"
#include "kernel/mem/memory.h"
#include "kernel/base/string.h"
#include "kernel/mem/user.h"
#include "kernel/vm/vma.h"

struct vma *vma_find(struct mm *mm, uint64_t addr)
{
	struct vma *hint = mm->hint, *vma;

	if (hint && hint->start <= addr && addr < hint->end)
		return hint;
	list_for_each(vma, &mm->vmas, link) {
		if (addr < vma->end) {
			mm->hint = vma;
			return vma;
		}
	}
	return NULL;
}

bool vm_is_mapped(struct mm *mm, uint64_t addr, uint64_t length)
{
	uint64_t end = addr + length;
	struct vma *vma = vma_find(mm, addr);

	while (addr < end) {
		if (!vma || vma->start > addr)
			return false;
		addr = vma->end;
		vma = vma_next(vma);
	}
	return true;
}

struct vma *vma_next(struct vma *vma)
{
	return vma->link.next == &vma->mm->vmas ? NULL
						: container_of(vma->link.next, struct vma, link);
}

static struct vma *vma_prev(struct vma *vma)
{
	return vma->link.prev == &vma->mm->vmas ? NULL
						: container_of(vma->link.prev, struct vma, link);
}

/* Links the area in before the first one that lies above it. */
static void vma_insert(struct mm *mm, struct vma *vma)
{
	struct vma *above = vma_find(mm, vma->start);

	list_add_tail(above ? &above->link : &mm->vmas, &vma->link);
	mm->hint = vma;
}

struct vma *vma_new(struct mm *mm, uint64_t start, uint64_t end, uint32_t prot, uint32_t flags,
		    struct file *file, uint64_t pgoff)
{
	struct vma *vma = kalloc(sizeof(*vma));

	if (!vma)
		return NULL;
	vma->mm = mm;
	vma->start = start;
	vma->end = end;
	vma->prot = prot;
	vma->flags = flags;
	vma->file = file;
	vma->pgoff = pgoff;
	if (file)
		file_get(file);
	vma_insert(mm, vma);
	return vma;
}

int vma_add(struct mm *mm, uint64_t start, uint64_t end, uint32_t prot, uint32_t flags,
	    struct file *file, uint64_t pgoff)
{
	struct vma *there = vma_find(mm, start);

	if (start >= end || end > USER_END)
		return -ENOMEM;
	if (there && there->start < end)
		return -EEXIST;
	return vma_new(mm, start, end, prot, flags, file, pgoff) ? 0 : -ENOMEM;
}

/* Takes the area out and frees it; its pages are gone already. */
void vma_free(struct vma *vma)
{
	if (vma->mm->hint == vma)
		vma->mm->hint = NULL;
	list_remove(&vma->link);
	if (vma->ops && vma->ops->close)
		vma->ops->close(vma);
	if (vma->file)
		file_put(vma->file);
	kfree(vma);
}

struct vma *vma_copy(struct vma *vma, struct mm *mm)
{
	struct vma *copy =
	    vma_new(mm, vma->start, vma->end, vma->prot, vma->flags, vma->file, vma->pgoff);

	if (!copy)
		return NULL;
	copy->ops = vma->ops;
	copy->priv = vma->priv;
	if (copy->ops && copy->ops->open)
		copy->ops->open(copy);
	return copy;
}

/* Cuts an area in two at `at`: 0, -EINVAL (its owner forbids it) or -ENOMEM. */
static int vma_split(struct vma *vma, uint64_t at)
{
	struct vma *upper;

	if (at <= vma->start || at >= vma->end)
		return 0;
	if (vma->ops && vma->ops->no_split)
		return -EINVAL;
	upper = kalloc(sizeof(*upper));
	if (!upper)
		return -ENOMEM;
	*upper = *vma;
	upper->start = at;
	upper->pgoff += (at - vma->start) / PAGE_SIZE;
	if (upper->file)
		file_get(upper->file);
	vma->end = at;
	list_add_head(&vma->link, &upper->link);
	if (upper->ops && upper->ops->open)
		upper->ops->open(upper);
	return 0;
}

int vma_isolate(struct mm *mm, uint64_t start, uint64_t end)
{
	struct vma *vma = vma_find(mm, start);
	int err = vma ? vma_split(vma, start) : 0;

	if (err)
		return err;
	vma = vma_find(mm, end - 1);
	return vma ? vma_split(vma, end) : 0;
}

static bool vma_can_merge(const struct vma *low, const struct vma *high)
{
	if (low->end != high->start || low->prot != high->prot || low->flags != high->flags ||
	    low->file != high->file || low->ops || high->ops)
		return false;
	return !low->file || low->pgoff + (low->end - low->start) / PAGE_SIZE == high->pgoff;
}

void vma_merge(struct mm *mm, uint64_t start, uint64_t end)
{
	struct vma *vma = vma_find(mm, start), *prev;

	if (!vma)
		return;
	prev = vma_prev(vma);
	if (prev)
		vma = prev;
	while (vma && vma->start <= end) {
		struct vma *next = vma_next(vma);

		if (next && vma_can_merge(vma, next)) {
			vma->end = next->end;
			vma_free(next);
		} else {
			vma = next;
		}
	}
}

uint64_t vma_gap(struct mm *mm, uint64_t length)
{
	uint64_t top = VM_MMAP_TOP;
	struct vma *vma;

	for (struct list *link = mm->vmas.prev; link != &mm->vmas; link = link->prev) {
		vma = container_of(link, struct vma, link);
		if (vma->start >= top)
			continue;
		if (vma->end <= top && top - vma->end >= length)
			break;
		top = vma->start;
	}
	return top >= length && top - length >= VM_LOWEST ? top - length : 0;
}

const char *vma_name(const struct vma *vma, char *buffer, uint64_t size)
{
	if (vma->file && vma->file->inode)
		return inode_path(vma->file->inode, buffer, size);
	if (vma->file)
		return "anon_inode:[perf_event]";
	if (vma->flags & VMA_HEAP)
		return "[heap]";
	if (vma->flags & VMA_STACK)
		return "[stack]";
	return "//anon";
}

void vma_inode(const struct vma *vma, uint32_t *major, uint32_t *minor, uint64_t *ino,
	       uint64_t *generation)
{
	const struct inode *inode = vma->file ? vma->file->inode : NULL;

	*major = 0;
	*minor = inode ? FILE_SYSTEM_MINOR : 0;
	*ino = inode ? inode->ino : 0;
	*generation = 0;
}
