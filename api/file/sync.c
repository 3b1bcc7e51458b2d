/* SPDX-License-Identifier: BSD-2-Clause */
/* Files and their storage: fsync(2), readahead(2), sync_file_range(2). All files are in memory. */
#include <linux/errno.h>
#include <linux/stat.h>
#include "api/calls.h"
#include "kernel/file/descriptor_table.h"
#include "kernel/file/file.h"
#include "kernel/fs/inode.h"

long sys_fsync(uint64_t fd)
{
	struct file *file = fd_get_open((int)fd);
	int err;

	if (!file)
		return -EBADF;
	err =
	    file->inode && (S_ISREG(file->inode->mode) || S_ISDIR(file->inode->mode)) ? 0 : -EINVAL;
	file_put(file);
	return err;
}

long sys_readahead(uint64_t fd)
{
	struct file *file = fd_get_open((int)fd);
	bool readable, regular;

	if (!file)
		return -EBADF;
	readable = file_reads(file);
	regular = file->inode && S_ISREG(file->inode->mode);
	file_put(file);
	return !readable ? -EBADF : regular ? 0 : -EINVAL;
}

long sys_sync_file_range(uint64_t fd, uint64_t offset, uint64_t bytes, uint64_t flags)
{
	const uint64_t known = 7; /* SYNC_FILE_RANGE_* */
	struct file *file = fd_get_open((int)fd);
	bool seekable;

	if (!file)
		return -EBADF;
	seekable = file->inode && (S_ISREG(file->inode->mode) || S_ISDIR(file->inode->mode));
	file_put(file);
	if (flags & ~known || (int64_t)offset < 0 || (int64_t)(offset + bytes) < (int64_t)offset)
		return -EINVAL;
	return seekable ? 0 : -ESPIPE;
}

long sys_sync(void)
{
	return 0;
}
