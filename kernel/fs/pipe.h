/* SPDX-License-Identifier: BSD-2-Clause */
/* Pipes and named pipes: pipe(7). */
#ifndef KERNEL_PIPE_H
#define KERNEL_PIPE_H

#include <stdint.h>

struct file;
struct inode;

#define PIPE_BYTES      65536 /* as Linux's default */
#define PIPE_SMALL      8192  /* what is left for users with PIPE_PAGES_SOFT pages in pipes */
#define PIPE_PAGES_SOFT 16384
#define PIPE_MOST       (1 << 20) /* pipe-max-size: more takes CAP_SYS_RESOURCE */
#define PIPE_ATOMIC     4096      /* PIPE_BUF */

/* Opens both ends with the status flags: ends[0] reads. Returns 0 or -ENOMEM. Context: task. */
int pipe_open(uint32_t flags, struct file *ends[2]);
/* Opens a named pipe (S_IFIFO) for a new file: inode_ops.open. May sleep until the other end is
 * there. */
int fifo_open(struct inode *inode, struct file *file);
extern const struct file_ops fifo_ops;

/* F_GETPIPE_SZ: the bytes that the pipe holds, or -EBADF. Context: task. */
long pipe_bytes(const struct file *file);
/* F_SETPIPE_SZ: the bytes that it holds from now on, at least `wanted`; or -EBADF, -EINVAL, -EPERM,
 * -EBUSY, -ENOMEM. */
long pipe_resize(struct file *file, uint64_t wanted);

#endif
