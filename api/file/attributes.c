/* SPDX-License-Identifier: BSD-2-Clause */
/* Extended attributes, which no file has: setxattr(2) and its relatives check their file and
 * fail. */
#include <linux/errno.h>
#include <linux/fcntl.h>
#include "api/calls.h"
#include "api/file/paths.h"
#include "kernel/file/descriptor_table.h"
#include "kernel/fs/permission.h"

/* Consumes the reference. */
static long refuse(struct inode *inode, bool change)
{
	long err = change && inode_reads_only(inode) ? -EROFS : -EOPNOTSUPP;

	inode_put(inode);
	return err;
}

static long refuse_path(uint64_t path, unsigned flags, bool change)
{
	struct inode *inode;
	int err = user_lookup((uint64_t)AT_FDCWD, path, flags, &inode);

	return err ? err : refuse(inode, change);
}

long sys_no_attributes(uint64_t path)
{
	return refuse_path(path, 0, false);
}

long sys_no_attributes_of_link(uint64_t path)
{
	return refuse_path(path, LOOKUP_NOFOLLOW, false);
}

long sys_no_new_attributes(uint64_t path)
{
	return refuse_path(path, 0, true);
}

long sys_no_new_attributes_of_link(uint64_t path)
{
	return refuse_path(path, LOOKUP_NOFOLLOW, true);
}

long sys_no_attributes_of_file(uint64_t fd)
{
	struct file *file = fd_get_open((int)fd);

	if (!file)
		return -EBADF;
	file_put(file);
	return -EOPNOTSUPP;
}
