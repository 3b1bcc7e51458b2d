/* SPDX-License-Identifier: BSD-2-Clause */
/* A place in the user's vectors, for files to which several are one transfer. Context of all: task.
 */
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

/* The bytes of all vectors together, which a size_t holds. Context: any. */
static inline size_t vectors_bytes(const struct iovec *vectors, uint64_t count)
{
	size_t bytes = 0;

	for (uint64_t i = 0; i < count; i++)
		bytes += vectors[i].iov_len;
	return bytes;
}

/* Copies between kernel memory and the user's vectors, which have so many bytes more; after a
 * failure the place is of no use. Returns 0 or -EFAULT. Context: task. */
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
