/* SPDX-License-Identifier: BSD-2-Clause */
/* A process's descriptor table. */
#ifndef KERNEL_DESCRIPTOR_TABLE_H
#define KERNEL_DESCRIPTOR_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include "kernel/file/file.h"

#define FILES_INLINE 64

#define CLOSE_AT_ONCE 1024 /* descriptors that are closed without a pause */

struct files {
	uint32_t refs; /* tasks that share it */
	uint32_t size; /* entries of `table`; a multiple of 64 */
	struct file **table;
	uint64_t *cloexec; /* a bit for each descriptor */
	uint64_t *used;    /* a bit for each descriptor that is open */
	uint32_t next;     /* none below is free */
	struct file *first_table[FILES_INLINE];
	uint64_t first_cloexec[1], first_used[1];
};

/* Returns an empty table; NULL: no memory. Context: task, as all here. */
struct files *files_new(void);
/* A copy with the same open files, or NULL. */
struct files *files_copy(struct files *from);
void files_put(struct files *files);
/* execve: makes the table the task's own (-ENOMEM) and closes the descriptors that are
 * close-on-exec. */
int files_unshare(struct files **files);
void files_close_on_exec(struct files *files);

/* Stores the file (consumes its reference) at a free descriptor of the table, which must have
 * room. */
void slot_fill(struct files *files, unsigned fd, struct file *file);
/* The current task's descriptor `fd` with a reference taken, or NULL (EBADF). Context: task. */
struct file *fd_get(int fd);
/* As fd_get(), but NULL also for a file that was opened with O_PATH: for calls that use more of it
 * than its place in the tree. */
struct file *fd_get_open(int fd);
/* The descriptor of another table, referenced, or NULL. */
struct file *files_get(const struct files *files, int fd);
/* Checks that fd_install() from 0 on will succeed if no other descriptor is installed first: 0,
 * -EMFILE or -ENOMEM. Context: task. */
int fd_room(void);
/* Installs the file (consumes its reference) at the lowest free descriptor >= from; returns it, or
 * -EMFILE or -ENOMEM (the reference is kept). Context: task. */
int fd_install(struct file *file, int from, int cloexec);
/* Closes descriptor fd of the current task: 0 or -EBADF. */
int fd_close(unsigned fd);
/* Stores the file (consumes its reference) at exactly `fd`, closing the previous file: fd or
 * -EBADF, -ENOMEM (reference kept). */
int fd_install_at(struct file *file, unsigned fd, bool cloexec);
/* True if execve() closes this open descriptor of the current task. */
bool fd_cloexec(unsigned fd);
void fd_set_cloexec(unsigned fd, bool cloexec);

#endif
