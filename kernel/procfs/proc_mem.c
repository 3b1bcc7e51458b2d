/* SPDX-License-Identifier: BSD-2-Clause */
/* /proc/PID/mem, the memory of a process as a file, and pagemap, the state of its pages:
 * proc(5). */
#include <linux/capability.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/mman.h>
#include <linux/stat.h>
#include "kernel/file/file.h"
#include "kernel/fs/inode.h"
#include "kernel/fs/permission.h"
#include "kernel/fs/ramfile.h"
#include "kernel/mem/huge.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/procfs/proc.h"
#include "kernel/procfs/proc_smaps.h"
#include "kernel/signal/signal.h"
#include "kernel/task/membership/cred.h"
#include "kernel/vm/foreign.h"
#include "kernel/vm/huge_area.h"
#include "kernel/vm/vm.h"

/* An open file: refers to the address space that the task had at open, by a unique number. */
struct opened {
	struct task *task; /* referenced */
	uint64_t serial;   /* of its mm; 0: it had none */
	bool frames;       /* the opener may see physical addresses */
};

/* Returns the memory, referenced; NULL: it was freed, and the file is empty. */
static struct mm *memory_of(const struct file *file)
{
	const struct opened *opened = file->priv;
	struct mm *mm = opened->task->mm;

	if (!mm || mm->serial != opened->serial)
		return NULL;
	mm_get(mm);
	return mm;
}

/* Copies one piece within a page, through `bounce`. Returns 0, -EIO or -EFAULT. */
static int move(struct mm *mm, bool write, uint64_t at, uint64_t user, size_t bytes, char *bounce)
{
	unsigned how = FOREIGN_FORCE | (write ? FOREIGN_WRITE : 0);

	if (write && copy_from_user(bounce, user, bytes))
		return -EFAULT;
	if (foreign_copy(mm, at, bounce, bytes, how) != bytes)
		return -EIO;
	return write ? 0 : copy_to_user(user, bounce, bytes);
}

static long transfer(struct file *file, bool write, uint64_t user, size_t bytes, uint64_t *offset)
{
	struct mm *mm = memory_of(file);
	char *bounce = mm ? page_alloc_dirty() : NULL;
	size_t done = 0;
	int err = 0;

	if (!mm)
		return 0;
	if (!bounce)
		err = -ENOMEM;
	while (!err && done < bytes && !signal_pending(current_task())) {
		size_t room = PAGE_SIZE - *offset % PAGE_SIZE,
		       piece = bytes - done < room ? bytes - done : room;

		err = move(mm, write, *offset, user + done, piece, bounce);
		if (err)
			break;
		done += piece;
		*offset += piece;
	}
	if (bounce)
		page_put(bounce);
	mm_put(mm);
	return done ? (long)done : err;
}

static long mem_read(struct file *file, uint64_t buffer, size_t bytes, uint64_t *offset)
{
	return transfer(file, false, buffer, bytes, offset);
}

static long mem_write(struct file *file, uint64_t buffer, size_t bytes, uint64_t *offset)
{
	return transfer(file, true, buffer, bytes, offset);
}

/* Offsets are addresses. */
static long mem_seek(struct file *file, int64_t offset, int whence)
{
	if (whence != SEEK_SET && whence != SEEK_CUR)
		return -EINVAL;
	file->offset = (uint64_t)offset + (whence == SEEK_CUR ? file->offset : 0);
	return (long)file->offset;
}

static void mem_release(struct file *file)
{
	struct opened *opened = file->priv;

	if (!opened)
		return;
	task_put(opened->task);
	kfree(opened);
}

static const struct file_ops mem_ops = {.read = mem_read,
					.write = mem_write,
					.in_pieces = true,
					.seek = mem_seek,
					.release = mem_release};

/* An entry of pagemap. There is no swap. All pages count as soft-dirty, as on Linux before the bits
 * are first cleared. */
#define PAGEMAP_FRAME     ((1ul << 55) - 1)
#define PAGEMAP_DIRTY     (1ul << 55)
#define PAGEMAP_EXCLUSIVE (1ul << 56) /* mapped here alone */
#define PAGEMAP_FILE      (1ul << 61) /* of a file, or shared */
#define PAGEMAP_PRESENT   (1ul << 63)
#define ENTRY_BYTES       sizeof(uint64_t)
#define PIECE             64 /* entries that are copied at once */

bool proc_page_is_files(const struct vma *vma, uint64_t addr, const struct paging_entry *entry)
{
	uint64_t index = vma->pgoff + (addr - vma->start) / PAGE_SIZE;
	struct inode *inode = vma->file ? vma->file->inode : NULL;
	void *page;

	if (vma->flags & MAP_SHARED || (vma->ops && !(vma->flags & VMA_HUGE)))
		return true;
	if (!inode || vma->flags & VMA_ZEROS || entry->prot & PAGING_WRITE ||
	    index >= (inode->size + PAGE_SIZE - 1) / PAGE_SIZE)
		return false;
	page = inode_page(inode, index);
	if (page)
		page_put(page);
	return page && page_phys(page) == entry->phys;
}

unsigned proc_page_references(const struct vma *vma, uint64_t phys)
{
	if (vma->flags & VMA_HUGE)
		return huge_refs(phys_virt(phys & -huge_bytes_of(vma)));
	return vma->ops ? 0 : page_refs(phys_virt(phys));
}

static uint64_t describe(struct mm *mm, uint64_t addr, bool frames)
{
	const struct vma *vma = vma_find(mm, addr);
	struct paging_entry entry;
	uint64_t value = PAGEMAP_DIRTY;
	bool files;

	if (!vma || addr < vma->start)
		return 0;
	if (!paging_query(mm->root_phys, addr, &entry))
		return value;
	value |= PAGEMAP_PRESENT;
	files = proc_page_is_files(vma, addr, &entry);
	if (files)
		value |= PAGEMAP_FILE;
	/* The file's own reference is one of the two. */
	if (proc_page_references(vma, entry.phys) == (files ? 2 : 1))
		value |= PAGEMAP_EXCLUSIVE;
	return frames ? value | (entry.phys / PAGE_SIZE & PAGEMAP_FRAME) : value;
}

/* Describes the entries from number `first` on, as far as they exist and fit; returns how many. */
static unsigned describe_some(struct mm *mm, uint64_t first, uint64_t wanted, bool frames,
			      uint64_t entries[PIECE])
{
	unsigned count = 0;

	while (count < PIECE && count < wanted && first + count < USER_END / PAGE_SIZE) {
		entries[count] = describe(mm, (first + count) * PAGE_SIZE, frames);
		count++;
	}
	return count;
}

/* Offset and length must be multiples of the entry size. */
static long pagemap_read(struct file *file, uint64_t user, size_t bytes, uint64_t *offset)
{
	const struct opened *opened = file->priv;
	uint64_t entries[PIECE], first = *offset / ENTRY_BYTES, done = 0;
	struct mm *mm;
	int err = 0;

	if (*offset % ENTRY_BYTES || bytes % ENTRY_BYTES)
		return -EINVAL;
	mm = memory_of(file);
	while (mm && done < bytes / ENTRY_BYTES && !signal_pending(current_task())) {
		unsigned count = describe_some(mm, first + done, bytes / ENTRY_BYTES - done,
					       opened->frames, entries);

		err = copy_to_user(user + done * ENTRY_BYTES, entries, count * ENTRY_BYTES);
		if (err || !count)
			break;
		done += count;
	}
	if (mm)
		mm_put(mm);
	if (err)
		return -EFAULT;
	*offset += done * ENTRY_BYTES;
	return (long)(done * ENTRY_BYTES);
}

static const struct file_ops pagemap_ops = {
    .read = pagemap_read, .in_pieces = true, .seek = mem_seek, .release = mem_release};

/* Stores the task, whose reference it takes; `permitted`: the caller may inspect it. */
static int keep(struct file *file, struct task *task, bool permitted)
{
	struct opened *opened = permitted ? kalloc(sizeof(*opened)) : NULL;

	if (!opened) {
		task_put(task);
		return permitted ? -ENOMEM : -EACCES;
	}
	opened->task = task;
	opened->serial = task->mm ? task->mm->serial : 0;
	opened->frames = capable(CAP_SYS_ADMIN);
	file->priv = opened;
	return 0;
}

static int mem_open(struct inode *inode, struct file *file)
{
	struct task *task = proc_task(inode->priv);

	if (!task)
		return -ESRCH;
	if (!task->mm) {
		task_put(task);
		return -EINVAL;
	}
	return keep(file, task, may_inspect(task, true));
}

static int pagemap_open(struct inode *inode, struct file *file)
{
	struct task *task = proc_task(inode->priv);

	return task ? keep(file, task, may_inspect(task, true)) : -ESRCH;
}

static const struct inode_ops mem_inode_ops = {.open = mem_open};

static const struct inode_ops pagemap_inode_ops = {.open = pagemap_open};

struct inode *proc_mem_inode(uint64_t id, bool pagemap)
{
	struct inode *inode = inode_new(S_IFREG | (pagemap ? 0400 : 0600));

	if (!inode)
		return NULL;
	inode->ops = pagemap ? &pagemap_inode_ops : &mem_inode_ops;
	inode->fops = pagemap ? &pagemap_ops : &mem_ops;
	inode->priv = id;
	return inode;
}
