/* SPDX-License-Identifier: BSD-2-Clause */
/* Pipes and named pipes: pipe(7). Context of all: task. */
#ifndef KERNEL_PIPE_H
#define KERNEL_PIPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct file;
struct inode;

#define PIPE_BYTES      65536 /* as Linux's default */
#define PIPE_SMALL      8192  /* size of a new pipe for users with PIPE_PAGES_SOFT pages in pipes */
#define PIPE_PAGES_SOFT 16384
#define PIPE_MAX        (1 << 20) /* pipe-max-size: more takes CAP_SYS_RESOURCE */
#define PIPE_ATOMIC     4096      /* PIPE_BUF */

/* Opens both ends with the status flags: ends[0] reads. Returns 0 or -ENOMEM. */
int pipe_open(uint32_t flags, struct file *ends[2]);
/* Opens a named pipe (S_IFIFO) for a new file: inode_ops.open. May sleep until the other end is
 * opened. Returns 0, -EINTR, -EINVAL (access mode 3), -ENOMEM, or -ENXIO: there is no reader, and
 * the file is non-blocking. */
int fifo_open(struct inode *inode, struct file *file);
extern const struct file_ops fifo_ops;

/* F_GETPIPE_SZ: returns the pipe's capacity in bytes, or -EBADF. */
long pipe_bytes(const struct file *file);
/* F_SETPIPE_SZ: sets the capacity, at least `wanted`, and returns it; or -EBADF, -EINVAL, -EPERM,
 * -EBUSY, -ENOMEM. */
long pipe_resize(struct file *file, uint64_t wanted);

/*
 * Parts of splice(2), tee(2) and vmsplice(2). `file` is an end of a pipe (fifo_ops) opened for the
 * access. Only the first two functions sleep; no other task runs between calls to the rest.
 */
/* Waits for bytes: 1; 0 at the end; -EINTR, or -EAGAIN if it may not wait. */
int pipe_wait_bytes(struct file *file, bool may_wait);
/* Waits for room for a page: 0, -EINTR, -EAGAIN, or -EPIPE with SIGPIPE if there is no reader. */
int pipe_wait_room(struct file *file, bool may_wait);
/* True if both are ends of one pipe. */
bool pipe_same(const struct file *one, const struct file *other);
/* Reserves memory for `bytes`, or for as many whole pages as fit: returns how many, or -ENOMEM. */
long pipe_reserve(struct file *file, size_t bytes);
/* Appends reserved bytes. */
void pipe_put(struct file *file, const char *from, size_t bytes);
/* Returns a contiguous piece of the pipe's contents, `at` bytes after the read position, and sets
 * *bytes (at most its old value). NULL: no bytes. */
const char *pipe_look(struct file *file, size_t at, size_t *bytes);
/* Consumes bytes that were returned by pipe_look(). */
void pipe_drop(struct file *file, size_t bytes);
/* Copies from user memory as much as fits, or to it as much as there is: bytes, -EFAULT,
 * -ENOMEM. */
long pipe_put_user(struct file *file, uint64_t buffer, size_t bytes);
long pipe_take_user(struct file *file, uint64_t buffer, size_t bytes);

#endif
