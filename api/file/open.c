/* SPDX-License-Identifier: BSD-2-Clause */
/* Opening files and operations on descriptors: open(2), dup(2), fcntl(2), pipe(2), ioctl(2). */
#include <asm/ioctls.h>
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/inotify.h>
#include <linux/resource.h>
#include <linux/stat.h>
#include "api/calls.h"
#include "api/file/locks.h"
#include "api/memory/memfd.h"
#include "api/file/paths.h"
#include "api/file/vectors.h"
#include "kernel/file/descriptor_table.h"
#include "kernel/fs/inotify.h"
#include "kernel/fs/path.h"
#include "kernel/mem/memory.h"
#include "kernel/fs/pipe.h"
#include "kernel/fs/permission.h"
#include "kernel/fs/regular.h"
#include "kernel/signal/signal.h"
#include "kernel/task/sched.h"
#include "kernel/task/task.h"
#include "kernel/mem/user.h"

/* Flags that F_SETFL can change. */
#define SETTABLE (O_APPEND | O_NONBLOCK | FASYNC | O_DIRECT | O_NOATIME)
/* Flags that only have an effect at open. */
#define OPENING (O_CREAT | O_EXCL | O_NOCTTY | O_TRUNC | O_CLOEXEC)

/* The inode that O_CREAT finds or makes at the path, and its name; a new one may be opened
 * regardless of its mode. */
static int create(const struct user_path *user, uint32_t flags, uint32_t mode, struct inode **inode,
		  struct dirent **name, bool *made)
{
	struct path_end end;
	struct inode *new;
	int err =
	    path_lookup_name(user->base, user->path,
			     flags & (O_EXCL | O_NOFOLLOW) ? LOOKUP_NOFOLLOW : 0, inode, name);

	if (!err && flags & O_EXCL) {
		inode_put(*inode);
		name_put(*name);
		return -EEXIST;
	}
	if (err != -ENOENT)
		return err;
	err = path_parent(user->base, user->path, &end);
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
		new = inode_new(S_IFREG | (mode & 07777 & ~current_task()->cwd->umask));
	if (!err)
		err = new ? dir_permission(end.dir, NULL) : -ENOMEM;
	if (!err) {
		inode_take(new, end.dir);
		err = dir_link(end.dir, end.name, end.length, new);
	}
	if (!err)
		inotify_tell_entry(end.dir, end.name, end.length, IN_CREATE, 0);
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
	if (flags & O_DIRECTORY && !S_ISDIR(inode->mode))
		return -ENOTDIR;
	if (S_ISLNK(inode->mode) && !(flags & O_PATH))
		return -ELOOP;
	if (S_ISDIR(inode->mode) && flags & O_CREAT)
		return -EISDIR;
	if (S_ISDIR(inode->mode) && ways_of(flags) & MAY_WRITE)
		return -EISDIR;
	if (inode_permission(inode, ways_of(flags)))
		return -EACCES;
	if (flags & O_TRUNC && inode->seals & F_SEAL_SHRINK && inode->size)
		return -EPERM;
	return flags & O_NOATIME && !(flags & O_PATH) && !inode_owned(inode) ? -EPERM : 0;
}

long sys_openat(uint64_t dirfd, uint64_t path, uint64_t flags64, uint64_t mode)
{
	uint32_t flags = (uint32_t)flags64;
	struct user_path user;
	struct inode *inode;
	struct dirent *name;
	struct file *file;
	bool made = false;
	int err;

	if ((flags & O_TMPFILE) == O_TMPFILE)
		return -EOPNOTSUPP;
	if ((flags & (O_CREAT | O_DIRECTORY)) == (O_CREAT | O_DIRECTORY))
		return -EINVAL;
	if (flags & O_PATH)
		flags &= O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	err = user_path_get(&user, dirfd, path);
	if (err)
		return err;
	if (flags & O_CREAT)
		err = create(&user, flags, (uint32_t)mode, &inode, &name, &made);
	else
		err = path_lookup_name(user.base, user.path,
				       flags & O_NOFOLLOW ? LOOKUP_NOFOLLOW : 0, &inode, &name);
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

long sys_open(uint64_t path, uint64_t flags, uint64_t mode)
{
	return sys_openat((uint64_t)AT_FDCWD, path, flags, mode);
}

long sys_creat(uint64_t path, uint64_t mode)
{
	return sys_open(path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

long sys_close(uint64_t fd)
{
	return fd_close((unsigned)fd);
}

/* Number of descriptors to close without a pause. */
#define CLOSE_AT_ONCE 1024

long sys_close_range(uint64_t first, uint64_t last, uint64_t flags)
{
	const unsigned close_range_unshare = 2, close_range_cloexec = 4;
	uint32_t size = current_task()->files->size;

	first = (uint32_t)first;
	last = (uint32_t)last;
	if (first > last || flags & ~(uint64_t)(close_range_unshare | close_range_cloexec))
		return -EINVAL;
	if (flags & close_range_unshare && files_unshare(&current_task()->files))
		return -ENOMEM;
	for (uint64_t fd = first; fd <= last && fd < size; fd++) {
		if (flags & close_range_cloexec)
			fd_set_cloexec((unsigned)fd, true);
		else
			fd_close((unsigned)fd);
		if (fd % CLOSE_AT_ONCE == CLOSE_AT_ONCE - 1 && !sched_pause())
			break;
	}
	return 0;
}

/* Duplicates to the lowest free descriptor >= `from`. */
static long duplicate(uint64_t fd, uint64_t from, bool cloexec)
{
	struct file *file = fd_get((int)fd);
	long new;

	if (!file)
		return -EBADF;
	new = fd_install(file, (int)from, cloexec);
	if (new < 0)
		file_put(file);
	return new;
}

long sys_dup(uint64_t fd)
{
	return duplicate(fd, 0, false);
}

long sys_dup3(uint64_t fd, uint64_t new, uint64_t flags)
{
	struct file *file;
	long result;

	if (flags & ~(uint64_t)O_CLOEXEC || (int)fd == (int)new)
		return -EINVAL;
	file = fd_get((int)fd);
	if (!file)
		return -EBADF;
	result = fd_install_at(file, (unsigned)new, flags & O_CLOEXEC);
	if (result < 0)
		file_put(file);
	return result;
}

long sys_dup2(uint64_t fd, uint64_t new)
{
	struct file *file;

	if ((int)fd != (int)new)
		return sys_dup3(fd, new, 0);
	file = fd_get((int)fd);
	if (!file)
		return -EBADF;
	file_put(file);
	return (long)(int)new;
}

int fd_pair_to_user(struct file *files[2], int cloexec, uint64_t user)
{
	int fds[2], err;

	fds[0] = fd_install(files[0], 0, cloexec);
	if (fds[0] < 0) {
		file_put(files[0]);
		file_put(files[1]);
		return fds[0];
	}
	fds[1] = fd_install(files[1], 0, cloexec);
	if (fds[1] < 0)
		file_put(files[1]);
	err = fds[1] < 0 ? fds[1] : copy_to_user(user, fds, sizeof(fds));
	if (err) {
		fd_close((unsigned)fds[0]);
		if (fds[1] >= 0)
			fd_close((unsigned)fds[1]);
	}
	return err;
}

long sys_pipe2(uint64_t ends, uint64_t flags)
{
	struct file *files[2];
	int err;

	if (flags & ~(uint64_t)(O_CLOEXEC | O_NONBLOCK | O_DIRECT))
		return -EINVAL;
	err = pipe_open((uint32_t)flags & O_NONBLOCK, files);
	return err ? err : fd_pair_to_user(files, !!(flags & O_CLOEXEC), ends);
}

long sys_pipe(uint64_t ends)
{
	return sys_pipe2(ends, 0);
}

/* F_SETOWN: sets the task or group that gets SIGIO. */
static long set_owner(struct file *file, int32_t type, int32_t pid)
{
	if (pid == INT32_MIN)
		return -EINVAL;
	file->owner_type = type;
	file->owner = pid;
	file->owner_uid = current_task()->cred.uid.real;
	file->owner_euid = current_task()->cred.uid.effective;
	return 0;
}

static long owner_ex(struct file *file, bool set, uint64_t user)
{
	struct f_owner_ex owner = {.type = file->owner_type, .pid = file->owner};

	if (!set) {
		if (owner.type == F_OWNER_PGRP)
			owner.pid = -owner.pid;
		return copy_to_user(user, &owner, sizeof(owner));
	}
	if (copy_from_user(&owner, user, sizeof(owner)))
		return -EFAULT;
	if (owner.type < F_OWNER_TID || owner.type > F_OWNER_PGRP)
		return -EINVAL;
	return set_owner(file, owner.type, owner.type == F_OWNER_PGRP ? -owner.pid : owner.pid);
}

static long file_control(struct file *file, unsigned fd, uint64_t command, uint64_t argument)
{
	switch (command) {
	case F_GETFD:
		return fd_cloexec(fd) ? FD_CLOEXEC : 0;
	case F_SETFD:
		fd_set_cloexec(fd, argument & FD_CLOEXEC);
		return 0;
	case F_GETFL:
		return file->flags;
	case F_SETFL:
		file_set_async(file, argument & FASYNC, (int)fd);
		file->flags = (file->flags & ~(uint32_t)SETTABLE) | ((uint32_t)argument & SETTABLE);
		return 0;
	case F_DUPFD:
	case F_DUPFD_CLOEXEC:
		if (argument >= current_task()->process->limits[RLIMIT_NOFILE][0])
			return -EINVAL;
		return duplicate(fd, argument, command == F_DUPFD_CLOEXEC);
	case F_SETOWN:
		return set_owner(file, (int)argument < 0 ? F_OWNER_PGRP : F_OWNER_PID,
				 (int)argument);
	case F_GETOWN:
		return file->owner;
	case F_SETOWN_EX:
	case F_GETOWN_EX:
		return owner_ex(file, command == F_SETOWN_EX, argument);
	case F_SETSIG:
		if (argument > NR_SIGNALS)
			return -EINVAL;
		file->signo = (int)argument;
		return 0;
	case F_GETSIG:
		return file->signo;
	case F_GETLK:
	case F_SETLK:
	case F_SETLKW:
	case F_OFD_GETLK:
	case F_OFD_SETLK:
	case F_OFD_SETLKW:
		return file_lock_control(file, (int)fd, command, argument);
	case F_ADD_SEALS:
	case F_GET_SEALS:
		return file_seals(file, command == F_ADD_SEALS, argument);
	case F_GETPIPE_SZ:
		return pipe_bytes(file);
	case F_SETPIPE_SZ:
		return pipe_resize(file, argument);
	default:
		return -EINVAL;
	}
}

long sys_fcntl(uint64_t fd, uint64_t command, uint64_t argument)
{
	struct file *file = fd_get((int)fd);
	long result;

	if (!file)
		return -EBADF;
	if (file->flags & O_PATH && command != F_GETFD && command != F_SETFD &&
	    command != F_GETFL && command != F_DUPFD && command != F_DUPFD_CLOEXEC)
		result = -EBADF;
	else
		result = file_control(file, (unsigned)fd, command, argument);
	file_put(file);
	return result;
}

/* FIONBIO, FIOASYNC. */
static long set_flag(struct file *file, uint32_t flag, int fd, uint64_t user)
{
	int on;

	if (copy_from_user(&on, user, sizeof(on)))
		return -EFAULT;
	if (flag == FASYNC)
		file_set_async(file, on, fd);
	else
		file->flags = on ? file->flags | flag : file->flags & ~flag;
	return 0;
}

static long file_ioctl(struct file *file, unsigned command, uint64_t argument)
{
	return file->ops->ioctl ? file->ops->ioctl(file, command, argument) : -ENOTTY;
}

/* The ioctls common to all files, else the file's own. */
static long any_ioctl(struct file *file, int fd, unsigned command, uint64_t argument)
{
	switch (command) {
	case FIOCLEX:
	case FIONCLEX:
		fd_set_cloexec((unsigned)fd, command == FIOCLEX);
		return 0;
	case FIONBIO:
		return set_flag(file, O_NONBLOCK, fd, argument);
	case FIOASYNC:
		return set_flag(file, FASYNC, fd, argument);
	default:
		return file_ioctl(file, command, argument);
	}
}

static inline __attribute__((always_inline)) long do_ioctl(int fd, unsigned command,
							   uint64_t argument, bool any)
{
	struct file *file = fd_get(fd);
	long result = -EBADF;

	if (!file)
		return -EBADF;
	if (!(file->flags & O_PATH))
		result = any ? any_ioctl(file, fd, command, argument)
			     : file_ioctl(file, command, argument);
	file_put(file);
	return result;
}

/* The ioctls of terminals include the ones common to all files. */
static __attribute__((noinline)) long terminal_ioctl(int fd, unsigned command, uint64_t argument)
{
	return do_ioctl(fd, command, argument, true);
}

long sys_ioctl(uint64_t fd, uint64_t command, uint64_t argument)
{
	if (_IOC_TYPE((unsigned)command) == 'T')
		return terminal_ioctl((int)fd, (unsigned)command, argument);
	return do_ioctl((int)fd, (unsigned)command, argument, false);
}

/* posix_fadvise: no effect, everything is in memory. */
long sys_fadvise64(uint64_t fd, uint64_t offset, uint64_t length, uint64_t advice)
{
	const uint64_t last = 5; /* POSIX_FADV_NOREUSE */
	struct file *file = fd_get((int)fd);

	(void)offset;
	if (!file)
		return -EBADF;
	file_put(file);
	return advice > last || (int64_t)length < 0 ? -EINVAL : 0;
}
