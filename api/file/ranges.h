/* SPDX-License-Identifier: BSD-2-Clause */
/* A file and a place in it, as calls that copy between files take them. Context of all: task. */
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

/* Takes the file: 0, or -EBADF; in any case range_put() follows. */
int range_get(struct range *range, uint64_t fd, uint64_t user);
/* Reads its offset: 0, or -EFAULT. */
int range_read(struct range *range);
/* Gives the file back, and the offset to the user when it `moved`: 0 or -EFAULT. */
int range_put(struct range *range, bool moved);

/* From a regular file into a pipe, for sendfile(2): bytes, which may be fewer, or a negative errno.
 * Waits for room as the pipe's flags say. */
long splice_to_pipe(struct range *from, struct file *pipe, size_t bytes);

#endif
