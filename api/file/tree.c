/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes of the file tree: mkdir(2), unlink(2), rename(2), link(2), symlink(2), chdir(2). */
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/fs.h>
#include <linux/inotify.h>
#include <linux/stat.h>
#include "api/calls.h"
#include "api/file/paths.h"
#include "kernel/base/string.h"
#include "kernel/file/descriptor_table.h"
#include "kernel/fs/inotify.h"
#include "kernel/fs/mount.h"
#include "kernel/fs/path.h"
#include "kernel/fs/permission.h"
#include "kernel/fs/ramfile.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/task/task.h"

/* Checks that an entry with this last name can be made or removed: 0, -EPERM, or `dots` for "", "."
 * and "..". */
static int check_last(const struct path_end *end, int dots)
{
	if (!end->length || (end->length == 1 && end->name[0] == '.') ||
	    (end->length == 2 && end->name[0] == '.' && end->name[1] == '.'))
		return dots;
	return end->dir->ops && !end->dir->ops->adopt ? -EPERM : 0;
}

/* Checks that the directory's file system accepts the inode. */
static int dir_adopt(const struct path_end *end, struct inode *inode)
{
	const struct inode_ops *ops = end->dir->ops;

	return ops ? ops->adopt(end->dir, end->name, inode) : 0;
}

/* Returns IN_ISDIR for the event of a directory in another. */
static uint32_t dir_bit(const struct inode *inode)
{
	return S_ISDIR(inode->mode) ? IN_ISDIR : 0;
}

int entry_add(const struct path_end *end, struct inode *inode, bool is_new)
{
	int err = check_last(end, -EEXIST);

	if (!err && end->must_be_dir && !S_ISDIR(inode->mode))
		err = dir_find(end->dir, end->name, end->length) ? -EEXIST : -ENOENT;
	if (!err && dir_find(end->dir, end->name, end->length))
		err = -EEXIST;
	if (!err)
		err = dir_permission(end->dir, NULL);
	if (!err && !is_new && !inode->nlink)
		err = -ENOENT; /* its last name went during the walk to this one */
	if (!err && is_new)
		inode_take(inode, end->dir);
	if (!err)
		err = dir_adopt(end, inode);
	if (!err)
		err = dir_link(end->dir, end->name, end->length, inode);
	if (!err && !is_new)
		inotify_notify_self(inode, IN_ATTRIB);
	if (!err)
		inotify_notify_entry(end->dir, end->name, end->length, IN_CREATE | dir_bit(inode),
				     0);
	return err;
}

/* Adds an inode (consumes its reference) at the path; a new one gets the caller's owner. */
static int add_entry(uint64_t dirfd, uint64_t path, struct inode *inode, bool is_new)
{
	struct path_end end;
	int err;

	if (!inode)
		return -ENOMEM;
	err = user_parent(dirfd, path, &end);
	if (!err) {
		err = entry_add(&end, inode, is_new);
		path_end_put(&end);
	}
	inode_put(inode);
	return err;
}

uint32_t mode_masked(uint64_t mode)
{
	return (uint32_t)mode & 07777 & ~current_task()->cwd->umask;
}

long sys_mkdirat(uint64_t dirfd, uint64_t path, uint64_t mode)
{
	return add_entry(dirfd, path, inode_new(S_IFDIR | mode_masked(mode & 01777)), true);
}

long sys_mkdir(uint64_t path, uint64_t mode)
{
	return sys_mkdirat((uint64_t)AT_FDCWD, path, mode);
}

long sys_mknodat(uint64_t dirfd, uint64_t path, uint64_t mode)
{
	uint32_t type = (uint32_t)mode & S_IFMT;

	if (type && type != S_IFREG && type != S_IFIFO && type != S_IFSOCK)
		return type == S_IFDIR ? -EPERM : -EINVAL;
	return add_entry(dirfd, path, inode_new((type ? type : S_IFREG) | mode_masked(mode)), true);
}

long sys_mknod(uint64_t path, uint64_t mode)
{
	return sys_mknodat((uint64_t)AT_FDCWD, path, mode);
}

long sys_symlinkat(uint64_t target, uint64_t dirfd, uint64_t path)
{
	struct inode *inode = inode_new(S_IFLNK | 0777);
	char *page = inode ? inode_page(inode, 0) : NULL;
	long length;

	if (!page) {
		if (inode)
			inode_put(inode);
		return -ENOMEM;
	}
	page_put(page); /* the inode keeps it */
	length = copy_string_from_user(page, target, PATH_SIZE);
	if (length <= 0) {
		inode_put(inode);
		return length ? length : -ENOENT;
	}
	inode->archive = (const uint8_t *)page;
	inode->size = inode->archive_bytes = (uint64_t)length;
	return add_entry(dirfd, path, inode, true);
}

long sys_symlink(uint64_t target, uint64_t path)
{
	return sys_symlinkat(target, (uint64_t)AT_FDCWD, path);
}

long sys_linkat(uint64_t old_dirfd, uint64_t old_path, uint64_t new_dirfd, uint64_t new_path,
		uint64_t flags)
{
	struct inode *inode;
	int err;

	if (flags & ~(uint64_t)(AT_SYMLINK_FOLLOW | AT_EMPTY_PATH))
		return -EINVAL;
	if (flags & AT_EMPTY_PATH && !capable(CAP_DAC_READ_SEARCH))
		return -ENOENT;
	err = user_lookup_at(old_dirfd, old_path,
			     (flags & AT_SYMLINK_FOLLOW ? 0 : AT_SYMLINK_NOFOLLOW) |
				 ((unsigned)flags & AT_EMPTY_PATH),
			     &inode);
	if (err)
		return err;
	err = S_ISDIR(inode->mode) ? -EPERM : inode_fetch(inode);
	if (!err && inode->ops)
		err = -EPERM;
	else if (!err && !inode->name)
		/* a file without a place in the tree belongs to a file system of its own */
		err = -EXDEV;
	else if (!err && !inode->nlink)
		err = -ENOENT; /* a file that was removed, or never had a name, gets none */
	if (err) {
		inode_put(inode);
		return err;
	}
	return add_entry(new_dirfd, new_path, inode, false);
}

long sys_link(uint64_t old_path, uint64_t new_path)
{
	return sys_linkat((uint64_t)AT_FDCWD, old_path, (uint64_t)AT_FDCWD, new_path, 0);
}

/* Removes the entry of `end`. */
static int remove_entry(const struct path_end *end, bool dir)
{
	struct dirent *entry;
	uint32_t bit;
	int err = 0;

	if (dir && end->length == 1 && end->name[0] == '.')
		return -EINVAL;
	if (dir && end->length == 2 && end->name[0] == '.' && end->name[1] == '.')
		return -ENOTEMPTY;
	err = check_last(end, dir ? -EBUSY : -EISDIR);
	if (err)
		return err;
	if (inode_reads_only(end->dir))
		return -EROFS;
	entry = dir_find(end->dir, end->name, end->length);
	if (!entry)
		return -ENOENT;
	err = dir_permission(end->dir, entry->inode);
	if (err)
		return err;
	if (mount_is_at(entry))
		return -EBUSY;
	if (dir && !S_ISDIR(entry->inode->mode))
		return -ENOTDIR;
	err = dir ? inode_fetch(entry->inode) : 0;
	if (err)
		return err;
	if (dir && entry->inode->ops)
		err =
		    entry->inode->ops->leave ? entry->inode->ops->leave(entry->inode) : -ENOTEMPTY;
	else if (dir && !list_empty(&entry->inode->entries))
		err = -ENOTEMPTY;
	if (err)
		return err;
	if (!dir && S_ISDIR(entry->inode->mode))
		return -EISDIR;
	if (!dir && end->must_be_dir)
		return -ENOTDIR;
	bit = dir_bit(entry->inode);
	if (!dir)
		inotify_notify_self(entry->inode, IN_ATTRIB);
	dir_unlink(entry);
	inotify_notify_entry(end->dir, end->name, end->length, IN_DELETE | bit, 0);
	return 0;
}

int file_remove(const char *path)
{
	struct path_end end;
	int err = path_parent(NULL, path, 0, &end);

	if (err)
		return err;
	err = remove_entry(&end, 0);
	path_end_put(&end);
	return err;
}

long sys_unlinkat(uint64_t dirfd, uint64_t path, uint64_t flags)
{
	struct path_end end;
	int err;

	if (flags & ~(uint64_t)AT_REMOVEDIR)
		return -EINVAL;
	err = user_parent(dirfd, path, &end);
	if (err)
		return err;
	err = remove_entry(&end, flags & AT_REMOVEDIR);
	path_end_put(&end);
	return err;
}

long sys_unlink(uint64_t path)
{
	return sys_unlinkat((uint64_t)AT_FDCWD, path, 0);
}

long sys_rmdir(uint64_t path)
{
	return sys_unlinkat((uint64_t)AT_FDCWD, path, AT_REMOVEDIR);
}

/* True if `dir` is `inode` or is below it. */
static bool lies_below(struct inode *dir, const struct inode *inode)
{
	for (; dir != root_inode; dir = dir_parent(dir))
		if (dir == inode)
			return true;
	return dir == inode;
}

/* Checks the rights to both directories; a moved directory is written, since its parent changes. */
static int rename_permission(const struct path_end *from, const struct path_end *to,
			     const struct inode *inode, const struct inode *there)
{
	int err = dir_permission(from->dir, inode);

	if (!err)
		err = dir_permission(to->dir, there);
	if (!err && S_ISDIR(inode->mode) && from->dir != to->dir)
		err = inode_permission(inode, MAY_WRITE);
	return err;
}

static void notify_move(const struct path_end *from, const struct path_end *to,
			const struct inode *inode, const struct inode *replaced)
{
	uint32_t cookie = inotify_cookie(), bit = dir_bit(inode);

	inotify_notify_entry(from->dir, from->name, from->length, IN_MOVED_FROM | bit, cookie);
	inotify_notify_entry(to->dir, to->name, to->length, IN_MOVED_TO | bit, cookie);
	if (replaced)
		inotify_notify_self(replaced, IN_ATTRIB);
	inotify_notify_self(inode, IN_MOVE_SELF);
}

static int rename_entry(const struct path_end *from, const struct path_end *to, bool replace)
{
	struct dirent *old = dir_find(from->dir, from->name, from->length), *there;
	struct inode *inode, *replaced;
	bool dir;
	int err;

	if (!old || dir_is_gone(to->dir))
		return -ENOENT;
	inode = old->inode;
	dir = S_ISDIR(inode->mode);
	if (!dir && (from->must_be_dir || to->must_be_dir))
		return -ENOTDIR;
	if (dir && lies_below(to->dir, inode))
		return -EINVAL;
	there = dir_find(to->dir, to->name, to->length);
	if (there && !replace)
		return -EEXIST;
	if (there && there->inode == inode)
		return 0;
	if (mount_is_at(old) || (there && mount_is_at(there)))
		return -EBUSY;
	err = rename_permission(from, to, inode, there ? there->inode : NULL);
	if (err)
		return err;
	if (there && S_ISDIR(there->inode->mode) != dir)
		return dir ? -ENOTDIR : -EISDIR;
	if (there && dir && !list_empty(&there->inode->entries))
		return -ENOTEMPTY;
	if (from->dir->ops != to->dir->ops)
		return -EXDEV;
	err = dir_adopt(to, inode);
	if (err)
		return err;
	replaced = there ? there->inode : NULL;
	if (replaced)
		inode_get(replaced);
	err = dir_rename(old, there, to->dir, to->name, to->length);
	if (!err)
		notify_move(from, to, inode, replaced);
	inode_put(replaced);
	return err;
}

/* RENAME_EXCHANGE: both names exist, and each gets what the other had. */
static int exchange_entries(const struct path_end *from, const struct path_end *to)
{
	struct dirent *one = dir_find(from->dir, from->name, from->length),
		      *other = dir_find(to->dir, to->name, to->length);
	int err;

	if (!one || !other)
		return -ENOENT;
	if ((from->must_be_dir && !S_ISDIR(one->inode->mode)) ||
	    (to->must_be_dir && !S_ISDIR(other->inode->mode)))
		return -ENOTDIR;
	if ((S_ISDIR(one->inode->mode) && lies_below(to->dir, one->inode)) ||
	    (S_ISDIR(other->inode->mode) && lies_below(from->dir, other->inode)))
		return -EINVAL;
	if (one->inode == other->inode)
		return 0;
	if (mount_is_at(one) || mount_is_at(other))
		return -EBUSY;
	err = rename_permission(from, to, one->inode, other->inode);
	if (!err && S_ISDIR(other->inode->mode) && from->dir != to->dir)
		err = inode_permission(other->inode, MAY_WRITE);
	if (err)
		return err;
	if (from->dir->ops || to->dir->ops)
		return from->dir->ops != to->dir->ops ? -EXDEV : -EINVAL;
	dir_exchange(one, other);
	notify_move(from, to, one->inode, NULL);
	notify_move(to, from, other->inode, NULL);
	return 0;
}

/* Renames by the flags of renameat2(2), which are valid. */
static int rename_by(const struct path_end *from, const struct path_end *to, uint64_t flags)
{
	int err = check_last(from, -EBUSY);

	if (!err)
		err = check_last(to, flags & RENAME_NOREPLACE ? -EEXIST : -EBUSY);
	if (!err && (inode_reads_only(from->dir) || inode_reads_only(to->dir)))
		err = -EROFS;
	if (err)
		return err;
	if (flags & RENAME_EXCHANGE)
		return exchange_entries(from, to);
	return rename_entry(from, to, !(flags & RENAME_NOREPLACE));
}

long sys_renameat2(uint64_t old_dirfd, uint64_t old_path, uint64_t new_dirfd, uint64_t new_path,
		   uint64_t flags)
{
	struct path_end from, to;
	int err;

	if (flags & ~(uint64_t)(RENAME_NOREPLACE | RENAME_EXCHANGE) ||
	    flags == (RENAME_NOREPLACE | RENAME_EXCHANGE))
		return -EINVAL;
	err = user_parent(old_dirfd, old_path, &from);
	if (err)
		return err;
	err = user_parent(new_dirfd, new_path, &to);
	if (!err) {
		err = rename_by(&from, &to, flags);
		path_end_put(&to);
	}
	path_end_put(&from);
	return err;
}

long sys_renameat(uint64_t old_dirfd, uint64_t old_path, uint64_t new_dirfd, uint64_t new_path)
{
	return sys_renameat2(old_dirfd, old_path, new_dirfd, new_path, 0);
}

long sys_rename(uint64_t old_path, uint64_t new_path)
{
	return sys_renameat2((uint64_t)AT_FDCWD, old_path, (uint64_t)AT_FDCWD, new_path, 0);
}

long sys_umask(uint64_t mask)
{
	struct cwd *cwd = current_task()->cwd;
	uint32_t old = cwd->umask;

	cwd->umask = (uint32_t)mask & 0777;
	return old;
}

/* Changes the current directory; consumes the reference. */
static long change_directory(struct inode *inode)
{
	int err = S_ISDIR(inode->mode) ? inode_permission(inode, MAY_EXECUTE) : -ENOTDIR;

	if (!err)
		cwd_go_to(current_task()->cwd, inode);
	inode_put(inode);
	return err;
}

long sys_chdir(uint64_t path)
{
	struct inode *inode;
	int err = user_lookup((uint64_t)AT_FDCWD, path, 0, &inode);

	return err ? err : change_directory(inode);
}

long sys_fchdir(uint64_t fd)
{
	struct file *file = fd_get((int)fd);
	struct inode *inode;

	if (!file)
		return -EBADF;
	inode = file->inode ? file->inode : anonymous_inode();
	inode_get(inode);
	file_put(file);
	return change_directory(inode);
}

long sys_getcwd(uint64_t user, uint64_t size)
{
	struct inode *cwd = current_task()->cwd->directory;
	char *page, *path;
	size_t bytes;
	long result;

	if (cwd != root_inode && !name_is_there(cwd->name))
		return -ENOENT;
	page = page_alloc_dirty();
	if (!page)
		return -ENOMEM;
	path = inode_path(cwd, NULL, page, PATH_SIZE);
	bytes = strlen(path) + 1;
	result = bytes > size ? -ERANGE : copy_to_user(user, path, bytes) ? -EFAULT : (long)bytes;
	page_put(page);
	return result;
}
