/* SPDX-License-Identifier: BSD-2-Clause */
/* /proc/PID/mem: the memory of a process as a file, for debuggers: proc(5). */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/stat.h>
#include "kernel/fs/file.h"
#include "kernel/fs/inode.h"
#include "kernel/fs/permission.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/procfs/proc.h"
#include "kernel/signal/signal.h"
#include "kernel/vm/foreign.h"
#include "kernel/vm/vm.h"

/* What was opened: the address space that the task had then. Its number is no other's. */
struct opened {
	struct task *task; /* referenced */
	uint64_t serial;   /* of its mm */
};

/* The memory, referenced; NULL: it is gone, and the file has no bytes. */
static struct mm *memory_of(const struct file *file)
{
	const struct opened *opened = file->priv;
	struct mm *mm = opened->task->mm;

	if (!mm || mm->serial != opened->serial)
		return NULL;
	mm_get(mm);
	return mm;
}

/* One piece within a page, by way of `bounce`. Returns 0, -EIO or -EFAULT. */
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

static int mem_open(struct inode *inode, struct file *file)
{
	struct task *task = proc_task(inode->priv);
	struct opened *opened;

	if (!task)
		return -ESRCH;
	opened = task->mm && may_inspect(task, true) ? kalloc(sizeof(*opened)) : NULL;
	if (!opened) {
		int err = !task->mm ? -EINVAL : may_inspect(task, true) ? -ENOMEM : -EACCES;

		task_put(task);
		return err;
	}
	opened->task = task;
	opened->serial = task->mm->serial;
	file->priv = opened;
	return 0;
}

static const struct inode_ops mem_inode_ops = {.open = mem_open};

struct inode *proc_mem_inode(uint64_t pid)
{
	struct inode *inode = inode_new(S_IFREG | 0600);

	if (!inode)
		return NULL;
	inode->ops = &mem_inode_ops;
	inode->fops = &mem_ops;
	inode->priv = pid;
	return inode;
}
