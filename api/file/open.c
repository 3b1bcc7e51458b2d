/* SPDX-License-Identifier: BSD-2-Clause */
/* Operations on descriptors: close(2), dup(2), fcntl(2), pipe(2), ioctl(2). */
#include <asm/ioctls.h>
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/inotify.h>
#include <linux/resource.h>
#include <linux/stat.h>
#include "api/calls.h"
#include "api/file/locks.h"
#include "api/file/paths.h"
#include "api/file/vectors.h"
#include "api/memory/memfd.h"
#include "kernel/file/descriptor_table.h"
#include "kernel/fs/inotify.h"
#include "kernel/fs/path.h"
#include "kernel/fs/permission.h"
#include "kernel/fs/pipe/pipe.h"
#include "kernel/fs/regular.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/signal/signal.h"
#include "kernel/task/pids.h"
#include "kernel/task/sched.h"
#include "kernel/task/task.h"

/* Flags that F_SETFL can change. */
#define SETTABLE (O_APPEND | O_NONBLOCK | FASYNC | O_DIRECT | O_NOATIME)

long sys_close(uint64_t fd)
{
	return fd_close((unsigned)fd);
}

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

/* F_SETOWN: sets the task or group that gets SIGIO; 0: none. */
static long set_owner(struct file *file, int32_t type, int32_t pid)
{
	if (pid == INT32_MIN)
		return -EINVAL;
	if (pid && !pid_in_use(pid < 0 ? -pid : pid))
		return -ESRCH;
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
