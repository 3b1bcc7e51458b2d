/* SPDX-License-Identifier: BSD-2-Clause */
/* Opening files: open(2), openat2(2). */
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/inotify.h>
#include <linux/openat2.h>
#include <linux/stat.h>
#include "api/calls.h"
#include "api/file/paths.h"
#include "api/versioned.h"
#include "kernel/file/descriptor_table.h"
#include "kernel/fs/inotify.h"
#include "kernel/fs/path.h"
#include "kernel/fs/permission.h"
#include "kernel/fs/regular.h"
#include "kernel/task/task.h"

/* Flags that only have an effect at open. */
#define OPENING (O_CREAT | O_EXCL | O_NOCTTY | O_TRUNC | O_CLOEXEC)
/* Flags that openat2(2) accepts: all, and with O_PATH. */
#define KNOWN                                                                                     \
	(O_ACCMODE | OPENING | O_APPEND | O_NONBLOCK | O_SYNC | FASYNC | O_DIRECT | O_LARGEFILE | \
	 O_DIRECTORY | O_NOFOLLOW | O_NOATIME | O_PATH | O_TMPFILE)
#define O_WITH_PATH   (O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define RESOLVE_KNOWN 0x3f

struct how { /* as struct open_how */
	uint64_t flags, mode, resolve;
};
_Static_assert(sizeof(struct how) == sizeof(struct open_how), "open_how");

/* Returns the LOOKUP_* flags for RESOLVE_* bits. */
static unsigned scope_of(uint64_t resolve)
{
	static const struct {
		uint64_t bit;
		unsigned flag;
	} scopes[] = {
	    {RESOLVE_NO_XDEV, LOOKUP_NO_XDEV},      {RESOLVE_NO_MAGICLINKS, LOOKUP_NO_MAGIC},
	    {RESOLVE_NO_SYMLINKS, LOOKUP_NO_LINKS}, {RESOLVE_BENEATH, LOOKUP_BENEATH},
	    {RESOLVE_IN_ROOT, LOOKUP_IN_ROOT},
	};
	unsigned flags = 0;

	for (unsigned i = 0; i < sizeof(scopes) / sizeof(scopes[0]); i++)
		if (resolve & scopes[i].bit)
			flags |= scopes[i].flag;
	return flags;
}

/* The inode that O_CREAT finds or makes at the path, and its name; a new one may be opened
 * regardless of its mode. */
static int create(const struct user_path *user, const struct how *how, struct inode **inode,
		  struct dirent **name, bool *made)
{
	unsigned scope = scope_of(how->resolve), last = how->flags & (O_EXCL | O_NOFOLLOW);
	struct path_end end;
	struct inode *new;
	int err = path_lookup_name(user->base, user->path, scope | (last ? LOOKUP_NOFOLLOW : 0),
				   inode, name);

	if (!err && how->flags & O_EXCL) {
		inode_put(*inode);
		name_put(*name);
		return -EEXIST;
	}
	if (err != -ENOENT)
		return err;
	err = path_parent(user->base, user->path, scope, &end);
	if (err)
		return err;
	new = NULL;
	if (end.must_be_dir || !end.length)
		err = -EISDIR;
	else if (end.dir->ops)
		err = -EACCES; /* /proc and the like */
	else if (dir_find(end.dir, end.name, end.length))
		err = -ENOENT; /* a link that leads nowhere */
	else
		new = inode_new(S_IFREG | (how->mode & 07777 & ~current_task()->cwd->umask));
	if (!err)
		err = new ? dir_permission(end.dir, NULL) : -ENOMEM;
	if (!err) {
		inode_take(new, end.dir);
		err = dir_link(end.dir, end.name, end.length, new);
	}
	if (!err)
		inotify_notify_entry(end.dir, end.name, end.length, IN_CREATE, 0);
	path_end_put(&end);
	if (err && new)
		inode_put(new);
	if (!err)
		name_get(new->name);
	*inode = new;
	*name = new ? new->name : NULL;
	*made = !err;
	return err;
}

int file_make(const char *path, uint32_t mode, struct inode **inode)
{
	const struct user_path user = {.path = (char *)path};
	const struct how how = {.flags = O_CREAT | O_EXCL, .mode = mode};
	struct dirent *name;
	bool made;
	int err = create(&user, &how, inode, &name, &made);

	if (!err)
		name_put(name);
	return err;
}

/* Returns the MAY_* accesses that the access mode needs. */
static unsigned ways_of(uint32_t flags)
{
	static const uint8_t ways[] = {MAY_READ, MAY_WRITE, MAY_READ | MAY_WRITE,
				       MAY_READ | MAY_WRITE};

	if (flags & O_PATH)
		return 0;
	return ways[flags & O_ACCMODE] | (flags & O_TRUNC ? MAY_WRITE : 0);
}

/* Checks the inode against the flags. */
static int check(const struct inode *inode, uint32_t flags)
{
	int err;

	if (flags & O_DIRECTORY && !S_ISDIR(inode->mode))
		return -ENOTDIR;
	if (S_ISLNK(inode->mode) && !(flags & O_PATH))
		return -ELOOP;
	if (S_ISDIR(inode->mode) && flags & O_CREAT)
		return -EISDIR;
	if (S_ISDIR(inode->mode) && ways_of(flags) & MAY_WRITE)
		return -EISDIR;
	err = inode_permission(inode, ways_of(flags));
	if (err)
		return err;
	if (flags & O_TRUNC && inode->seals & F_SEAL_SHRINK && inode->size)
		return -EPERM;
	return flags & O_NOATIME && !(flags & O_PATH) && !inode_owned(inode) ? -EPERM : 0;
}

/* Opens by a request that is valid. */
static long open_how(uint64_t dirfd, uint64_t path, const struct how *how)
{
	uint32_t flags = (uint32_t)how->flags;
	struct user_path user;
	struct inode *inode;
	struct dirent *name;
	struct file *file;
	bool made = false;
	int err = user_path_get(&user, dirfd, path, how->resolve & RESOLVE_IN_ROOT);

	if (err)
		return err;
	if (flags & O_CREAT)
		err = create(&user, how, &inode, &name, &made);
	else
		err = path_lookup_name(user.base, user.path,
				       scope_of(how->resolve) |
					   (flags & O_NOFOLLOW ? LOOKUP_NOFOLLOW : 0),
				       &inode, &name);
	user_path_put(&user);
	if (err)
		return err;
	err = made ? 0 : check(inode, flags);
	if (made)
		/* a new file: O_TRUNC has nothing to truncate and sends no inotify event */
		flags &= ~(uint32_t)O_TRUNC;
	if (!err)
		err =
		    inode_open(inode, name, (flags & O_PATH ? flags : flags | O_LARGEFILE), &file);
	inode_put(inode);
	name_put(name);
	if (err)
		return err;
	file->flags &= ~(uint32_t)OPENING;
	err = fd_install(file, 0, !!(flags & O_CLOEXEC));
	if (err < 0)
		file_put(file);
	return err;
}

/* Checks the combinations that no call accepts: 0 or a negative errno. */
static int check_combination(uint64_t flags)
{
	if ((flags & O_TMPFILE) == O_TMPFILE)
		return -EOPNOTSUPP;
	return (flags & (O_CREAT | O_DIRECTORY)) == (O_CREAT | O_DIRECTORY) ? -EINVAL : 0;
}

long sys_openat(uint64_t dirfd, uint64_t path, uint64_t flags64, uint64_t mode)
{
	struct how how = {.flags = (uint32_t)flags64, .mode = (uint32_t)mode};
	int err = check_combination(how.flags);

	if (err)
		return err;
	if (how.flags & O_PATH)
		how.flags &= O_WITH_PATH;
	return open_how(dirfd, path, &how);
}

long sys_open(uint64_t path, uint64_t flags, uint64_t mode)
{
	return sys_openat((uint64_t)AT_FDCWD, path, flags, mode);
}

long sys_creat(uint64_t path, uint64_t mode)
{
	return sys_open(path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

/* Checks what openat() ignores: 0 or -EINVAL. */
static int check_how(const struct how *how)
{
	if (how->flags & ~(uint64_t)KNOWN || how->resolve & ~(uint64_t)RESOLVE_KNOWN)
		return -EINVAL;
	if (how->resolve & RESOLVE_BENEATH && how->resolve & RESOLVE_IN_ROOT)
		return -EINVAL;
	if (how->flags & O_CREAT ? how->mode & ~07777ul : how->mode)
		return -EINVAL;
	return how->flags & O_PATH && how->flags & ~(uint64_t)O_WITH_PATH ? -EINVAL : 0;
}

long sys_openat2(uint64_t dirfd, uint64_t path, uint64_t user, uint64_t size)
{
	struct how how;
	int err = size < sizeof(how) ? -EINVAL : copy_versioned(&how, sizeof(how), user, size);

	if (!err)
		err = check_combination(how.flags);
	if (!err)
		err = check_how(&how);
	if (!err && how.resolve & RESOLVE_CACHED && how.flags & (O_CREAT | O_TRUNC))
		err = -EAGAIN; /* storage may have to be read: all of ours is in memory */
	return err ? err : open_how(dirfd, path, &how);
}
