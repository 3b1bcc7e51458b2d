/* SPDX-License-Identifier: BSD-2-Clause */
/* Paths from ring 3. */
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/stat.h>
#include "api/file/paths.h"
#include "kernel/file/descriptor_table.h"
#include "kernel/file/file.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"

/* Returns the directory of a descriptor, with a reference; NULL for AT_FDCWD. */
static int base_of(int dirfd, struct inode **base)
{
	struct file *file;

	*base = NULL;
	if (dirfd == AT_FDCWD)
		return 0;
	file = fd_get(dirfd);
	if (!file)
		return -EBADF;
	if (!file->inode || !S_ISDIR(file->inode->mode)) {
		file_put(file);
		return -ENOTDIR;
	}
	*base = file->inode;
	inode_get(*base);
	file_put(file);
	return 0;
}

int user_path_get(struct user_path *user, uint64_t dirfd, uint64_t path, bool rooted)
{
	long length;
	int err = 0;

	user->base = NULL;
	user->path = page_alloc_dirty();
	if (!user->path)
		return -ENOMEM;
	length = copy_string_from_user(user->path, path, PATH_SIZE);
	if (length < 0)
		err = (int)length;
	else if (!user->path[0])
		err = -ENOENT;
	else if (user->path[0] != '/' || rooted)
		err = base_of((int)dirfd, &user->base);
	if (err)
		page_put(user->path);
	return err;
}

void user_path_put(struct user_path *user)
{
	if (user->base)
		inode_put(user->base);
	page_put(user->path);
}

static int look_up(uint64_t dirfd, uint64_t path, unsigned flags, struct inode **inode,
		   struct dirent **name)
{
	struct user_path user;
	int err = user_path_get(&user, dirfd, path, false);

	if (err)
		return err;
	err = path_lookup_name(user.base, user.path, flags, inode, name);
	user_path_put(&user);
	return err;
}

int user_lookup(uint64_t dirfd, uint64_t path, unsigned flags, struct inode **inode)
{
	struct dirent *name;
	int err = look_up(dirfd, path, flags, inode, &name);

	if (!err)
		name_put(name);
	return err;
}

/* Returns the inode of an open file, for calls with an empty path. */
static int inode_of_fd(int fd, struct inode **inode, struct dirent **name)
{
	struct file *file = fd == AT_FDCWD ? NULL : fd_get(fd);

	if (fd == AT_FDCWD)
		return path_lookup_name(NULL, ".", 0, inode, name);
	if (!file)
		return -EBADF;
	*inode = file->inode ? file->inode : anonymous_inode();
	inode_get(*inode);
	*name = file->name;
	name_get(*name);
	file_put(file);
	return 0;
}

int user_lookup_name(uint64_t dirfd, uint64_t path, unsigned at_flags, struct inode **inode,
		     struct dirent **name)
{
	unsigned flags = at_flags & AT_SYMLINK_NOFOLLOW ? LOOKUP_NOFOLLOW : 0;
	char first;

	if (at_flags & AT_EMPTY_PATH) {
		if (copy_from_user(&first, path, 1))
			return -EFAULT;
		if (!first)
			return inode_of_fd((int)dirfd, inode, name);
	}
	return look_up(dirfd, path, flags, inode, name);
}

int user_lookup_at(uint64_t dirfd, uint64_t path, unsigned at_flags, struct inode **inode)
{
	struct dirent *name;
	int err = user_lookup_name(dirfd, path, at_flags, inode, &name);

	if (!err)
		name_put(name);
	return err;
}

int user_parent(uint64_t dirfd, uint64_t path, struct path_end *end)
{
	struct user_path user;
	int err = user_path_get(&user, dirfd, path, false);

	if (err)
		return err;
	err = path_parent(user.base, user.path, 0, end);
	user_path_put(&user);
	return err;
}
