/* SPDX-License-Identifier: BSD-2-Clause */
/* Open regular files and directories, and opening any inode. Context of all: task. */
#ifndef KERNEL_REGULAR_H
#define KERNEL_REGULAR_H

#include <stddef.h>
#include <stdint.h>
#include "kernel/file/file.h"

struct dirent;
struct inode;
struct task;

/* Opens the inode by `name` (NULL: its last one): *file has one reference. Returns 0 or a negative
 * errno. */
int inode_open(struct inode *inode, struct dirent *name, uint32_t flags, struct file **file);

extern const struct file_ops dir_ops;     /* of open directories */
extern const struct file_ops regular_ops; /* of open regular files */

/* Checks RLIMIT_FSIZE for a file of this size: 0, or -EFBIG and SIGXFSZ. */
int file_size_permitted(uint64_t size);
/* Before a write to a regular file at `offset`: reduces *bytes to the size limits. Returns 0 or a
 * negative errno. */
int regular_write_check(struct inode *inode, uint64_t offset, size_t *bytes);

/* An O_APPEND write that pauses: other such writes to the file wait for its end. */
struct append {
	struct inode *inode; /* NULL: not begun */
	const struct task *task;
};
/* Other appends to the file wait until append_end(), and the current task's next pieces follow its
 * last one. Both do nothing for a file without O_APPEND, and inside another pair. */
void append_begin(struct append *append, const struct file *file);
void append_end(struct append *append);

/* Makes memory that processes share (MAP_SHARED without a file): an unnamed file of `bytes` zeros;
 * NULL: no memory. */
struct file *shared_memory_file(uint64_t bytes);

#endif
