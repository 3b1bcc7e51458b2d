/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies between files without the program: copy_file_range(2), sendfile(2). */
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/inotify.h>
#include <linux/stat.h>
#include "api/calls.h"
#include "api/file/ranges.h"
#include "kernel/base/string.h"
#include "kernel/file/descriptor_table.h"
#include "kernel/file/file.h"
#include "kernel/fs/inode.h"
#include "kernel/fs/inotify.h"
#include "kernel/fs/pipe/pipe.h"
#include "kernel/fs/ramfile.h"
#include "kernel/fs/regular.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/task/sched.h"
#include "kernel/time/clock.h"

#define COPY_MAX     0x7ffff000ul  /* bytes of one call, as Linux */
#define COPY_AT_ONCE (256ul << 10) /* without a pause */

int range_get(struct range *range, uint64_t fd, uint64_t user)
{
	range->user = user;
	range->file = fd_get((int)fd);
	if (!range->file || range->file->flags & O_PATH)
		return -EBADF;
	range->offset = user ? &range->own : &range->file->offset;
	return 0;
}

int range_read(struct range *range)
{
	return range->user && copy_from_user(&range->own, range->user, sizeof(range->own)) ? -EFAULT
											   : 0;
}

int range_put(struct range *range, bool moved)
{
	int err = 0;

	if (moved && range->user)
		err = copy_to_user(range->user, &range->own, sizeof(range->own));
	if (range->file)
		file_put(range->file);
	return err;
}

/* Checks for regular files with the right access modes; `dir` is the errno for directories. */
static int check_files(const struct file *from, const struct file *to, int dir)
{
	if (from->ops == &dir_ops || to->ops == &dir_ops)
		return dir;
	if (from->ops != &regular_ops || to->ops != &regular_ops)
		return -EINVAL;
	if (!file_reads(from) || !file_writes(to))
		return -EBADF;
	return 0;
}

/* Copies page by page. Returns the bytes or -ENOSPC. */
static long copy_pages(struct inode *from, uint64_t from_at, struct inode *to, uint64_t to_at,
		       size_t bytes)
{
	size_t done = 0;

	while (done < bytes) {
		uint64_t start = (to_at + done) % PAGE_SIZE, room = PAGE_SIZE - start;
		size_t piece = bytes - done < room ? bytes - done : room;
		char *page = inode_page(to, (to_at + done) / PAGE_SIZE);

		if (!page)
			break;
		inode_read(from, from_at + done, page + start, piece);
		page_put(page);
		done += piece;
	}
	if (to_at + done > to->size)
		to->size = to_at + done;
	return done ? (long)done : -ENOSPC;
}

static bool overlap(const struct range *from, const struct range *to, uint64_t bytes)
{
	return from->file->inode == to->file->inode && *from->offset < *to->offset + bytes &&
	       *to->offset < *from->offset + bytes;
}

/* Copies in pieces; the limits of the target are checked again after each pause. */
static long copy_pausing(struct range *from, struct range *to, uint64_t bytes)
{
	struct inode *target = to->file->inode;
	uint64_t done = 0;

	do {
		size_t piece = bytes - done < COPY_AT_ONCE ? bytes - done : COPY_AT_ONCE;
		long moved = regular_write_check(target, *to->offset, &piece);

		if (!moved)
			moved = copy_pages(from->file->inode, *from->offset, target, *to->offset,
					   piece);
		if (moved <= 0)
			return done ? (long)done : moved;
		*from->offset += (uint64_t)moved;
		*to->offset += (uint64_t)moved;
		target->mtime_ns = target->ctime_ns = clock_real_ns();
		done += (uint64_t)moved;
		if ((uint64_t)moved < piece)
			break;
	} while (done < bytes && sched_pause());
	return (long)done;
}

/* Copies between two checked ranges, up to the end of the first file. */
static long copy(struct range *from, struct range *to, uint64_t bytes)
{
	struct inode *source = from->file->inode, *target = to->file->inode;
	int64_t end;
	long done;

	if (bytes > COPY_MAX)
		bytes = COPY_MAX;
	if ((int64_t)*from->offset < 0 || (int64_t)*to->offset < 0)
		return -EINVAL;
	if (__builtin_add_overflow((int64_t)*from->offset, (int64_t)bytes, &end) ||
	    __builtin_add_overflow((int64_t)*to->offset, (int64_t)bytes, &end))
		return -EOVERFLOW;
	if (*from->offset >= source->size)
		return 0;
	if (bytes > source->size - *from->offset)
		bytes = source->size - *from->offset;
	done = regular_write_check(target, *to->offset, &bytes);
	if (done || !bytes)
		return done;
	if (overlap(from, to, bytes))
		return -EINVAL;
	done = copy_pausing(from, to, bytes);
	if (done > 0) {
		file_notify(from->file, IN_ACCESS);
		file_notify(to->file, IN_MODIFY);
	}
	return done;
}

long sys_copy_file_range(uint64_t in, uint64_t in_offset, uint64_t out, uint64_t out_offset,
			 uint64_t bytes, uint64_t flags)
{
	struct range from, to = {0};
	long done = range_get(&from, in, in_offset);
	int err;

	if (!done)
		done = range_get(&to, out, out_offset);
	if (!done)
		done = range_read(&from);
	if (!done)
		done = range_read(&to);
	if (!done)
		done = flags ? -EINVAL : check_files(from.file, to.file, -EISDIR);
	if (!done)
		done = to.file->flags & O_APPEND ? -EBADF : copy(&from, &to, bytes);
	err = range_put(&from, done > 0);
	err = range_put(&to, done > 0) ? -EFAULT : err;
	return err ? err : done;
}

static long send(struct range *from, struct range *to, uint64_t bytes)
{
	long err;

	if (to->file->ops == &fifo_ops)
		return splice_to_pipe(from, to->file, bytes);
	err = check_files(from->file, to->file, -EINVAL);
	if (err)
		return err;
	return to->file->flags & O_APPEND ? -EINVAL : copy(from, to, bytes);
}

long sys_sendfile(uint64_t out, uint64_t in, uint64_t in_offset, uint64_t bytes)
{
	struct range from, to = {0};
	long done = range_get(&from, in, in_offset);
	int err;

	if (!done)
		done = range_read(&from);
	if (!done)
		done = range_get(&to, out, 0);
	if (!done)
		done = send(&from, &to, bytes);
	err = range_put(&from, done > 0);
	range_put(&to, false);
	return err ? err : done;
}
