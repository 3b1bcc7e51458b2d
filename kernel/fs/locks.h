/* SPDX-License-Identifier: BSD-2-Clause */
/* Locks on files: fcntl(2) F_SETLK and F_OFD_SETLK, flock(2). Context of all: task. */
#ifndef KERNEL_LOCKS_H
#define KERNEL_LOCKS_H

#include <stdbool.h>
#include <stdint.h>

struct file;
struct files;
struct inode;

struct file_lock {
	struct file_lock *next; /* of the inode */
	const void *owner;      /* a descriptor table, or an open file (F_OFD_*, flock) */
	int pid;                /* whom F_GETLK names: -1 for an open file's */
	int type;               /* F_RDLCK, F_WRLCK, F_UNLCK */
	bool whole;             /* flock's: apart from the others */
	uint64_t start, last;   /* bytes, both included */
};

/* Sets or (F_UNLCK) clears a lock; with `sleep` waits for conflicting locks. Returns 0, -EAGAIN,
 * -EINTR, -ENOLCK. */
int lock_set(struct inode *inode, const struct file_lock *wanted, bool sleep);
/* Returns a lock that conflicts with `wanted`, or NULL. */
const struct file_lock *lock_conflict(const struct inode *inode, const struct file_lock *wanted);

/* A descriptor table closes the file, or the open file ends: removes the owner's locks. */
void locks_close(struct inode *inode, const void *owner);

#endif
