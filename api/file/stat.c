/* SPDX-License-Identifier: BSD-2-Clause */
/* File attributes and directories: stat(2), statx(2), statfs(2), access(2), readlink(2),
 * getdents64(2). */
#include <asm/stat.h>
#include <asm/statfs.h>
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/fs.h>
#include <linux/inotify.h>
#include <linux/magic.h>
#include <linux/securebits.h>
#include <linux/stat.h>
#include "api/calls.h"
#include "api/file/paths.h"
#include "kernel/base/string.h"
#include "kernel/base/text.h"
#include "kernel/file/descriptor_table.h"
#include "kernel/file/file.h"
#include "kernel/fs/inotify.h"
#include "kernel/fs/permission.h"
#include "kernel/fs/regular.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/task/task.h"
#include "kernel/time/clock.h"

#define BLOCK_BYTES 512

static uint64_t device_number(uint32_t major, uint32_t minor)
{
	return (minor & 0xff) | (major & 0xfff) << 8 | (uint64_t)(minor & ~0xffu) << 12;
}

static uint64_t size_of(const struct inode *inode)
{
	return inode->ops && inode->ops->size ? inode->ops->size(inode) : inode->size;
}

static void to_stat(const struct inode *inode, struct stat *stat)
{
	memset(stat, 0, sizeof(*stat));
	stat->st_dev = FILE_SYSTEM_MINOR;
	stat->st_ino = inode->ino;
	stat->st_nlink = inode->nlink;
	stat->st_mode = inode->mode;
	stat->st_uid = inode->uid;
	stat->st_gid = inode->gid;
	stat->st_rdev = device_number(inode->major, inode->minor);
	stat->st_size = (long)size_of(inode);
	stat->st_blksize = PAGE_SIZE;
	stat->st_blocks = (long)(((uint64_t)stat->st_size + PAGE_SIZE - 1) / PAGE_SIZE *
				 (PAGE_SIZE / BLOCK_BYTES));
	stat->st_atime = (unsigned long)(inode->atime_ns / NS_PER_SEC);
	stat->st_atime_nsec = (unsigned long)(inode->atime_ns % NS_PER_SEC);
	stat->st_mtime = (unsigned long)(inode->mtime_ns / NS_PER_SEC);
	stat->st_mtime_nsec = (unsigned long)(inode->mtime_ns % NS_PER_SEC);
	stat->st_ctime = (unsigned long)(inode->ctime_ns / NS_PER_SEC);
	stat->st_ctime_nsec = (unsigned long)(inode->ctime_ns % NS_PER_SEC);
}

long sys_newfstatat(uint64_t dirfd, uint64_t path, uint64_t user, uint64_t flags)
{
	struct inode *inode;
	struct stat stat;
	int err;

	if (flags & ~(uint64_t)(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH | AT_NO_AUTOMOUNT))
		return -EINVAL;
	err = user_lookup_at(dirfd, path, (unsigned)flags, &inode);
	if (err)
		return err;
	to_stat(inode, &stat);
	inode_put(inode);
	return copy_to_user(user, &stat, sizeof(stat));
}

long sys_stat(uint64_t path, uint64_t user)
{
	return sys_newfstatat((uint64_t)AT_FDCWD, path, user, 0);
}

long sys_lstat(uint64_t path, uint64_t user)
{
	return sys_newfstatat((uint64_t)AT_FDCWD, path, user, AT_SYMLINK_NOFOLLOW);
}

long sys_fstat(uint64_t fd, uint64_t user)
{
	struct file *file = fd_get((int)fd);
	struct stat stat;

	if (!file)
		return -EBADF;
	to_stat(file->inode ? file->inode : anonymous_inode(), &stat);
	file_put(file);
	return copy_to_user(user, &stat, sizeof(stat));
}

static struct statx_timestamp to_timestamp(int64_t ns)
{
	return (struct statx_timestamp){.tv_sec = ns / NS_PER_SEC,
					.tv_nsec = (uint32_t)(ns % NS_PER_SEC)};
}

long sys_statx(uint64_t dirfd, uint64_t path, uint64_t flags, uint64_t mask, uint64_t user)
{
	struct inode *inode;
	struct statx statx = {.stx_mask = STATX_BASIC_STATS,
			      .stx_blksize = PAGE_SIZE,
			      .stx_dev_minor = FILE_SYSTEM_MINOR};
	int err;

	if (flags & ~(uint64_t)(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH | AT_NO_AUTOMOUNT |
				AT_STATX_SYNC_TYPE) ||
	    mask & STATX__RESERVED || (flags & AT_STATX_SYNC_TYPE) == AT_STATX_SYNC_TYPE)
		return -EINVAL;
	err = user_lookup_at(dirfd, path, (unsigned)flags, &inode);
	if (err)
		return err;
	statx.stx_nlink = inode->nlink;
	statx.stx_uid = inode->uid;
	statx.stx_gid = inode->gid;
	statx.stx_mode = (uint16_t)inode->mode;
	statx.stx_ino = inode->ino;
	statx.stx_size = size_of(inode);
	statx.stx_blocks = (statx.stx_size + PAGE_SIZE - 1) / PAGE_SIZE * (PAGE_SIZE / BLOCK_BYTES);
	statx.stx_atime = to_timestamp(inode->atime_ns);
	statx.stx_mtime = to_timestamp(inode->mtime_ns);
	statx.stx_ctime = to_timestamp(inode->ctime_ns);
	statx.stx_rdev_major = inode->major;
	statx.stx_rdev_minor = inode->minor;
	inode_put(inode);
	return copy_to_user(user, &statx, sizeof(statx));
}

/* Returns the type of file system that the file appears to be on: that of the nearest ancestor with
 * one. */
static long kind_of(const struct inode *inode)
{
	while (!inode->magic && inode->name)
		inode = inode->name->dir;
	return inode->magic ? inode->magic : TMPFS_MAGIC;
}

/* Flags of statfs(2), from Linux's statfs.h. */
#define ST_RDONLY 1
#define ST_VALID  0x20

static int statfs_to_user(const struct inode *inode, uint64_t user)
{
	struct statfs statfs = {
	    .f_type = kind_of(inode),
	    .f_bsize = PAGE_SIZE,
	    .f_blocks = (long)memory_total_pages(),
	    .f_bfree = (long)memory_free_pages(),
	    .f_bavail = (long)memory_free_pages(),
	    .f_namelen = NAME_LONGEST,
	    .f_frsize = PAGE_SIZE,
	    .f_flags = ST_VALID | (inode_reads_only(inode) ? ST_RDONLY : 0),
	};

	return copy_to_user(user, &statfs, sizeof(statfs));
}

long sys_statfs(uint64_t path, uint64_t user)
{
	struct inode *inode;
	int err = user_lookup((uint64_t)AT_FDCWD, path, 0, &inode);

	if (err)
		return err;
	err = statfs_to_user(inode, user);
	inode_put(inode);
	return err;
}

long sys_fstatfs(uint64_t fd, uint64_t user)
{
	struct file *file = fd_get((int)fd);
	int err;

	if (!file)
		return -EBADF;
	err = statfs_to_user(file->inode ? file->inode : anonymous_inode(), user);
	file_put(file);
	return err;
}

/* Switches to the credentials that access(2) checks: the real user's. */
static void judge_real(struct cred *cred)
{
	cred->uid.fs = cred->uid.real;
	cred->gid.fs = cred->gid.real;
	if (!(cred->securebits & SECBIT_NO_SETUID_FIXUP))
		cred->effective = cred->uid.real ? 0 : cred->permitted;
}

long sys_faccessat2(uint64_t dirfd, uint64_t path, uint64_t mode, uint64_t flags)
{
	struct cred *cred = &current_task()->cred, saved = *cred;
	const unsigned all = MAY_READ | MAY_WRITE | MAY_EXECUTE;
	struct inode *inode;
	int err;

	if (mode & ~(uint64_t)all ||
	    flags & ~(uint64_t)(AT_EACCESS | AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH))
		return -EINVAL;
	if (!(flags & AT_EACCESS))
		judge_real(cred);
	err = user_lookup_at(dirfd, path, (unsigned)flags, &inode);
	if (!err) {
		err = inode_permission(inode, (unsigned)mode);
		inode_put(inode);
	}
	*cred = saved;
	return err;
}

long sys_faccessat(uint64_t dirfd, uint64_t path, uint64_t mode)
{
	return sys_faccessat2(dirfd, path, mode, 0);
}

long sys_access(uint64_t path, uint64_t mode)
{
	return sys_faccessat2((uint64_t)AT_FDCWD, path, mode, 0);
}

long sys_readlinkat(uint64_t dirfd, uint64_t path, uint64_t buffer, uint64_t bytes)
{
	struct inode *inode;
	struct text text;
	char *target;
	long result;
	char first;
	int err;

	if ((int)bytes <= 0)
		return -EINVAL;
	if (copy_from_user(&first, path, 1))
		return -EFAULT;
	result = first ? -EINVAL : -ENOENT; /* unless it is a link */
	err = user_lookup_at(dirfd, path, AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH, &inode);
	if (err)
		return err;
	target = page_alloc_dirty();
	if (!target) {
		result = -ENOMEM;
	} else if (S_ISLNK(inode->mode) && inode->ops && inode->ops->permission &&
		   inode->ops->permission(inode, MAY_READ)) {
		result = -EACCES;
	} else if (S_ISLNK(inode->mode)) {
		text_init(&text, target, PATH_SIZE);
		link_target(inode, &text);
		if (bytes > text.length)
			bytes = text.length;
		result = copy_to_user(buffer, target, bytes) ? -EFAULT : (long)bytes;
	}
	if (target)
		page_put(target);
	inode_put(inode);
	return result;
}

long sys_readlink(uint64_t path, uint64_t buffer, uint64_t bytes)
{
	return sys_readlinkat((uint64_t)AT_FDCWD, path, buffer, bytes);
}

/* getdents64. */

struct dirent64 {
	uint64_t ino;
	int64_t offset;
	uint16_t bytes;
	uint8_t type;
	char name[];
};

#define DIRENT_HEADER 19 /* offset of `name` */

/* A user buffer for directory entries. */
struct dirent_buffer {
	uint64_t at, end;
	int err;
	bool full; /* an entry did not fit */
};

/* Writes one entry; false if there is no room or the copy failed. */
static bool put_entry(struct dirent_buffer *buffer, const char *name, size_t length, uint64_t ino,
		      uint32_t mode, uint64_t next)
{
	uint8_t bytes[DIRENT_HEADER + NAME_LONGEST + 8] = {0};
	struct dirent64 *entry = (struct dirent64 *)bytes;
	size_t size = (DIRENT_HEADER + length + 1 + 7) & ~7ul;

	buffer->full = buffer->end - buffer->at < size;
	if (buffer->full)
		return false;
	entry->ino = ino;
	entry->offset = (int64_t)next;
	entry->bytes = (uint16_t)size;
	entry->type = (uint8_t)((mode & S_IFMT) >> 12);
	memcpy(bytes + DIRENT_HEADER, name, length);
	buffer->err = copy_to_user(buffer->at, bytes, size);
	if (!buffer->err)
		buffer->at += size;
	return !buffer->err;
}

/* Positions in a directory: 0 ".", 1 "..", then cookies + 2, then (from SPECIAL_START on) the
 * entries of ops->list. */
#define SPECIAL_START (1ul << 32)

/* Returns the element of the directory's list after which its file's position is. The file knows
 * the entry that it listed last; if that is gone, or after a seek, it searches. */
static struct list *listed(struct file *file)
{
	struct inode *dir = file->inode;
	struct dirent *last = file->priv, *entry;

	if (last && !last->removed && last->dir == dir && last->cookie + 2 == file->offset)
		return &last->link;
	list_for_each(entry, &dir->entries, link)
		if (entry->cookie + 2 > file->offset)
			return entry->link.prev;
	return dir->entries.prev;
}

/* Writes the entries after `at`; advances the position past the last one written, which the file
 * keeps. Returns false if the buffer is full. */
static bool list_from(struct file *file, struct dirent_buffer *buffer, struct list *at)
{
	struct dirent *entry = NULL, *next;
	bool room = true;

	while (room && (at = at->next) != &file->inode->entries) {
		next = container_of(at, struct dirent, link);
		room = put_entry(buffer, next->name, next->length, next->inode->ino,
				 next->inode->mode, next->cookie + 2);
		entry = room ? next : entry;
	}
	if (!entry)
		return room;
	name_get(entry);
	name_put(file->priv);
	file->priv = entry;
	file->offset = entry->cookie + 2;
	return room;
}

/* Writes entries from the file's position on; advances it past the last one written. Returns false
 * if the buffer is full. */
static bool list_entries(struct file *file, struct dirent_buffer *buffer)
{
	struct inode *dir = file->inode;
	uint64_t *position = &file->offset;

	if (*position == 0) {
		if (!put_entry(buffer, ".", 1, dir->ino, S_IFDIR, 1))
			return false;
		*position = 1;
	}
	if (*position == 1) {
		if (!put_entry(buffer, "..", 2, dir_parent(dir)->ino, S_IFDIR, 2))
			return false;
		*position = 2;
	}
	if (*position >= SPECIAL_START)
		return true;
	return list_from(file, buffer, listed(file));
}

static void list_special(struct inode *dir, struct dirent_buffer *buffer, uint64_t *position)
{
	char name[NAME_LONGEST + 1];
	uint64_t cookie = *position >= SPECIAL_START ? *position - SPECIAL_START : 0, ino;
	uint32_t mode;

	while (dir->ops->list(dir, &cookie, name, &ino, &mode)) {
		if (!put_entry(buffer, name, strlen(name), ino, mode, SPECIAL_START + cookie))
			return;
		*position = SPECIAL_START + cookie;
	}
}

/* Maximum bytes of one call: callers repeat it until it returns 0. */
#define LIST_AT_ONCE (256u << 10)

long sys_getdents64(uint64_t fd, uint64_t user, uint64_t bytes)
{
	struct file *file = fd_get_open((int)fd);
	uint32_t room = (uint32_t)bytes < LIST_AT_ONCE ? (uint32_t)bytes : LIST_AT_ONCE;
	struct dirent_buffer buffer = {.at = user, .end = user + room};

	if (!file)
		return -EBADF;
	if (file->ops != &dir_ops) {
		file_put(file);
		return -ENOTDIR;
	}
	if (list_entries(file, &buffer) && file->inode->ops && file->inode->ops->list)
		list_special(file->inode, &buffer, &file->offset);
	if (buffer.full && !buffer.err)
		buffer.err = -EINVAL; /* reported only if not even one entry fits */
	if (!buffer.err)
		file_notify(file, IN_ACCESS);
	file_put(file);
	return buffer.at != user ? (long)(buffer.at - user) : buffer.err;
}
