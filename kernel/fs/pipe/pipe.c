/* SPDX-License-Identifier: BSD-2-Clause */
/* Pipes: readers, writers, and waiting. */
#include <asm/ioctls.h>
#include <asm/poll.h>
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/stat.h>
#include "kernel/base/assert.h"
#include "kernel/base/string.h"
#include "kernel/file/file.h"
#include "kernel/file/poll.h"
#include "kernel/file/sigio.h"
#include "kernel/fs/inode.h"
#include "kernel/fs/permission.h"
#include "kernel/fs/pipe/pipe.h"
#include "kernel/fs/pipe/pipe_ring.h"
#include "kernel/mem/account.h"
#include "kernel/mem/cursor.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/signal/signal.h"
#include "kernel/task/membership/cred.h"
#include "kernel/task/task.h"

/* The limit of pipe-user-pages-soft, or none for privileged tasks. */
static uint64_t pages_most(void)
{
	return capable(CAP_SYS_RESOURCE) || capable(CAP_SYS_ADMIN) ? ACCOUNT_FREE : PIPE_PAGES_SOFT;
}

static struct pipe *pipe_new(void)
{
	struct pipe *pipe = kalloc(sizeof(*pipe));
	uint32_t uid = current_task()->cred.uid.real;

	/* Users above their limit get small pipes from then on. */
	if (pipe && pipe_ring_init(pipe, uid, PIPE_BYTES, pages_most()) &&
	    pipe_ring_init(pipe, uid, PIPE_SMALL, ACCOUNT_FREE)) {
		kfree(pipe);
		pipe = NULL;
	}
	if (pipe) {
		waitq_init(&pipe->changes);
		list_init(&pipe->files);
	}
	return pipe;
}

static void pipe_free(struct pipe *pipe)
{
	if (pipe)
		pipe_ring_free(pipe);
	kfree(pipe);
}

/* Sleeps until ready() is true. Returns 0, -EINTR, or -EAGAIN if it may not wait. */
static int pipe_wait(struct pipe *pipe, bool (*ready)(const struct pipe *, size_t), size_t bytes,
		     bool may_wait)
{
	struct waiter waiter;
	int err = 0;

	if (!may_wait)
		return -EAGAIN;
	waitq_add(&pipe->changes, &waiter);
	while (!ready(pipe, bytes) && !err)
		err = waitq_sleep(WAITQ_FOREVER);
	waitq_remove(&waiter);
	return err;
}

static bool can_read(const struct pipe *pipe, size_t bytes)
{
	(void)bytes;
	return pipe->head != pipe->tail || !pipe->writers;
}

static bool can_write(const struct pipe *pipe, size_t bytes)
{
	return pipe->bytes - (pipe->head - pipe->tail) >= bytes || !pipe->readers;
}

/* Bytes or room arrived: wakes sleepers, and sends the signals of O_ASYNC. */
static void pipe_changed(struct pipe *pipe, bool bytes_came)
{
	struct file *file;

	waitq_wake(&pipe->changes);
	if (!async_files)
		return;
	list_for_each(file, &pipe->files, same)
		if ((file->flags & O_ACCMODE) != (bytes_came ? O_WRONLY : O_RDONLY))
			file_send_sigio(file,
					bytes_came ? POLLIN | POLLRDNORM
						   : POLLOUT | POLLWRNORM | POLLWRBAND,
					-1);
}

/* Reads the available bytes; a piece that cannot be copied completely stays. Returns bytes or
 * -EFAULT. */
static inline long read_some(struct pipe *pipe, struct cursor *to, size_t bytes)
{
	size_t done = 0;
	int err = 0;

	while (done < bytes && pipe->head != pipe->tail) {
		uint64_t there = pipe->head - pipe->tail;
		size_t piece = bytes - done < there ? bytes - done : there;
		char *from = pipe_ring_piece(pipe, pipe->tail, &piece);

		err = copy_vectors_quickly(to, from, piece, true);
		if (err)
			break;
		pipe->tail += piece;
		done += piece;
	}
	if (done)
		pipe_changed(pipe, false);
	return done ? (long)done : err;
}

static long pipe_take(struct file *file, struct cursor *to, size_t bytes)
{
	struct pipe *pipe = file->priv;
	bool may_wait = !(file->flags & O_NONBLOCK);
	int err = !bytes || can_read(pipe, 0) ? 0 : pipe_wait(pipe, can_read, 0, may_wait);

	return err || !bytes ? err : read_some(pipe, to, bytes);
}

/* Writes `bytes` bytes, for which there is room, or nothing. Returns 0 or a negative errno. */
static inline int write_whole(struct pipe *pipe, struct cursor *from, size_t bytes)
{
	struct cursor at = *from;
	size_t done, piece;

	for (done = 0; done < bytes; done += piece) {
		char *to;

		piece = bytes - done;
		to = pipe_ring_piece(pipe, pipe->head + done, &piece);
		if (!to || copy_vectors_quickly(&at, to, piece, false))
			return to ? -EFAULT : -ENOMEM;
	}
	pipe->head += bytes;
	*from = at;
	return 0;
}

/* Writes as much as fits, in pages of the writer, each of which counts as a whole. Returns bytes or
 * a negative errno. */
static long write_some(struct pipe *pipe, struct cursor *from, size_t bytes)
{
	size_t done = 0;

	while (done < bytes && pipe->head - pipe->tail < pipe->bytes) {
		uint64_t room = pipe->bytes - (pipe->head - pipe->tail);
		size_t piece = bytes - done < room ? bytes - done : room;
		int err;

		piece = piece < PAGE_SIZE ? piece : PAGE_SIZE;
		err = write_whole(pipe, from, piece);
		if (err)
			return done ? (long)done : err;
		done += piece;
	}
	return (long)done;
}

static long pipe_give(struct file *file, struct cursor *from, size_t bytes)
{
	struct pipe *pipe = file->priv;
	size_t atomic = bytes <= PIPE_ATOMIC ? bytes : 1, done = 0;
	long result = 0;

	while (done < bytes) {
		if (!pipe->readers) {
			signal_send(current_task(), SIGPIPE);
			result = -EPIPE;
		} else if (can_write(pipe, atomic)) {
			result = write_some(pipe, from, bytes - done);
			if (result > 0) {
				done += (size_t)result;
				pipe_changed(pipe, true);
				continue;
			}
		} else {
			result = pipe_wait(pipe, can_write, atomic, !(file->flags & O_NONBLOCK));
		}
		if (result)
			break;
	}
	return done ? (long)done : result;
}

static long pipe_read(struct file *file, uint64_t buffer, size_t bytes, uint64_t *offset)
{
	const struct iovec vector = {(void *)buffer, bytes};

	(void)offset;
	return pipe_take(file, &(struct cursor){&vector, 1, 0}, bytes);
}

static long pipe_write(struct file *file, uint64_t buffer, size_t bytes, uint64_t *offset)
{
	const struct iovec vector = {(void *)buffer, bytes};

	(void)offset;
	return pipe_give(file, &(struct cursor){&vector, 1, 0}, bytes);
}

static long pipe_readv(struct file *file, const struct iovec *vectors, uint64_t count)
{
	return pipe_take(file, &(struct cursor){vectors, count, 0}, vectors_bytes(vectors, count));
}

static long pipe_writev(struct file *file, const struct iovec *vectors, uint64_t count)
{
	return pipe_give(file, &(struct cursor){vectors, count, 0}, vectors_bytes(vectors, count));
}

/* ---- splice(2) and its like ---- */

int pipe_wait_bytes(struct file *file, bool may_wait)
{
	struct pipe *pipe = file->priv;
	int err = can_read(pipe, 0) ? 0 : pipe_wait(pipe, can_read, 0, may_wait);

	return err ? err : pipe->head != pipe->tail;
}

int pipe_wait_room(struct file *file, bool may_wait)
{
	struct pipe *pipe = file->priv;
	int err = can_write(pipe, PAGE_SIZE) ? 0 : pipe_wait(pipe, can_write, PAGE_SIZE, may_wait);

	if (err || pipe->readers)
		return err;
	signal_send(current_task(), SIGPIPE);
	return -EPIPE;
}

bool pipe_same(const struct file *one, const struct file *other)
{
	return one->priv == other->priv;
}

long pipe_reserve(struct file *file, size_t bytes)
{
	struct pipe *pipe = file->priv;
	size_t room = (pipe->bytes - (pipe->head - pipe->tail)) & ~(PAGE_SIZE - 1), piece;

	if (bytes > room)
		bytes = room;
	for (size_t at = 0; at < bytes; at += piece) {
		piece = bytes - at;
		if (!pipe_ring_piece(pipe, pipe->head + at, &piece))
			return -ENOMEM;
	}
	return (long)bytes;
}

void pipe_put(struct file *file, const char *from, size_t bytes)
{
	struct pipe *pipe = file->priv;
	size_t piece;

	for (size_t at = 0; at < bytes; at += piece) {
		char *to;

		piece = bytes - at;
		to = pipe_ring_piece(pipe, pipe->head, &piece);
		memcpy(to, from + at, piece);
		pipe->head += piece;
	}
	pipe_changed(pipe, true);
}

const char *pipe_look(struct file *file, size_t at, size_t *bytes)
{
	struct pipe *pipe = file->priv;
	size_t there = pipe->head - pipe->tail;

	if (at >= there)
		return NULL;
	if (*bytes > there - at)
		*bytes = there - at;
	return pipe_ring_piece(pipe, pipe->tail + at, bytes);
}

void pipe_drop(struct file *file, size_t bytes)
{
	struct pipe *pipe = file->priv;

	pipe->tail += bytes;
	pipe_changed(pipe, false);
}

long pipe_put_user(struct file *file, uint64_t buffer, size_t bytes)
{
	const struct iovec vector = {(void *)buffer, bytes};
	long done = write_some(file->priv, &(struct cursor){&vector, 1, 0}, bytes);

	if (done > 0)
		pipe_changed(file->priv, true);
	return done;
}

long pipe_take_user(struct file *file, uint64_t buffer, size_t bytes)
{
	const struct iovec vector = {(void *)buffer, bytes};

	return read_some(file->priv, &(struct cursor){&vector, 1, 0}, bytes);
}

long pipe_bytes(const struct file *file)
{
	const struct pipe *pipe = file->priv;

	return file->ops == &fifo_ops ? (long)pipe->bytes : -EBADF;
}

long pipe_resize(struct file *file, uint64_t wanted)
{
	struct pipe *pipe = file->priv, new = {0};
	uint64_t bytes = PAGE_SIZE, limit;
	int err;

	if (file->ops != &fifo_ops)
		return -EBADF;
	if (wanted > 1ul << 31)
		return -EINVAL;
	while (bytes < wanted)
		bytes *= 2;
	if (bytes > pipe->bytes && bytes > PIPE_MAX && !capable(CAP_SYS_RESOURCE))
		return -EPERM;
	if (bytes < pipe->head - pipe->tail)
		return -EBUSY;
	limit = bytes > pipe->bytes ? pages_most() : ACCOUNT_FREE;
	if (limit != ACCOUNT_FREE)
		limit += pipe->bytes / PAGE_SIZE; /* those go */
	err = pipe_ring_init(&new, current_task()->cred.uid.real, bytes, limit);
	if (err)
		return err;
	if (pipe_ring_copy(&new, pipe)) {
		pipe_ring_free(&new);
		return -ENOMEM;
	}
	pipe_ring_free(pipe);
	pipe->pages = new.pages;
	pipe->bytes = bytes;
	pipe->charged_uid = new.charged_uid;
	pipe_changed(pipe, false);
	return (long)bytes;
}

static unsigned pipe_poll(struct file *file, struct poll_table *table)
{
	struct pipe *pipe = file->priv;
	unsigned events = 0;

	poll_wait(table, &pipe->changes);
	if ((file->flags & O_ACCMODE) != O_WRONLY) {
		if (pipe->head != pipe->tail)
			events |= POLLIN | POLLRDNORM;
		if (!pipe->writers && pipe->writer_opens)
			events |= POLLHUP;
	}
	if ((file->flags & O_ACCMODE) != O_RDONLY) {
		if (pipe->bytes - (pipe->head - pipe->tail) >= PIPE_ATOMIC)
			events |= POLLOUT | POLLWRNORM;
		if (!pipe->readers)
			events |= POLLERR;
	}
	return events;
}

static long pipe_ioctl(struct file *file, unsigned command, uint64_t argument)
{
	struct pipe *pipe = file->priv;
	int waiting = (int)(pipe->head - pipe->tail);

	return command == FIONREAD ? copy_to_user(argument, &waiting, sizeof(waiting)) : -ENOTTY;
}

static void pipe_release(struct file *file)
{
	struct pipe *pipe = file->priv;

	if (!pipe)
		return;
	if ((file->flags & O_ACCMODE) != O_WRONLY)
		pipe->readers--;
	if ((file->flags & O_ACCMODE) != O_RDONLY)
		pipe->writers--;
	list_remove(&file->same);
	KASSERT(pipe->refs > 0);
	if (--pipe->refs) {
		pipe_changed(pipe, true);
		pipe_changed(pipe, false);
		return;
	}
	if (file->inode)
		file->inode->priv = 0;
	pipe_free(pipe);
}

const struct file_ops fifo_ops = {
    .read = pipe_read,
    .write = pipe_write,
    .readv = pipe_readv,
    .writev = pipe_writev,
    .ioctl = pipe_ioctl,
    .poll = pipe_poll,
    .release = pipe_release,
};

/* Makes the file an end of the pipe. */
static void attach(struct pipe *pipe, struct file *file)
{
	file->priv = pipe;
	list_add_tail(&pipe->files, &file->same);
	pipe->refs++;
	if ((file->flags & O_ACCMODE) != O_WRONLY) {
		pipe->readers++;
		pipe->reader_opens++;
	}
	if ((file->flags & O_ACCMODE) != O_RDONLY) {
		pipe->writers++;
		pipe->writer_opens++;
	}
}

int pipe_open(uint32_t flags, struct file *ends[2])
{
	struct pipe *pipe = pipe_new();
	struct inode *inode = inode_new(S_IFIFO | 0600);

	ends[0] = file_new(&fifo_ops, NULL, flags | O_RDONLY);
	ends[1] = file_new(&fifo_ops, NULL, flags | O_WRONLY);
	if (!pipe || !inode || !ends[0] || !ends[1]) {
		kfree(ends[0]);
		kfree(ends[1]);
		kfree(inode);
		pipe_free(pipe);
		return -ENOMEM;
	}
	inode->nlink = 1;
	inode_take(inode, NULL);
	inode->priv = (uint64_t)pipe;
	inode_get(inode);
	for (unsigned i = 0; i < 2; i++) {
		ends[i]->inode = inode;
		attach(pipe, ends[i]);
	}
	return 0;
}

int fifo_open(struct inode *inode, struct file *file)
{
	struct pipe *pipe = (struct pipe *)inode->priv;
	uint32_t access = file->flags & O_ACCMODE, opens;
	struct waiter waiter;
	int err = 0;

	if (access == O_ACCMODE)
		return -EINVAL;
	if (access == O_WRONLY && file->flags & O_NONBLOCK && (!pipe || !pipe->readers))
		return -ENXIO;
	if (!pipe)
		pipe = pipe_new();
	if (!pipe)
		return -ENOMEM;
	inode->priv = (uint64_t)pipe;
	attach(pipe, file);
	waitq_wake(&pipe->changes);
	if (access == O_RDWR || file->flags & O_NONBLOCK)
		return 0;
	opens = access == O_RDONLY ? pipe->writer_opens : pipe->reader_opens;
	waitq_add(&pipe->changes, &waiter);
	while (!err && !(access == O_RDONLY ? pipe->writers || pipe->writer_opens != opens
					    : pipe->readers || pipe->reader_opens != opens))
		err = waitq_sleep(WAITQ_FOREVER);
	waitq_remove(&waiter);
	return err;
}
