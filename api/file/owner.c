/* SPDX-License-Identifier: BSD-2-Clause */
/* Attributes that only a file's owner may change: chmod(2), chown(2), utimensat(2), utime(2). */
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/inotify.h>
#include <linux/stat.h>
#include <linux/time.h>
#include <linux/time_types.h>
#include "api/calls.h"
#include "api/file/paths.h"
#include "api/time/clock.h"
#include "kernel/file/descriptor_table.h"
#include "kernel/file/file.h"
#include "kernel/fs/inotify.h"
#include "kernel/fs/permission.h"
#include "kernel/mem/user.h"
#include "kernel/task/task.h"
#include "kernel/time/clock.h"

#define UNCHANGED UINT32_MAX

/* Returns a descriptor's inode, with a reference: 0 or -EBADF. */
static int inode_of(uint64_t fd, struct inode **inode)
{
	struct file *file = fd_get_open((int)fd);

	if (!file)
		return -EBADF;
	*inode = file->inode ? file->inode : anonymous_inode();
	inode_get(*inode);
	file_put(file);
	return 0;
}

/* Consumes the reference, like the changes below. */
static int change_mode(struct inode *inode, uint64_t mode)
{
	int err = inode_reads_only(inode) ? -EROFS : inode_owned(inode) ? 0 : -EPERM;

	if (!err) {
		inode->mode = (inode->mode & S_IFMT) | ((uint32_t)mode & 07777);
		if (!cred_in_group(inode->gid) && !capable(CAP_FSETID))
			inode->mode &= ~(uint32_t)S_ISGID;
		inode->ctime_ns = clock_real_ns();
		inotify_notify(inode, inode->name, IN_ATTRIB);
	}
	inode_put(inode);
	return err;
}

long sys_fchmodat(uint64_t dirfd, uint64_t path, uint64_t mode)
{
	struct inode *inode;
	int err = user_lookup(dirfd, path, 0, &inode);

	return err ? err : change_mode(inode, mode);
}

long sys_chmod(uint64_t path, uint64_t mode)
{
	return sys_fchmodat((uint64_t)AT_FDCWD, path, mode);
}

long sys_fchmod(uint64_t fd, uint64_t mode)
{
	struct inode *inode;
	int err = inode_of(fd, &inode);

	return err ? err : change_mode(inode, mode);
}

/* Without CAP_CHOWN the owner may only change the group, to one of his own. */
static bool may_give(const struct inode *inode, uint32_t uid, uint32_t gid)
{
	bool owner = current_task()->cred.uid.fs == inode->uid;

	if (capable(CAP_CHOWN))
		return true;
	if (uid != UNCHANGED && !(owner && uid == inode->uid))
		return false;
	return gid == UNCHANGED || (owner && (gid == inode->gid || cred_in_group(gid)));
}

static int change_owner(struct inode *inode, uint32_t uid, uint32_t gid)
{
	int err = inode_reads_only(inode) ? -EROFS : may_give(inode, uid, gid) ? 0 : -EPERM;

	if (!err) {
		inode->uid = uid == UNCHANGED ? inode->uid : uid;
		inode->gid = gid == UNCHANGED ? inode->gid : gid;
		if (!S_ISDIR(inode->mode))
			inode_drop_set_ids(inode);
		inode->ctime_ns = clock_real_ns();
		inotify_notify(inode, inode->name, IN_ATTRIB);
	}
	inode_put(inode);
	return err;
}

long sys_fchownat(uint64_t dirfd, uint64_t path, uint64_t uid, uint64_t gid, uint64_t flags)
{
	struct inode *inode;
	int err;

	if (flags & ~(uint64_t)(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH))
		return -EINVAL;
	err = user_lookup_at(dirfd, path, (unsigned)flags, &inode);
	return err ? err : change_owner(inode, (uint32_t)uid, (uint32_t)gid);
}

long sys_chown(uint64_t path, uint64_t uid, uint64_t gid)
{
	return sys_fchownat((uint64_t)AT_FDCWD, path, uid, gid, 0);
}

long sys_lchown(uint64_t path, uint64_t uid, uint64_t gid)
{
	return sys_fchownat((uint64_t)AT_FDCWD, path, uid, gid, AT_SYMLINK_NOFOLLOW);
}

long sys_fchown(uint64_t fd, uint64_t uid, uint64_t gid)
{
	struct inode *inode;
	int err = inode_of(fd, &inode);

	return err ? err : change_owner(inode, (uint32_t)uid, (uint32_t)gid);
}

#define TIME_NOW  ((1l << 30) - 1)
#define TIME_OMIT ((1l << 30) - 2)

/* Computes a new time of utimensat: now, unchanged or given. Returns 0 or -EINVAL. */
static int new_time(const struct __kernel_timespec *time, int64_t *ns)
{
	if (time->tv_nsec == TIME_OMIT)
		return 0;
	if (time->tv_nsec == TIME_NOW) {
		*ns = clock_real_ns();
		return 0;
	}
	if (time->tv_nsec < 0 || time->tv_nsec >= NS_PER_SEC)
		return -EINVAL;
	*ns = time->tv_sec * NS_PER_SEC + time->tv_nsec;
	return 0;
}

/* The current time may be set with write permission, another one only by the owner. */
static int times_permitted(const struct inode *inode, const struct __kernel_timespec *times)
{
	if ((times[0].tv_nsec == TIME_OMIT && times[1].tv_nsec == TIME_OMIT) || inode_owned(inode))
		return 0;
	if (times[0].tv_nsec == TIME_NOW && times[1].tv_nsec == TIME_NOW)
		return inode_permission(inode, MAY_WRITE);
	return -EPERM;
}

/* Sends the inotify events, as Linux does: a single changed time looks like an access or a
 * change. */
static void notify_times(const struct inode *inode, const struct __kernel_timespec *times)
{
	bool access = times[0].tv_nsec != TIME_OMIT, change = times[1].tv_nsec != TIME_OMIT;

	if (access || change)
		inotify_notify(inode, inode->name,
			       access && change ? IN_ATTRIB
			       : access         ? IN_ACCESS
						: IN_MODIFY);
}

static int change_times(struct inode *inode, const struct __kernel_timespec *times)
{
	int64_t atime = inode->atime_ns, mtime = inode->mtime_ns;
	int err = new_time(&times[0], &atime);

	if (!err)
		err = new_time(&times[1], &mtime);
	if (!err && inode_reads_only(inode))
		err = -EROFS;
	if (!err)
		err = times_permitted(inode, times);
	if (!err) {
		inode->atime_ns = atime;
		inode->mtime_ns = mtime;
		notify_times(inode, times);
	}
	inode_put(inode);
	return err;
}

/* Sets the times of the path, or without a path of the open file `dirfd`. */
static long set_times(uint64_t dirfd, uint64_t path, const struct __kernel_timespec *times,
		      unsigned flags)
{
	struct inode *inode;
	int err = path ? user_lookup_at(dirfd, path, flags, &inode) : inode_of(dirfd, &inode);

	return err ? err : change_times(inode, times);
}

long sys_utimensat(uint64_t dirfd, uint64_t path, uint64_t user, uint64_t flags)
{
	struct __kernel_timespec times[2] = {{.tv_nsec = TIME_NOW}, {.tv_nsec = TIME_NOW}};

	if (flags & ~(uint64_t)(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH))
		return -EINVAL;
	if (user && copy_from_user(times, user, sizeof(times)))
		return -EFAULT;
	return set_times(dirfd, path, times, (unsigned)flags);
}

/* In microseconds. */
long sys_futimesat(uint64_t dirfd, uint64_t path, uint64_t user)
{
	struct __kernel_timespec times[2] = {{.tv_nsec = TIME_NOW}, {.tv_nsec = TIME_NOW}};
	int64_t given[2][2]; /* seconds, microseconds */

	if (user && copy_from_user(given, user, sizeof(given)))
		return -EFAULT;
	for (unsigned i = 0; user && i < 2; i++) {
		if (given[i][1] < 0 || given[i][1] >= 1000000)
			return -EINVAL;
		times[i].tv_sec = given[i][0];
		times[i].tv_nsec = given[i][1] * 1000;
	}
	return set_times(dirfd, path, times, 0);
}

long sys_utimes(uint64_t path, uint64_t user)
{
	return sys_futimesat((uint64_t)AT_FDCWD, path, user);
}

/* In seconds. */
long sys_utime(uint64_t path, uint64_t user)
{
	struct __kernel_timespec times[2] = {{.tv_nsec = TIME_NOW}, {.tv_nsec = TIME_NOW}};
	int64_t given[2];

	if (user && copy_from_user(given, user, sizeof(given)))
		return -EFAULT;
	for (unsigned i = 0; user && i < 2; i++)
		times[i] = (struct __kernel_timespec){.tv_sec = given[i]};
	return set_times((uint64_t)AT_FDCWD, path, times, 0);
}
