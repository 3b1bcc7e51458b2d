/* SPDX-License-Identifier: BSD-2-Clause */
/* The areas of an address space: a tree and a list by address, split and merged as ranges
 * change. */
#include <linux/errno.h>
#include <linux/mman.h>
#include "kernel/base/assert.h"
#include "kernel/base/patched.h"
#include "kernel/base/string.h"
#include "kernel/file/file.h"
#include "kernel/fs/inode.h"
#include "kernel/fs/path.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/vm/thp.h"
#include "kernel/vm/vma.h"

static struct vma *of_node(const struct tree_node *node)
{
	return node ? container_of(node, struct vma, node) : NULL;
}

static bool before(const struct tree_node *a, const struct tree_node *b)
{
	return of_node(a)->start < of_node(b)->start;
}

/* Returns the free bytes directly below the area. */
static uint64_t gap_below(const struct vma *vma)
{
	uint64_t from = VM_LOWEST;

	if (vma->link.prev != &vma->mm->vmas)
		from = container_of(vma->link.prev, struct vma, link)->end;
	return vma->start > from ? vma->start - from : 0;
}

static uint64_t gap_most(const struct tree_node *node)
{
	return node ? of_node(node)->gap_most : 0;
}

static bool update(struct tree_node *node)
{
	uint64_t most = gap_below(of_node(node)), left = gap_most(node->left),
		 right = gap_most(node->right), old = gap_most(node);

	most = left > most ? left : most;
	most = right > most ? right : most;
	of_node(node)->gap_most = most;
	return most != old;
}

/* Returns the bytes of its kind that the area belongs to, or NULL. */
static uint64_t *kind_of(const struct vma *vma)
{
	struct area_bytes *bytes = &vma->mm->bytes;

	if (vma->flags & VMA_STACK)
		return &bytes->stack;
	if (vma->prot & PROT_WRITE)
		return vma->flags & MAP_SHARED ? NULL : &bytes->data;
	return vma->prot & PROT_EXEC ? &bytes->code : NULL;
}

/* Adds the area's bytes to the sums of its address space; `sign` -1: subtracts them. */
static void account(const struct vma *vma, int sign)
{
	uint64_t bytes = (vma->end - vma->start) * (uint64_t)sign, *kind = kind_of(vma);

	vma->mm->bytes.total += bytes;
	if (kind)
		*kind += bytes;
	if (vma->flags & VMA_LOCKED)
		vma->mm->bytes.locked += bytes;
	if (vma->flags & VMA_HUGE)
		vma->mm->bytes.huge += bytes;
}

void vma_change(struct vma *vma, uint32_t prot, uint32_t flags)
{
	account(vma, -1);
	vma->prot = prot;
	vma->flags = flags;
	account(vma, 1);
}

void vma_tree_init(struct mm *mm)
{
	list_init(&mm->vmas);
	mm->areas.before = before;
	mm->areas.update = update;
}

struct vma *vma_find(struct mm *mm, uint64_t addr)
{
	struct vma *hint = mm->hint, *found = NULL;
	const struct tree_node *node = mm->areas.root;

	if (hint && hint->start <= addr && addr < hint->end)
		return hint;
	while (node) {
		bool above = addr < of_node(node)->end;

		if (above)
			found = of_node(node);
		node = above ? node->left : node->right;
	}
	if (found)
		mm->hint = found;
	return found;
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

/* Updates the tree: the gap below the next area changed. */
static void next_changed(struct vma *vma)
{
	struct vma *next = vma_next(vma);

	if (next)
		tree_changed(&vma->mm->areas, &next->node);
}

void vma_resize(struct vma *vma, uint64_t start, uint64_t end)
{
	account(vma, -1);
	vma->start = start;
	vma->end = end;
	account(vma, 1);
	tree_changed(&vma->mm->areas, &vma->node);
	next_changed(vma);
}

/* Links the area in before the first area above it. */
static void vma_insert(struct mm *mm, struct vma *vma)
{
	struct vma *above = vma_find(mm, vma->start);

	list_add_tail(above ? &above->link : &mm->vmas, &vma->link);
	tree_insert(&mm->areas, &vma->node);
	next_changed(vma);
	mm->nr_areas++;
	mm->hint = vma;
	account(vma, 1);
}

/* Links the area in as the last one. */
static void vma_append(struct mm *mm, struct vma *vma)
{
	struct vma *last =
	    list_empty(&mm->vmas) ? NULL : container_of(mm->vmas.prev, struct vma, link);

	list_add_tail(&mm->vmas, &vma->link);
	tree_append(&mm->areas, last ? &last->node : NULL, &vma->node);
	mm->nr_areas++;
	account(vma, 1);
}

struct vma *vma_new(struct mm *mm, uint64_t start, uint64_t end, uint32_t prot, uint32_t flags,
		    struct file *file, uint64_t pgoff)
{
	struct vma *vma = mm->nr_areas < VM_AREAS_MAX ? kalloc(sizeof(*vma)) : NULL;

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
	if (file)
		file->inode->mapped = true;
	return vma_new(mm, start, end, prot, flags, file, pgoff) ? 0 : -ENOMEM;
}

void vma_release(struct vma *vma)
{
	KASSERT(vma->mm->nr_areas > 0);
	vma->mm->nr_areas--;
	list_remove(&vma->link);
	account(vma, -1);
	if (vma->ops && vma->ops->close)
		vma->ops->close(vma);
	if (vma->file)
		file_put(vma->file);
	kfree(vma);
}

void vma_free(struct vma *vma)
{
	struct mm *mm = vma->mm;
	struct vma *next = vma_next(vma);

	if (mm->hint == vma)
		mm->hint = NULL;
	tree_remove(&mm->areas, &vma->node);
	vma_release(vma);
	if (next)
		tree_changed(&mm->areas, &next->node);
}

struct vma *vma_copy(const struct vma *vma, struct mm *mm)
{
	struct vma *copy = kalloc(sizeof(*copy));

	if (!copy)
		return NULL;
	*copy = *vma;
	copy->mm = mm;
	copy->flags &= ~VMA_LOCKED;
	if (copy->file)
		file_get(copy->file);
	vma_append(mm, copy);
	if (copy->ops && copy->ops->open)
		copy->ops->open(copy);
	return copy;
}

/* Splits an area at `at`: 0, -EINVAL (its owner forbids it) or -ENOMEM. */
static int vma_split(struct vma *vma, uint64_t at)
{
	struct vma *upper;

	if (at <= vma->start || at >= vma->end)
		return 0;
	if (vma->ops && (vma->ops->no_split || at & vma->ops->split_mask))
		return -EINVAL;
	upper = vma->mm->nr_areas < VM_AREAS_MAX ? kalloc(sizeof(*upper)) : NULL;
	if (!upper)
		return -ENOMEM;
	if (!vma->ops)
		thp_split_at(vma->mm, at);
	*upper = *vma;
	upper->start = at;
	upper->pgoff += (at - vma->start) / PAGE_SIZE;
	if (upper->file)
		file_get(upper->file);
	account(vma, -1);
	vma->end = at;
	account(vma, 1);
	vma_insert(vma->mm, upper);
	if (upper->ops && upper->ops->open)
		upper->ops->open(upper);
	if (upper->ops && upper->ops->split)
		upper->ops->split(vma, upper);
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
	if (low->policy.mode != high->policy.mode || low->policy.nodes != high->policy.nodes)
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
			uint64_t joined_end = next->end;

			vma_free(next);
			vma_resize(vma, vma->start, joined_end);
		} else {
			vma = next;
		}
	}
}

/* Returns the highest area in the subtree that starts below `limit` and has `length` free bytes
 * below it, or NULL. */
static struct vma *last_with_gap(const struct tree_node *node, uint64_t limit, uint64_t length)
{
	while (node && gap_most(node) >= length) {
		struct vma *vma = of_node(node), *found;

		if (vma->start < limit) {
			found = last_with_gap(node->right, limit, length);
			if (found)
				return found;
			if (gap_below(vma) >= length)
				return vma;
		}
		node = node->left;
	}
	return NULL;
}

PATCHED_FUNCTION uint64_t vma_gap(struct mm *mm, uint64_t length, uint64_t top)
{
	struct vma *above = vma_find(mm, top), *below;
	uint64_t end = VM_LOWEST;

	/* First the area that crosses or touches the top. */
	if (above && above->start < top)
		top = above->start;
	below = above ? vma_prev(above) : NULL;
	if (!above && !list_empty(&mm->vmas))
		below = container_of(mm->vmas.prev, struct vma, link);
	if (below)
		end = below->end;
	if (top >= end && top - end >= length)
		return top - length;
	below = last_with_gap(mm->areas.root, top, length);
	return below ? below->start - length : 0;
}

const char *vma_name(const struct vma *vma, char *buffer, uint64_t size)
{
	if (vma->flags & (VMA_VDSO | VMA_VVAR))
		return vma->flags & VMA_VDSO ? "[vdso]" : "[vvar]";
	if (vma->file && vma->file->inode)
		return inode_path(vma->file->inode, vma->file->name, buffer, size);
	if (vma->file)
		return "anon_inode:[perf_event]";
	if (vma->flags & VMA_HEAP)
		return "[heap]";
	if (vma->flags & VMA_STACK)
		return "[stack]";
	return vma->ops && vma->ops->name ? vma->ops->name : "//anon";
}

void vma_inode(const struct vma *vma, uint32_t *major, uint32_t *minor, uint64_t *ino,
	       uint64_t *generation)
{
	bool special = vma->flags & (VMA_VDSO | VMA_VVAR);
	const struct inode *inode = vma->file && !special ? vma->file->inode : NULL;

	*major = 0;
	*minor = inode ? FILE_SYSTEM_MINOR : 0;
	*ino = inode ? inode->ino : 0;
	*generation = 0;
}
