/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies to and from ring 3 that may be partial, and copies with vectors. */
#include <linux/errno.h>
#include "kernel/mem/cursor.h"
#include "kernel/mem/page.h"
#include "kernel/mem/user.h"

/* Returns `bytes`, limited to the end of the page. */
static size_t in_page(uint64_t at, size_t bytes)
{
	size_t room = PAGE_SIZE - at % PAGE_SIZE;

	return bytes < room ? bytes : room;
}

size_t copy_some_from_user(void *to, uint64_t from, size_t bytes)
{
	size_t done, piece;

	if (!copy_from_user(to, from, bytes))
		return bytes;
	for (done = 0; done < bytes; done += piece) {
		piece = in_page(from + done, bytes - done);
		if (copy_from_user((char *)to + done, from + done, piece))
			break;
	}
	return done;
}

size_t copy_some_to_user(uint64_t to, const void *from, size_t bytes)
{
	size_t done, piece;

	if (!copy_to_user(to, from, bytes))
		return bytes;
	for (done = 0; done < bytes; done += piece) {
		piece = in_page(to + done, bytes - done);
		if (copy_to_user(to + done, (const char *)from + done, piece))
			break;
	}
	return done;
}

/* Skips finished vectors; returns the bytes left in the current one. */
static size_t left_of(struct cursor *at)
{
	while (at->done == at->vectors->iov_len) {
		at->vectors++;
		at->count--;
		at->done = 0;
	}
	return at->vectors->iov_len - at->done;
}

int copy_vectors(struct cursor *at, char *kernel, size_t bytes, bool to_user)
{
	size_t left, piece;
	uint64_t user;

	for (; bytes; kernel += piece, bytes -= piece, at->done += piece) {
		left = left_of(at);
		piece = left < bytes ? left : bytes;
		user = (uint64_t)at->vectors->iov_base + at->done;
		if (to_user ? copy_to_user(user, kernel, piece)
			    : copy_from_user(kernel, user, piece))
			return -EFAULT;
	}
	return 0;
}
