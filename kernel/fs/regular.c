/* SPDX-License-Identifier: BSD-2-Clause */
/* Open regular files and directories: read, write, seek, map; and opening any inode. */
#include <asm/ioctls.h>
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/fs.h>
#include <linux/inotify.h>
#include <linux/mman.h>
#include <linux/resource.h>
#include <linux/stat.h>
#include "kernel/base/string.h"
#include "kernel/file/file.h"
#include "kernel/fs/inode.h"
#include "kernel/fs/inotify.h"
#include "kernel/fs/locks.h"
#include "kernel/fs/permission.h"
#include "kernel/fs/pipe/pipe.h"
#include "kernel/fs/ramfile.h"
#include "kernel/fs/regular.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/space.h"
#include "kernel/mem/user.h"
#include "kernel/signal/signal.h"
#include "kernel/task/membership/cred.h"
#include "kernel/task/task.h"
#include "kernel/time/clock.h"

static long regular_read(struct file *file, uint64_t buffer, size_t bytes, uint64_t *offset)
{
	struct inode *inode = file->inode;
	size_t done = 0;

	if (*offset >= inode->size)
		return 0;
	if (bytes > inode->size - *offset)
		bytes = inode->size - *offset;
	while (done < bytes) {
		const void *piece;
		size_t length = inode_view(inode, *offset + done, bytes - done, &piece);
		size_t copied = copy_some_to_user(buffer + done, piece, length);

		done += copied;
		if (copied < length)
			break;
	}
	*offset += done;
	return done || !bytes ? (long)done : -EFAULT;
}

static long regular_take(struct file *file, char *page, size_t bytes, uint64_t offset)
{
	return (long)inode_read(file->inode, offset, page, bytes);
}

/* Copies into the file at *offset, page by page, and extends its size. Returns bytes or a negative
 * errno. */
static long write_pages(struct inode *inode, uint64_t buffer, size_t bytes, uint64_t offset)
{
	size_t done = 0, copied;
	int err = 0;

	while (done < bytes && !err) {
		uint64_t at = offset + done, start = at % PAGE_SIZE;
		size_t piece = PAGE_SIZE - start < bytes - done ? PAGE_SIZE - start : bytes - done;
		char *page = inode_page(inode, at / PAGE_SIZE);

		if (!page) {
			err = -ENOSPC;
			break;
		}
		copied = copy_some_from_user(page + start, buffer + done, piece);
		page_put(page);
		done += copied;
		err = copied < piece ? -EFAULT : 0;
	}
	if (offset + done > inode->size)
		inode->size = offset + done;
	return done ? (long)done : err;
}

int file_size_permitted(uint64_t size)
{
	if (size <= current_task()->process->limits[RLIMIT_FSIZE][0])
		return 0;
	signal_send(current_task(), SIGXFSZ);
	return -EFBIG;
}

int regular_write_check(struct inode *inode, uint64_t offset, size_t *bytes)
{
	uint64_t limit = current_task()->process->limits[RLIMIT_FSIZE][0];

	if (offset >= limit)
		return file_size_permitted(offset + 1);
	if (*bytes > limit - offset)
		*bytes = limit - offset;
	if (inode->seals & (F_SEAL_WRITE | F_SEAL_FUTURE_WRITE))
		return -EPERM;
	if (inode->seals & F_SEAL_GROW && offset + *bytes > inode->size)
		return -EPERM;
	if (offset >= FILE_LARGEST)
		return -EFBIG;
	if (*bytes > FILE_LARGEST - offset)
		*bytes = FILE_LARGEST - offset;
	if (inode->mode & (S_ISUID | S_ISGID) && !capable(CAP_FSETID))
		inode_drop_set_ids(inode);
	return 0;
}

static struct waitq append_waiters = {{&append_waiters.waiters, &append_waiters.waiters}};

void append_begin(struct append *append, const struct file *file)
{
	if (!(file->flags & O_APPEND) || !file->inode || file->inode->append)
		return;
	*append = (struct append){file->inode, current_task()};
	file->inode->append = append;
}

void append_end(struct append *append)
{
	if (!append->inode)
		return;
	append->inode->append = NULL;
	waitq_wake(&append_waiters);
}

static __attribute__((noinline)) int append_wait(const struct inode *inode)
{
	struct waiter waiter;
	int err = 0;

	waitq_add(&append_waiters, &waiter);
	while (inode->append && !err)
		err = waitq_sleep_killable();
	waitq_remove(&waiter);
	return err;
}

/* Sets *offset to the end of the file, except in the current task's append. */
static int append_place(const struct inode *inode, uint64_t *offset)
{
	int err = 0;

	if (inode->append && inode->append->task == current_task())
		return 0;
	if (inode->append)
		err = append_wait(inode);
	*offset = inode->size;
	return err;
}

static long regular_write(struct file *file, uint64_t buffer, size_t bytes, uint64_t *offset)
{
	struct inode *inode = file->inode;
	long done = file->flags & O_APPEND ? append_place(inode, offset) : 0;

	if (done || !bytes)
		return done;
	done = regular_write_check(inode, *offset, &bytes);
	if (done)
		return done;
	done = write_pages(inode, buffer, bytes, *offset);
	if (done > 0) {
		*offset += (uint64_t)done;
		inode->mtime_ns = inode->ctime_ns = clock_real_ns();
	}
	return done;
}

static long file_seek(struct file *file, int64_t offset, int whence)
{
	int64_t size = (int64_t)file->inode->size, at;

	switch (whence) {
	case SEEK_SET:
		at = 0;
		break;
	case SEEK_CUR:
		at = (int64_t)file->offset;
		break;
	case SEEK_END:
		at = size;
		break;
	case SEEK_DATA:
	case SEEK_HOLE:
		/* Every byte up to the end counts as data. */
		if (offset < 0 || offset >= size)
			return -ENXIO;
		at = whence == SEEK_HOLE ? size - offset : 0;
		break;
	default:
		return -EINVAL;
	}
	if (__builtin_add_overflow(at, offset, &at))
		return -EOVERFLOW;
	if (at < 0)
		return -EINVAL;
	file->offset = (uint64_t)at;
	return at;
}

static int regular_mmap(struct file *file, struct vma *vma)
{
	file->inode->mapped = true;
	if (!(file->inode->seals & (F_SEAL_WRITE | F_SEAL_FUTURE_WRITE)) ||
	    !(vma->flags & MAP_SHARED))
		return 0;
	if (vma->prot & PROT_WRITE)
		return -EPERM;
	vma->flags |= VMA_SEALED;
	return 0;
}

/* True if it prevents the file's execution. Memory that never had a name may be writable and
 * executable, as on Linux. */
static bool is_writer(const struct file *file)
{
	return file_writes(file) && !file->inode->label;
}

static void regular_release(struct file *file)
{
	if (is_writer(file))
		file->inode->writers--;
}

/* FIONREAD: the bytes from the position to the end. */
static long regular_ioctl(struct file *file, unsigned command, uint64_t argument)
{
	int left = (int)(file->inode->size - file->offset);

	return command == FIONREAD ? copy_to_user(argument, &left, sizeof(left)) : -ENOTTY;
}

const struct file_ops regular_ops = {
    .read = regular_read,
    .write = regular_write,
    .take = regular_take,
    .in_pieces = true,
    .seek = file_seek,
    .ioctl = regular_ioctl,
    .mmap = regular_mmap,
    .release = regular_release,
};

static long dir_read(struct file *file, uint64_t buffer, size_t bytes, uint64_t *offset)
{
	(void)file, (void)buffer, (void)bytes, (void)offset;
	return -EISDIR;
}

/* A directory's file keeps the entry that it listed last. */
static void dir_release(struct file *file)
{
	name_put(file->priv);
}

const struct file_ops dir_ops = {
    .read = dir_read,
    .seek = file_seek,
    .release = dir_release,
};

/* Files opened with O_PATH: a position in the tree, nothing else. */
static const struct file_ops path_ops = {0};

static const struct file_ops *ops_of(const struct inode *inode)
{
	if (inode->fops)
		return inode->fops;
	if (S_ISDIR(inode->mode))
		return &dir_ops;
	if (S_ISFIFO(inode->mode))
		return &fifo_ops;
	return S_ISREG(inode->mode) ? &regular_ops : NULL;
}

/* Calls a special inode's operation for a new open file. */
static int opened(struct inode *inode, struct file *file)
{
	if (file->ops == &fifo_ops)
		return fifo_open(inode, file);
	return file->ops != &path_ops && inode->ops && inode->ops->open
		   ? inode->ops->open(inode, file)
		   : 0;
}

int inode_open(struct inode *inode, struct dirent *name, uint32_t flags, struct file **file)
{
	bool writes = (flags & O_ACCMODE) != O_RDONLY;
	const struct file_ops *ops = flags & O_PATH ? &path_ops : ops_of(inode);
	struct file *new;
	int err;

	if (S_ISDIR(inode->mode) && writes && !(flags & O_PATH))
		return -EISDIR;
	err = flags & O_PATH ? 0 : inode_fetch(inode);
	if (err)
		return err;
	if (!ops)
		return -ENXIO;
	if (ops == &regular_ops && inode->executors && (writes || flags & O_TRUNC))
		return -ETXTBSY;
	new = file_new(ops, NULL, flags);
	if (!new)
		return -ENOMEM;
	new->inode = inode;
	inode_get(inode);
	new->name = name ? name : inode->name;
	name_get(new->name);
	if (ops == &regular_ops && is_writer(new))
		inode->writers++;
	if (ops == &regular_ops && flags & O_TRUNC && inode->size) {
		inode_cut_hook(inode, 0);
		err = inode_resize(inode, 0);
		if (err) {
			file_put(new);
			return err;
		}
		inode->mtime_ns = inode->ctime_ns = clock_real_ns();
	}
	err = opened(inode, new);
	if (err) {
		file_put(new);
		return err;
	}
	if (ops == &regular_ops && flags & O_TRUNC)
		file_notify(new, IN_MODIFY);
	if (!(flags & O_PATH))
		file_notify(new, IN_OPEN);
	*file = new;
	return 0;
}

static void tree_close(struct file *file, const struct files *files)
{
	if (file->inode->locks)
		locks_close(file->inode, files);
}

static void tree_end(struct file *file)
{
	if (!(file->flags & O_PATH))
		file_notify(file, file_writes(file) ? IN_CLOSE_WRITE : IN_CLOSE_NOWRITE);
	if (file->inode->locks)
		locks_close(file->inode, file);
}

static void tree_gone(struct file *file)
{
	inode_put(file->inode);
	name_put(file->name);
}

const struct file_hooks file_hooks = {.close = tree_close, .end = tree_end, .gone = tree_gone};

struct file *shared_memory_file(uint64_t bytes)
{
	static const char label[] = "dev/zero"; /* as Linux calls it */
	struct inode *inode = inode_new(S_IFREG | 0600);
	struct file *file = NULL;

	if (!inode)
		return NULL;
	inode->size = bytes;
	inode->mapped = true;
	inode->label = kalloc(sizeof(label));
	if (inode->label)
		memcpy(inode->label, label, sizeof(label));
	if (!inode->label || inode_open(inode, NULL, O_RDWR, &file))
		file = NULL;
	inode_put(inode);
	return file;
}
