/* SPDX-License-Identifier: BSD-2-Clause */
/* Locks on files: fcntl(2), flock(2). */
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/fs.h>
#include <linux/stat.h>
#include "api/calls.h"
#include "api/file/locks.h"
#include "kernel/file/descriptor_table.h"
#include "kernel/file/file.h"
#include "kernel/fs/inode.h"
#include "kernel/fs/locks.h"
#include "kernel/mem/user.h"
#include "kernel/task/task.h"

/* Converts the range of a struct flock: 0, -EINVAL or -EOVERFLOW. */
static int set_range(const struct file *file, const struct flock *from, struct file_lock *lock)
{
	int64_t base, start, last;

	switch (from->l_whence) {
	case SEEK_SET:
		base = 0;
		break;
	case SEEK_CUR:
		base = (int64_t)file->offset;
		break;
	case SEEK_END:
		base = (int64_t)file->inode->size;
		break;
	default:
		return -EINVAL;
	}
	if (__builtin_add_overflow(base, from->l_start, &start))
		return -EOVERFLOW;
	if (start < 0)
		return -EINVAL;
	last = INT64_MAX;
	if (from->l_len > 0 && __builtin_add_overflow(start, from->l_len - 1, &last))
		return -EOVERFLOW;
	if (from->l_len < 0) {
		last = start - 1;
		start += from->l_len;
		if (start < 0)
			return -EINVAL;
	}
	lock->start = (uint64_t)start;
	lock->last = (uint64_t)last;
	return 0;
}

/* Checks that the file's access mode permits the lock. */
static int check_access(const struct file *file, int type)
{
	switch (type) {
	case F_RDLCK:
		return !file_reads(file) ? -EBADF : 0;
	case F_WRLCK:
		return !file_writes(file) ? -EBADF : 0;
	case F_UNLCK:
		return 0;
	default:
		return -EINVAL;
	}
}

/* F_GETLK: writes the conflicting lock, if there is one. */
static long report_conflict(struct file *file, struct flock *user_lock,
			    const struct file_lock *lock, uint64_t user)
{
	const struct file_lock *there;

	if (lock->type == F_UNLCK)
		return -EINVAL;
	there = lock_conflict(file->inode, lock);
	user_lock->l_type = F_UNLCK;
	if (there) {
		user_lock->l_type = (short)there->type;
		user_lock->l_whence = SEEK_SET;
		user_lock->l_start = (long)there->start;
		user_lock->l_len =
		    there->last == INT64_MAX ? 0 : (long)(there->last - there->start + 1);
		user_lock->l_pid = there->pid;
	}
	return copy_to_user(user, user_lock, sizeof(*user_lock));
}

/* Removes a lock that was set after another thread had closed the descriptor: no later close would
 * remove it. Returns 0 or -EBADF. */
static int check_still_open(struct file *file, int fd, struct file_lock *lock)
{
	struct file *there = fd_get(fd);

	if (there)
		file_put(there);
	if (there == file)
		return 0;
	lock->type = F_UNLCK;
	lock_set(file->inode, lock, false);
	return -EBADF;
}

long file_lock_control(struct file *file, int fd, uint64_t command, uint64_t user)
{
	bool of_file = command >= F_OFD_GETLK, get = command == F_GETLK || command == F_OFD_GETLK;
	bool sleep = command == F_SETLKW || command == F_OFD_SETLKW;
	struct file_lock lock = {.owner = of_file ? (void *)file : current_task()->files,
				 .pid = of_file ? -1 : current_task()->tgid};
	struct flock user_lock;
	int err;

	if (copy_from_user(&user_lock, user, sizeof(user_lock)))
		return -EFAULT;
	if (!file->inode || (of_file && user_lock.l_pid))
		return -EINVAL;
	err = set_range(file, &user_lock, &lock);
	lock.type = user_lock.l_type;
	if (get)
		return err ? err : report_conflict(file, &user_lock, &lock, user);
	if (!err)
		err = check_access(file, lock.type);
	if (!err)
		err = lock_set(file->inode, &lock, sleep);
	return err || of_file || lock.type == F_UNLCK ? err : check_still_open(file, fd, &lock);
}

long sys_flock(uint64_t fd, uint64_t operation)
{
	static const int types[] = {[1] = F_RDLCK, [2] = F_WRLCK, [8] = F_UNLCK}; /* by LOCK_* */
	const unsigned no_wait = 4;
	unsigned what = (unsigned)operation & ~no_wait;
	struct file_lock lock = {.pid = -1, .whole = true, .last = INT64_MAX};
	struct file *file;
	long result;

	if (what != 1 && what != 2 && what != 8)
		return -EINVAL;
	file = fd_get((int)fd);
	if (!file)
		return -EBADF;
	lock.owner = file;
	lock.type = types[what];
	if (file->flags & O_PATH)
		result = -EBADF;
	else if (!file->inode)
		result = -EINVAL;
	else
		result = lock_set(file->inode, &lock, !(operation & no_wait));
	file_put(file);
	return result;
}
