/* SPDX-License-Identifier: BSD-2-Clause */
/* Vectors of user memory, and pairs of descriptors, shared by several calls. Context of all:
 * task. */
#ifndef API_VECTORS_H
#define API_VECTORS_H

#include <linux/uio.h>
#include <stdint.h>

struct file;

#define VECTORS_QUICK 8 /* vectors that need no allocation */

struct vectors {
	struct iovec quick[VECTORS_QUICK];
	struct iovec *list; /* quick, or allocated */
};

/* Copies `count` vectors in and checks that they are in user memory; truncates them to the maximum
 * that a call moves. Returns 0, -EINVAL, -EFAULT, -ENOMEM; the caller must call vectors_free() in
 * every case. */
int vectors_from_user(struct vectors *vectors, uint64_t user, uint64_t count);
void vectors_free(struct vectors *vectors);

/* Opens two descriptors for the files (consumes their references) and writes them to the user.
 * Returns 0 or a negative errno. */
int fd_pair_to_user(struct file *files[2], int cloexec, uint64_t user);

#endif
