/* SPDX-License-Identifier: BSD-2-Clause */
/* A file and an offset in it, for calls that copy between files. Context of all: task. */
#ifndef API_RANGES_H
#define API_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct file;

struct range {
	struct file *file;
	uint64_t user;    /* address of the offset; 0: the file's own */
	uint64_t *offset; /* the offset to copy from or to, which the copy advances */
	uint64_t own;
};

/* Gets the file: 0, or -EBADF; the caller must call range_put() in every case. */
int range_get(struct range *range, uint64_t fd, uint64_t user);
/* Reads its offset: 0, or -EFAULT. */
int range_read(struct range *range);
/* Releases the file and, if it `moved`, writes the offset to the user: 0 or -EFAULT. */
int range_put(struct range *range, bool moved);

/* sendfile(2) from a regular file into a pipe: returns bytes, possibly fewer, or a negative errno.
 * Waits for room according to the pipe's flags. */
long splice_to_pipe(struct range *from, struct file *pipe, size_t bytes);

#endif
