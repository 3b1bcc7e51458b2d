/* SPDX-License-Identifier: BSD-2-Clause */
/* Transfers: read(2), readv(2), pread(2), lseek(2), sendfile(2) and their variants. */
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/fs.h>
#include <linux/inotify.h>
#include <linux/uio.h>
#include "api/calls.h"
#include "api/file/vectors.h"
#include "kernel/file/descriptor_table.h"
#include "kernel/file/file.h"
#include "kernel/fs/inode.h"
#include "kernel/fs/inotify.h"
#include "kernel/fs/regular.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/task/sched.h"

#define TRANSFER_MAX 0x7ffff000ul /* bytes of one call, as Linux */
#define VECTORS_MAX  1024
#define AT_ONCE      (256ul << 10) /* bytes that are moved without a pause */

typedef long transfer_fn(struct file *file, uint64_t buffer, size_t bytes, uint64_t *offset);

/* Transfers in pieces, between which other tasks run. */
static __attribute__((noinline)) long in_pieces(transfer_fn *move, struct file *file,
						uint64_t buffer, size_t bytes, uint64_t *offset)
{
	struct append append = {0};
	size_t done = 0, piece;
	long moved;

	do {
		piece = bytes - done < AT_ONCE ? bytes - done : AT_ONCE;
		moved = move(file, buffer + done, piece, offset);
		if (moved < 0)
			break;
		if (!done && move == file->ops->write)
			append_begin(&append, file);
		done += (size_t)moved;
	} while ((size_t)moved == piece && done < bytes && sched_pause());
	append_end(&append);
	return done ? (long)done : moved;
}

/* Transfers in pieces where that is equivalent to one transfer. */
static inline long move_all(transfer_fn *move, struct file *file, uint64_t buffer, size_t bytes,
			    uint64_t *offset)
{
	if (bytes <= AT_ONCE || !file->ops->in_pieces)
		return move(file, buffer, bytes, offset);
	return in_pieces(move, file, buffer, bytes, offset);
}

/* True if the descriptor's access mode forbids it. Mode 3 allows neither, as on Linux. */
static inline bool refused(const struct file *file, bool write)
{
	uint32_t access = file->flags & (O_PATH | O_ACCMODE);

	return write ? access != O_WRONLY && access != O_RDWR : access & (O_PATH | O_WRONLY);
}

/* Makes one transfer at *offset: checks the descriptor's mode and limits the length. */
static inline __attribute__((always_inline)) long
transfer(struct file *file, bool write, uint64_t buffer, size_t bytes, uint64_t *offset)
{
	if (refused(file, write))
		return -EBADF;
	if (bytes > TRANSFER_MAX)
		bytes = TRANSFER_MAX;
	if (buffer > USER_END - bytes)
		return -EFAULT;
	if (write)
		return file->ops->write ? move_all(file->ops->write, file, buffer, bytes, offset)
					: -EINVAL;
	return file->ops->read ? move_all(file->ops->read, file, buffer, bytes, offset) : -EINVAL;
}

/* Sends the inotify event of a transfer. */
static __attribute__((noinline)) void notify_watchers(const struct file *file, bool write,
						      long done)
{
	if (done > 0)
		file_notify(file, write ? IN_MODIFY : IN_ACCESS);
}

/* Sends the inotify event and returns `done`. */
static inline __attribute__((always_inline)) long notify(const struct file *file, bool write,
							 long done)
{
	if (__builtin_expect(inotify_watches != 0, 0))
		notify_watchers(file, write, done);
	return done;
}

/* Makes a transfer at the file's own offset that is long, or that must wait for another one. */
static __attribute__((noinline)) long transfer_alone(struct file *file, bool write, uint64_t buffer,
						     size_t bytes)
{
	long result = offset_take(file);

	if (result)
		return result;
	result = transfer(file, write, buffer, bytes, &file->offset);
	offset_give(file);
	return result;
}

static inline __attribute__((always_inline)) long simple(uint64_t fd, bool write, uint64_t buffer,
							 uint64_t bytes)
{
	struct file *file = fd_get((int)fd);
	long result;

	if (!file)
		return -EBADF;
	if (__builtin_expect(bytes > AT_ONCE || file->moving, 0))
		result = transfer_alone(file, write, buffer, bytes);
	else
		result = transfer(file, write, buffer, bytes, &file->offset);
	result = notify(file, write, result);
	file_put(file);
	return result;
}

long sys_read(uint64_t fd, uint64_t buffer, uint64_t bytes)
{
	return simple(fd, false, buffer, bytes);
}

long sys_write(uint64_t fd, uint64_t buffer, uint64_t bytes)
{
	return simple(fd, true, buffer, bytes);
}

/* Transfers at a given offset; the file's own offset does not change. */
static long at_offset(uint64_t fd, bool write, uint64_t buffer, uint64_t bytes, uint64_t offset)
{
	struct file *file;
	long result;

	if ((int64_t)offset < 0)
		return -EINVAL;
	file = fd_get((int)fd);
	if (!file)
		return -EBADF;
	result = file->ops->seek
		     ? notify(file, write, transfer(file, write, buffer, bytes, &offset))
		     : -ESPIPE;
	file_put(file);
	return result;
}

long sys_pread64(uint64_t fd, uint64_t buffer, uint64_t bytes, uint64_t offset)
{
	return at_offset(fd, false, buffer, bytes, offset);
}

long sys_pwrite64(uint64_t fd, uint64_t buffer, uint64_t bytes, uint64_t offset)
{
	return at_offset(fd, true, buffer, bytes, offset);
}

static bool in_user_memory(const struct iovec *vector)
{
	return vector->iov_len <= USER_END &&
	       (uint64_t)vector->iov_base <= USER_END - vector->iov_len;
}

int vectors_from_user(struct vectors *vectors, uint64_t user, uint64_t count)
{
	vectors->list = vectors->quick;
	if (count > VECTORS_MAX)
		return -EINVAL;
	if (count > VECTORS_QUICK)
		vectors->list = kalloc(count * sizeof(*vectors->list));
	if (!vectors->list)
		return -ENOMEM;
	if (copy_from_user(vectors->list, user, count * sizeof(*vectors->list)))
		return -EFAULT;
	for (uint64_t i = 0; i < count; i++)
		if ((int64_t)vectors->list[i].iov_len < 0)
			return -EINVAL;
	for (uint64_t i = 0, left = TRANSFER_MAX; i < count; i++) {
		struct iovec *vector = &vectors->list[i];

		if (!in_user_memory(vector))
			return -EFAULT;
		if (vector->iov_len > left)
			vector->iov_len = left;
		left -= vector->iov_len;
	}
	return 0;
}

void vectors_free(struct vectors *vectors)
{
	if (vectors->list != vectors->quick)
		kfree(vectors->list);
}

static long transfer_vectors(struct file *file, bool write, const struct iovec *vectors,
			     uint64_t count, uint64_t *offset)
{
	long (*all)(struct file *, const struct iovec *, uint64_t) =
	    write ? file->ops->writev : file->ops->readv;
	struct append append = {0};
	long done = 0, result = 0;

	if (all)
		return all(file, vectors, count);
	for (uint64_t i = 0; i < count; i++) {
		if (!vectors[i].iov_len && file->ops->in_pieces)
			continue;
		result = transfer(file, write, (uint64_t)vectors[i].iov_base, vectors[i].iov_len,
				  offset);
		if (result < 0)
			break;
		if (!done && write)
			append_begin(&append, file);
		done += result;
		if ((uint64_t)result < vectors[i].iov_len ||
		    (file->ops->in_pieces && !sched_pause()))
			break;
	}
	append_end(&append);
	return done ? done : result;
}

/* As vectors_at(), at the file's own offset, which is locked if the transfer may sleep. */
static long vectors_at_own(struct file *file, bool write, const struct iovec *vectors,
			   uint64_t count)
{
	long result = offset_take(file);

	if (result)
		return result;
	result = transfer_vectors(file, write, vectors, count, &file->offset);
	offset_give(file);
	return result;
}

/* `offset`: NULL for the file's own. */
static long vectored(uint64_t fd, bool write, uint64_t user, uint64_t count, uint64_t *offset)
{
	struct vectors vectors;
	struct file *file = fd_get((int)fd);
	long result;

	if (!file)
		return -EBADF;
	if (offset && !file->ops->seek)
		result = -ESPIPE;
	else if (refused(file, write))
		result = -EBADF;
	else
		result = 0;
	if (!result) {
		result = vectors_from_user(&vectors, user, count);
		if (!result)
			result = offset ? transfer_vectors(file, write, vectors.list, count, offset)
					: vectors_at_own(file, write, vectors.list, count);
		result = notify(file, write, result);
		vectors_free(&vectors);
	}
	file_put(file);
	return result;
}

long sys_readv(uint64_t fd, uint64_t vectors, uint64_t count)
{
	return vectored(fd, false, vectors, count, NULL);
}

long sys_writev(uint64_t fd, uint64_t vectors, uint64_t count)
{
	return vectored(fd, true, vectors, count, NULL);
}

long sys_preadv(uint64_t fd, uint64_t vectors, uint64_t count, uint64_t offset)
{
	return (int64_t)offset < 0 ? -EINVAL : vectored(fd, false, vectors, count, &offset);
}

long sys_pwritev(uint64_t fd, uint64_t vectors, uint64_t count, uint64_t offset)
{
	return (int64_t)offset < 0 ? -EINVAL : vectored(fd, true, vectors, count, &offset);
}

/* Flags without effect, since all files are in memory: RWF_HIPRI, DSYNC, SYNC, NOWAIT. */
#define HARMLESS (RWF_HIPRI | RWF_DSYNC | RWF_SYNC | RWF_NOWAIT)

/* Offset -1: the file's own. */
static long vectored_with(uint64_t fd, bool write, uint64_t vectors, uint64_t count,
			  uint64_t offset, uint64_t flags)
{
	if ((uint32_t)flags & ~(uint32_t)HARMLESS)
		return -EOPNOTSUPP;
	if (offset == UINT64_MAX)
		return vectored(fd, write, vectors, count, NULL);
	return (int64_t)offset < 0 ? -EINVAL : vectored(fd, write, vectors, count, &offset);
}

long sys_preadv2(uint64_t fd, uint64_t vectors, uint64_t count, uint64_t offset, uint64_t high,
		 uint64_t flags)
{
	(void)high;
	return vectored_with(fd, false, vectors, count, offset, flags);
}

long sys_pwritev2(uint64_t fd, uint64_t vectors, uint64_t count, uint64_t offset, uint64_t high,
		  uint64_t flags)
{
	(void)high;
	return vectored_with(fd, true, vectors, count, offset, flags);
}

long sys_lseek(uint64_t fd, uint64_t offset, uint64_t whence)
{
	struct file *file = fd_get((int)fd);
	long result;

	if (!file)
		return -EBADF;
	result = offset_take(file);
	if (!result) {
		result = file->flags & O_PATH ? -EBADF
			 : file->ops->seek    ? file->ops->seek(file, (int64_t)offset, (int)whence)
					      : -ESPIPE;
		offset_give(file);
	}
	file_put(file);
	return result;
}
