/* SPDX-License-Identifier: BSD-2-Clause */
/* Files without a place in the tree, and their seals: memfd_create(2), fcntl(2). */
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/memfd.h>
#include <linux/mman.h>
#include <linux/stat.h>
#include "api/calls.h"
#include "api/memory/memfd.h"
#include "kernel/base/string.h"
#include "kernel/file/descriptor_table.h"
#include "kernel/file/file.h"
#include "kernel/fs/inode.h"
#include "kernel/fs/regular.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/task/task.h"
#include "kernel/vm/vm.h"

#define NAME_PREFIX "memfd:"
#define NAME_ROOM   (NAME_LONGEST - sizeof(NAME_PREFIX) + 2) /* with the NUL */
#define SEALS_ALL   (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_FUTURE_WRITE)

/* Opens an unnamed file shown as `label` (allocated; takes ownership). Returns 0 or -ENOMEM. */
static int open_nameless(char *label, bool sealable, struct file **file)
{
	struct inode *inode = inode_new(S_IFREG | 0777);
	int err;

	if (!inode)
		return -ENOMEM;
	inode->label = label;
	inode->seals = sealable ? 0 : F_SEAL_SEAL;
	err = inode_open(inode, NULL, O_RDWR | O_LARGEFILE, file);
	if (err)
		inode->label = NULL;
	inode_put(inode);
	return err;
}

long sys_memfd_create(uint64_t name, uint64_t flags)
{
	struct file *file;
	char *label;
	long length, err;

	if (flags & ~(uint64_t)(MFD_CLOEXEC | MFD_ALLOW_SEALING))
		return -EINVAL;
	label = kalloc(NAME_LONGEST + 1);
	if (!label)
		return -ENOMEM;
	memcpy(label, NAME_PREFIX, sizeof(NAME_PREFIX));
	length = copy_string_from_user(label + sizeof(NAME_PREFIX) - 1, name, NAME_ROOM);
	err = length == -ENAMETOOLONG ? -EINVAL : length < 0 ? length : 0;
	if (!err)
		err = open_nameless(label, flags & MFD_ALLOW_SEALING, &file);
	if (err) {
		kfree(label);
		return err;
	}
	err = fd_install(file, 0, !!(flags & MFD_CLOEXEC));
	if (err < 0)
		file_put(file);
	return err;
}

/* True if there is a writable shared mapping of the file. */
static bool is_mapped_writable(const struct inode *inode)
{
	struct task *task;
	struct vma *vma;

	list_for_each(task, &all_tasks, task_link) {
		if (!task->mm)
			continue;
		list_for_each(vma, &task->mm->vmas, link)
			if (vma->file && vma->file->inode == inode && vma->flags & MAP_SHARED &&
			    !(vma->flags & VMA_SEALED) && (vma->file->flags & O_ACCMODE) == O_RDWR)
				return true;
	}
	return false;
}

long file_seals(struct file *file, bool add, uint64_t seals)
{
	struct inode *inode = file->inode;

	if (!inode || !inode->label)
		return -EINVAL;
	if (!add)
		return (long)inode->seals;
	if (!file_writes(file))
		return -EPERM;
	if (seals & ~(uint64_t)SEALS_ALL)
		return -EINVAL;
	if (inode->seals & F_SEAL_SEAL)
		return -EPERM;
	if (seals & F_SEAL_WRITE && !(inode->seals & F_SEAL_WRITE) && is_mapped_writable(inode))
		return -EBUSY;
	inode->seals |= (uint32_t)seals;
	return 0;
}
