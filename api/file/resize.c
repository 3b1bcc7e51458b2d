/* SPDX-License-Identifier: BSD-2-Clause */
/* Sizes of files: truncate(2), fallocate(2). */
#include <linux/errno.h>
#include <linux/falloc.h>
#include <linux/fcntl.h>
#include <linux/inotify.h>
#include <linux/stat.h>
#include "api/calls.h"
#include "api/file/paths.h"
#include "kernel/file/descriptor_table.h"
#include "kernel/file/file.h"
#include "kernel/fs/inotify.h"
#include "kernel/fs/permission.h"
#include "kernel/fs/ramfile.h"
#include "kernel/fs/regular.h"
#include "kernel/mem/memory.h"
#include "kernel/task/sched.h"
#include "kernel/time/clock.h"

static int resize(struct inode *inode, int64_t size)
{
	int err;

	if (size < 0)
		return -EINVAL;
	if (S_ISDIR(inode->mode))
		return -EISDIR;
	if (!S_ISREG(inode->mode) || inode->ops)
		return -EINVAL;
	if (inode->executors)
		return -ETXTBSY;
	if ((uint64_t)size > inode->size) {
		err = file_size_permitted((uint64_t)size);
		if (err)
			return err;
	}
	if ((inode->seals & F_SEAL_SHRINK && (uint64_t)size < inode->size) ||
	    (inode->seals & F_SEAL_GROW && (uint64_t)size > inode->size))
		return -EPERM;
	if ((uint64_t)size < inode->size)
		inode_cut_hook(inode, ((uint64_t)size + PAGE_SIZE - 1) / PAGE_SIZE);
	err = inode_resize(inode, (uint64_t)size);
	if (err)
		return err;
	inode->mtime_ns = inode->ctime_ns = clock_real_ns();
	inotify_notify(inode, inode->name, IN_MODIFY);
	return 0;
}

long sys_truncate(uint64_t path, uint64_t size)
{
	struct inode *inode;
	int err = user_lookup((uint64_t)AT_FDCWD, path, 0, &inode);

	if (err)
		return err;
	if (S_ISREG(inode->mode) && (int64_t)size >= 0)
		err = inode_permission(inode, MAY_WRITE);
	if (!err)
		err = resize(inode, (int64_t)size);
	inode_put(inode);
	return err;
}

long sys_ftruncate(uint64_t fd, uint64_t size)
{
	struct file *file = fd_get((int)fd);
	int err;

	if (!file)
		return -EBADF;
	if (file->flags & O_PATH)
		err = -EBADF;
	else if (!file->inode || !file_writes(file) || S_ISDIR(file->inode->mode))
		err = -EINVAL;
	else
		err = resize(file->inode, (int64_t)size);
	file_put(file);
	return err;
}

#define PUNCH_PAGES 2048 /* without a pause */

/* Zeroes a range of a file, up to its end; other tasks run in between. Returns 0, -EPERM, -ENOMEM,
 * or -EINTR if the process ends. */
static int punch_hole(struct inode *inode, uint64_t offset, uint64_t end)
{
	int err = 0;

	if (inode->seals & (F_SEAL_WRITE | F_SEAL_FUTURE_WRITE))
		return -EPERM;
	for (unsigned pages = 1; offset < end && offset < inode->size && !err; pages++) {
		uint64_t start = offset % PAGE_SIZE, room = PAGE_SIZE - start;
		uint64_t bytes = end - offset < room ? end - offset : room;

		err = inode_zero(inode, offset / PAGE_SIZE, start, bytes);
		offset += bytes;
		if (!err && pages % PUNCH_PAGES == 0 && !sched_pause())
			err = -EINTR;
	}
	return err;
}

/* fallocate: extends files; pages are allocated when they are written. */
long sys_fallocate(uint64_t fd, uint64_t mode, uint64_t offset, uint64_t length)
{
	struct file *file = fd_get((int)fd);
	uint64_t end = offset + length;
	int err = 0;

	if (!file)
		return -EBADF;
	if (!file_writes(file))
		err = -EBADF;
	else if ((int64_t)offset < 0 || (int64_t)length <= 0)
		err = -EINVAL;
	else if (mode & ~(uint64_t)(FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE) ||
		 mode == FALLOC_FL_PUNCH_HOLE)
		err = -EOPNOTSUPP;
	else if (!file->inode || !S_ISREG(file->inode->mode))
		err = -ENODEV;
	else if ((int64_t)end < 0)
		err = -EFBIG;
	else if (mode & FALLOC_FL_PUNCH_HOLE)
		err = punch_hole(file->inode, offset, end);
	else if (!mode && end > file->inode->size)
		err = resize(file->inode, (int64_t)end);
	file_put(file);
	return err;
}
