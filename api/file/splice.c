/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies to, from and between pipes: splice(2), tee(2), vmsplice(2). */
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/inotify.h>
#include "api/calls.h"
#include "api/file/ranges.h"
#include "api/file/vectors.h"
#include "kernel/base/string.h"
#include "kernel/file/file.h"
#include "kernel/fs/inode.h"
#include "kernel/fs/inotify.h"
#include "kernel/fs/pipe/pipe.h"
#include "kernel/fs/ramfile.h"
#include "kernel/fs/regular.h"
#include "kernel/mem/memory.h"
#include "kernel/time/clock.h"

#define FLAG_MOVE     1u /* SPLICE_F_*: they are in no header that programs share */
#define FLAG_NONBLOCK 2u
#define FLAG_MORE     4u
#define FLAG_GIFT     8u
#define FLAGS         (FLAG_MOVE | FLAG_NONBLOCK | FLAG_MORE | FLAG_GIFT)
#define SPLICE_MAX    (1ul << 20) /* bytes of one call, which may do less than is asked */

static bool is_pipe(const struct file *file)
{
	return file->ops == &fifo_ops;
}

/* Waits until `in` has bytes or is at its end, and `out` has room: 0 or a negative errno. */
static int wait_both(struct file *in, struct file *out, bool wait)
{
	size_t one = 1;
	int some, err;

	do {
		some = pipe_wait_bytes(in, wait);
		if (some < 0)
			return some;
		err = pipe_wait_room(out, wait);
		if (err)
			return err;
	} while (some && !pipe_look(in, 0, &one)); /* another reader took the bytes */
	return 0;
}

/* Moves as many bytes as one pipe has and the other has room for; `keep` leaves them readable
 * (tee). Returns bytes or a negative errno. */
static long between_pipes(struct file *in, struct file *out, size_t bytes, bool wait, bool keep)
{
	const char *from;
	size_t done = 0, piece;
	long room = wait_both(in, out, wait);

	if (!room)
		room = pipe_reserve(out, bytes);
	while (room > 0 && done < (size_t)room) {
		piece = (size_t)room - done;
		from = pipe_look(in, done, &piece);
		if (!from)
			break;
		pipe_put(out, from, piece);
		done += piece;
	}
	if (done && !keep)
		pipe_drop(in, done);
	return room < 0 ? room : (long)done;
}

/* Copies up to a page at `offset`: bytes or a negative errno. */
static long into_page(struct inode *inode, const char *from, size_t bytes, uint64_t offset)
{
	uint64_t start = offset % PAGE_SIZE;
	long err = regular_write_check(inode, offset, &bytes);
	char *page;

	if (err)
		return err;
	if (bytes > PAGE_SIZE - start)
		bytes = PAGE_SIZE - start;
	page = inode_page(inode, offset / PAGE_SIZE);
	if (!page)
		return -ENOSPC;
	memcpy(page + start, from, bytes);
	page_put(page);
	if (offset + bytes > inode->size)
		inode->size = offset + bytes;
	inode->mtime_ns = inode->ctime_ns = clock_real_ns();
	return (long)bytes;
}

static long pipe_to_file(struct file *in, struct range *to, size_t bytes, bool wait)
{
	const char *from;
	size_t done = 0, piece;
	long moved;

	if (to->file->ops != &regular_ops)
		return -EINVAL;
	moved = pipe_wait_bytes(in, wait);
	while (moved > 0 && done < bytes) {
		piece = bytes - done;
		from = pipe_look(in, 0, &piece);
		if (!from)
			break;
		moved = into_page(to->file->inode, from, piece, *to->offset);
		if (moved <= 0)
			break;
		pipe_drop(in, (size_t)moved);
		*to->offset += (uint64_t)moved;
		done += (size_t)moved;
	}
	return done ? (long)done : moved;
}

/* Copies as much as the file has now and the pipe has room for. */
static long take_all(struct range *from, struct file *out, size_t bytes, char *page)
{
	long room = pipe_reserve(out, bytes), moved = 0;
	size_t done = 0;

	if (room < 0)
		return room;
	while (done < (size_t)room) {
		size_t piece = (size_t)room - done < PAGE_SIZE ? (size_t)room - done : PAGE_SIZE;

		moved = from->file->ops->take(from->file, page, piece, *from->offset);
		if (moved <= 0)
			break;
		pipe_put(out, page, (size_t)moved);
		*from->offset += (uint64_t)moved;
		done += (size_t)moved;
	}
	return done ? (long)done : moved;
}

static long file_to_pipe(struct range *from, struct file *out, size_t bytes, bool wait)
{
	bool wait_file = wait && !(from->file->flags & O_NONBLOCK);
	char *page;
	long done;

	if (!from->file->ops->take)
		return -EINVAL;
	page = page_alloc_dirty();
	if (!page)
		return -ENOMEM;
	done = pipe_wait_room(out, wait);
	while (!done) {
		done = take_all(from, out, bytes, page);
		if (!done)
			break;
		if (done == -EAGAIN && wait_file)
			done = from->file->ops->await(from->file);
		if (!done)
			done = pipe_wait_room(out, wait);
	}
	page_put(page);
	return done;
}

/* Checks the offset of the file that is not a pipe, and the end of the copy: 0 or -EINVAL. */
static int check_offset(const struct range *range, size_t bytes)
{
	int64_t end;

	if (range->user && !range->file->ops->seek)
		return -EINVAL;
	return (int64_t)bytes < 0 || (int64_t)*range->offset < 0 ||
		       __builtin_add_overflow((int64_t)*range->offset, (int64_t)bytes, &end)
		   ? -EINVAL
		   : 0;
}

/* Sends the inotify events of a copy. */
static long report_transfer(struct file *in, struct file *out, long done)
{
	if (done > 0) {
		file_notify(in, IN_ACCESS);
		file_notify(out, IN_MODIFY);
	}
	return done;
}

long splice_to_pipe(struct range *from, struct file *pipe, size_t bytes)
{
	size_t most = bytes < SPLICE_MAX ? bytes : SPLICE_MAX;

	if (!file_reads(from->file) || !file_writes(pipe))
		return -EBADF;
	if (from->file->ops != &regular_ops || check_offset(from, bytes))
		return -EINVAL;
	return report_transfer(from->file, pipe,
			       file_to_pipe(from, pipe, most, !(pipe->flags & O_NONBLOCK)));
}

/* Selects the case: to, from or between pipes. */
static long splice(struct range *from, struct range *to, size_t bytes, uint32_t flags)
{
	struct file *in = from->file, *out = to->file;
	bool wait = !(flags & FLAG_NONBLOCK);
	size_t most = bytes < SPLICE_MAX ? bytes : SPLICE_MAX;

	if (!file_reads(in) || !file_writes(out))
		return -EBADF;
	if (is_pipe(in) && is_pipe(out)) {
		wait = wait && !((in->flags | out->flags) & O_NONBLOCK);
		return pipe_same(in, out) ? -EINVAL : between_pipes(in, out, most, wait, false);
	}
	if (is_pipe(in)) {
		if (check_offset(to, bytes) || out->flags & O_APPEND)
			return -EINVAL;
		return pipe_to_file(in, to, most, wait && !(in->flags & O_NONBLOCK));
	}
	if (!is_pipe(out) || check_offset(from, bytes))
		return -EINVAL;
	return file_to_pipe(from, out, most, wait && !(out->flags & O_NONBLOCK));
}

/* Pipes have no offset: 0 or -ESPIPE. */
static int check_pipe(const struct range *range)
{
	return range->user && is_pipe(range->file) ? -ESPIPE : 0;
}

long sys_splice(uint64_t in, uint64_t in_offset, uint64_t out, uint64_t out_offset, uint64_t bytes,
		uint64_t flags)
{
	struct range from, to = {0};
	long done;
	int err;

	if (!bytes)
		return 0;
	if ((uint32_t)flags & ~FLAGS)
		return -EINVAL;
	done = range_get(&from, in, in_offset);
	if (!done)
		done = range_get(&to, out, out_offset);
	if (!done)
		done = check_pipe(&from);
	if (!done)
		done = check_pipe(&to);
	if (!done)
		done = range_read(&to);
	if (!done)
		done = range_read(&from);
	if (!done)
		done =
		    report_transfer(from.file, to.file, splice(&from, &to, bytes, (uint32_t)flags));
	err = range_put(&from, done >= 0);
	err = range_put(&to, done >= 0) ? -EFAULT : err;
	return err ? err : done;
}

static long tee(struct file *in, struct file *out, size_t bytes, uint32_t flags)
{
	if (!file_reads(in) || !file_writes(out))
		return -EBADF;
	if (!is_pipe(in) || !is_pipe(out) || pipe_same(in, out))
		return -EINVAL;
	return between_pipes(in, out, bytes < SPLICE_MAX ? bytes : SPLICE_MAX,
			     !(flags & FLAG_NONBLOCK || (in->flags | out->flags) & O_NONBLOCK),
			     true);
}

long sys_tee(uint64_t in, uint64_t out, uint64_t bytes, uint64_t flags)
{
	struct range from, to = {0};
	long done;

	if ((uint32_t)flags & ~FLAGS)
		return -EINVAL;
	if (!bytes)
		return 0;
	done = range_get(&from, in, 0);
	if (!done)
		done = range_get(&to, out, 0);
	if (!done)
		done = tee(from.file, to.file, bytes, (uint32_t)flags);
	range_put(&from, false);
	range_put(&to, false);
	return done;
}

/* Copies as much as fits, or as is there: only the first byte may wait. */
static long copy_vectors(struct file *file, const struct iovec *vectors, uint64_t count, bool wait)
{
	bool write = file_writes(file);
	long done = write ? pipe_wait_room(file, wait) : pipe_wait_bytes(file, wait), moved;

	if (done < 0)
		return done;
	done = 0;
	for (uint64_t i = 0; i < count; i++) {
		uint64_t base = (uint64_t)vectors[i].iov_base;
		size_t bytes = vectors[i].iov_len, most = SPLICE_MAX - (size_t)done;

		if (bytes > most)
			bytes = most;
		moved =
		    write ? pipe_put_user(file, base, bytes) : pipe_take_user(file, base, bytes);
		if (moved < 0)
			return done ? done : moved;
		done += moved;
		if ((size_t)moved < vectors[i].iov_len)
			break;
	}
	return done;
}

static long vmsplice(struct file *file, uint64_t user, uint64_t count, bool wait)
{
	struct vectors vectors;
	uint64_t bytes = 0;
	long done = vectors_from_user(&vectors, user, count);

	for (uint64_t i = 0; !done && i < count; i++)
		bytes |= vectors.list[i].iov_len;
	if (!done && bytes)
		done = is_pipe(file) ? copy_vectors(file, vectors.list, count, wait) : -EBADF;
	vectors_free(&vectors);
	return done;
}

long sys_vmsplice(uint64_t fd, uint64_t user, uint64_t count, uint64_t flags)
{
	struct range range;
	long done;

	if ((uint32_t)flags & ~FLAGS)
		return -EINVAL;
	done = range_get(&range, fd, 0);
	if (!done)
		done = vmsplice(range.file, user, count, !(flags & FLAG_NONBLOCK));
	range_put(&range, false);
	return done;
}
