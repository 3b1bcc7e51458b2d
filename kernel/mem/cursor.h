/* SPDX-License-Identifier: BSD-2-Clause */
/* A position in the user's vectors, for files that treat them as one transfer. Context of all:
 * task. */
#ifndef KERNEL_CURSOR_H
#define KERNEL_CURSOR_H

#include <linux/uio.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "kernel/mem/user.h"

struct cursor {
	const struct iovec *vectors;
	uint64_t count;
	size_t done; /* bytes of the first vector; it may be finished */
};

/* Returns the total size of all vectors, which fits in size_t. Context: any. */
static inline size_t vectors_bytes(const struct iovec *vectors, uint64_t count)
{
	size_t bytes = 0;

	for (uint64_t i = 0; i < count; i++)
		bytes += vectors[i].iov_len;
	return bytes;
}

/* Copies between kernel memory and the user's vectors, which must have at least `bytes` bytes left;
 * after a failure the position is undefined. Returns 0 or -EFAULT. Context: task. */
int copy_vectors(struct cursor *at, char *kernel, size_t bytes, bool to_user);

/* As copy_vectors(), with a fast path for one vector that covers all bytes. At least one byte. */
static inline __attribute__((always_inline)) int
copy_vectors_quickly(struct cursor *at, char *kernel, size_t bytes, bool to_user)
{
	uint64_t user = (uint64_t)at->vectors->iov_base + at->done;

	if (at->vectors->iov_len - at->done < bytes)
		return copy_vectors(at, kernel, bytes, to_user);
	at->done += bytes;
	return to_user ? copy_to_user(user, kernel, bytes) : copy_from_user(kernel, user, bytes);
}

#endif
