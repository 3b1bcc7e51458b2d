/* SPDX-License-Identifier: BSD-2-Clause */
/* Open files. */
#ifndef KERNEL_FILE_H
#define KERNEL_FILE_H

#include <linux/fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "kernel/base/list.h"
#include "kernel/task/ending.h"
#include "kernel/task/waitq.h"

struct file;
struct files;
struct iovec;
struct vma;
struct stat;
struct task;

struct poll_table;

/*
 * All operations return a negative errno on failure. Buffers are user addresses: use
 * kernel/mem/user.h. A NULL operation yields Linux's errno (EINVAL for read/write/take/mmap, ENOTTY
 * for ioctl, ESPIPE for seek). Context: task.
 */
struct file_ops {
	/* The name in /proc/PID/fd of a file without an inode, such as "[eventpoll]". */
	const char *name;
	long (*read)(struct file *file, uint64_t buffer, size_t bytes, uint64_t *offset);
	long (*write)(struct file *file, uint64_t buffer, size_t bytes, uint64_t *offset);
	/* Several consecutive reads, or writes, are equivalent to a long one. */
	bool in_pieces;
	/* Handles all vectors as one transfer, if separate ones would differ; NULL: separate. */
	long (*readv)(struct file *file, const struct iovec *vectors, uint64_t count);
	long (*writev)(struct file *file, const struct iovec *vectors, uint64_t count);
	/* splice(2): copies up to a page at `offset`, which stays, into kernel memory. Never
	 * sleeps: -EAGAIN if there is nothing yet; then `await` sleeps and returns 0 for another
	 * attempt, or -EINTR. */
	long (*take)(struct file *file, char *page, size_t bytes, uint64_t offset);
	int (*await)(struct file *file);
	long (*ioctl)(struct file *file, unsigned command, uint64_t argument);
	long (*seek)(struct file *file, int64_t offset, int whence);
	/* Called with the new vma (start, end, flags, pgoff set), before it is visible. */
	int (*mmap)(struct file *file, struct vma *vma);
	/* Returns the POLL* bits that hold now; table is NULL when the caller will not sleep. */
	unsigned (*poll)(struct file *file, struct poll_table *table);
	/* The last descriptor of this open file was closed. */
	void (*release)(struct file *file);
};

struct file {
	const struct file_ops *ops;
	uint32_t refs;  /* atomic */
	uint32_t flags; /* O_* status flags */
	uint64_t offset;
	int32_t owner;                  /* F_SETOWN: whom to signal, negative: a process group */
	int32_t owner_type;             /* F_OWNER_* of F_SETOWN_EX */
	uint32_t owner_uid, owner_euid; /* of the task that set the owner */
	int32_t async_fd;               /* the descriptor that O_ASYNC was set by */
	bool async;                     /* counted by async_files */
	bool moving;                    /* its offset is a transfer's that pauses (offset_take) */
	int32_t signo;                  /* F_SETSIG: 0 means SIGIO without siginfo */
	void *priv;                     /* the owner's object */
	struct inode *inode;            /* NULL for anonymous files such as perf events */
	struct dirent *name;            /* by which it was opened, referenced; NULL: none */
	struct list same;               /* open files of the same pipe */
	struct epoll_item *watchers;    /* epoll descriptors that watch it */
	struct ending ending;           /* its release may put other files */
};

/* A new open file with one reference, or NULL: memory is short. Context: task. */
struct file *file_new(const struct file_ops *ops, void *priv, uint32_t flags);

/* The debug kernel checks the count first (kernel/debug/checks/refs.c). Context: any. */
#ifdef BAREPMU_DEBUG
void check_file_refs(const struct file *file);
#else
#define check_file_refs(file) ((void)0)
#endif

static inline void file_get(struct file *file)
{
	check_file_refs(file);
	__atomic_fetch_add(&file->refs, 1, __ATOMIC_RELAXED);
}

/* Calls from open files into the file system (`inode` is set). Context: task. */
struct file_hooks {
	/* A descriptor table closes the file: POSIX requires the table's locks to be released, even
	 * if the table has other descriptors of the file. */
	void (*close)(struct file *file, const struct files *files);
	/* The last reference is gone; the file's operations still work. */
	void (*end)(struct file *file);
	/* After the last operation: gives back the inode and the name. */
	void (*gone)(struct file *file);
};

extern const struct file_hooks file_hooks; /* kernel/fs/ has it */

/* Ends a file without references. Context: task. */
void file_end(struct file *file);

static inline void file_put(struct file *file)
{
	check_file_refs(file);
	if (__atomic_sub_fetch(&file->refs, 1, __ATOMIC_ACQ_REL) == 0)
		file_end(file);
}

/* True if it was opened for reading, for writing; access mode 3 (for ioctls only) is neither. */
static inline bool file_reads(const struct file *file)
{
	return !(file->flags & O_WRONLY);
}

static inline bool file_writes(const struct file *file)
{
	return (file->flags + 1) & O_RDWR;
}

/* Locks the file's own offset until offset_give(): a transfer that sleeps must not let other tasks
 * move it, as on Linux. Sleeps until it is free: 0, or -EINTR if the task was killed. Does nothing
 * for files whose transfers do not sleep (file_ops.in_pieces). Context: task. */
int offset_take(struct file *file);
void offset_give(struct file *file);

/* How many files have O_ASYNC set. */
extern uint32_t async_files;

/* F_SETFL, FIOASYNC: sets or clears O_ASYNC; `fd` goes to siginfo. Context: task. */
void file_set_async(struct file *file, bool on, int fd);

#endif
