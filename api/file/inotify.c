/* SPDX-License-Identifier: BSD-2-Clause */
/* inotify(7): inotify_init1(2), inotify_add_watch(2), inotify_rm_watch(2). */
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/inotify.h>
#include <linux/stat.h>
#include "api/calls.h"
#include "api/file/paths.h"
#include "kernel/file/descriptor_table.h"
#include "kernel/file/file.h"
#include "kernel/fs/inotify.h"
#include "kernel/fs/permission.h"

#define FLAGS                                                                                    \
	(IN_ALL_EVENTS | IN_UNMOUNT | IN_Q_OVERFLOW | IN_IGNORED | IN_ONLYDIR | IN_DONT_FOLLOW | \
	 IN_EXCL_UNLINK | IN_MASK_ADD | IN_MASK_CREATE | IN_ISDIR | IN_ONESHOT)

long sys_inotify_init1(uint64_t flags)
{
	struct file *file;
	int fd;

	if ((uint32_t)flags & ~(uint32_t)(IN_CLOEXEC | IN_NONBLOCK))
		return -EINVAL;
	fd = inotify_open((uint32_t)flags & IN_NONBLOCK, &file);
	if (fd)
		return fd;
	fd = fd_install(file, 0, !!(flags & IN_CLOEXEC));
	if (fd < 0)
		file_put(file);
	return fd;
}

long sys_inotify_init(void)
{
	return sys_inotify_init1(0);
}

static int add_watch(struct file *file, uint64_t path, uint32_t mask)
{
	struct inode *inode;
	int err = mask & IN_MASK_ADD && mask & IN_MASK_CREATE ? -EINVAL : 0;

	if (!err && !inotify_is(file))
		err = -EINVAL;
	if (!err)
		err = user_lookup((uint64_t)AT_FDCWD, path,
				  mask & IN_DONT_FOLLOW ? LOOKUP_NOFOLLOW : 0, &inode);
	if (err)
		return err;
	err = mask & IN_ONLYDIR && !S_ISDIR(inode->mode) ? -ENOTDIR
							 : inode_permission(inode, MAY_READ);
	if (!err)
		err = inode_fetch(inode);
	if (!err)
		err = inotify_add(file, inode, mask);
	inode_put(inode);
	return err;
}

long sys_inotify_add_watch(uint64_t fd, uint64_t path, uint64_t mask64)
{
	uint32_t mask = (uint32_t)mask64;
	struct file *file;
	int result;

	if (mask & ~(uint32_t)FLAGS || !(mask & FLAGS))
		return -EINVAL;
	file = fd_get_open((int)fd);
	if (!file)
		return -EBADF;
	result = add_watch(file, path, mask);
	file_put(file);
	return result;
}

long sys_inotify_rm_watch(uint64_t fd, uint64_t wd)
{
	struct file *file = fd_get_open((int)fd);
	int err;

	if (!file)
		return -EBADF;
	err = inotify_is(file) ? inotify_remove(file, (int)wd) : -EINVAL;
	file_put(file);
	return err;
}
