/* SPDX-License-Identifier: BSD-2-Clause */
/* A pipe's ring: its pages, and their charge to a user's account. */
#include <linux/errno.h>
#include "kernel/base/string.h"
#include "kernel/fs/pipe/pipe_ring.h"
#include "kernel/mem/account.h"

int pipe_ring_init(struct pipe *pipe, uint32_t uid, uint64_t bytes, uint64_t limit)
{
	if (!account_take(uid, ACCOUNT_PIPES, bytes / PAGE_SIZE, limit))
		return -EPERM;
	pipe->bytes = bytes;
	pipe->charged_uid = uid;
	pipe->pages = kalloc(bytes / PAGE_SIZE * sizeof(*pipe->pages));
	if (pipe->pages)
		return 0;
	account_give(uid, ACCOUNT_PIPES, bytes / PAGE_SIZE);
	return -ENOMEM;
}

void pipe_ring_free(struct pipe *pipe)
{
	for (uint64_t i = 0; i < pipe->bytes / PAGE_SIZE; i++)
		if (pipe->pages[i])
			page_put(pipe->pages[i]);
	account_give(pipe->charged_uid, ACCOUNT_PIPES, pipe->bytes / PAGE_SIZE);
	kfree(pipe->pages);
}

int pipe_ring_copy(struct pipe *to, struct pipe *from)
{
	for (uint64_t at = from->tail; at < from->head;) {
		size_t piece = from->head - at;
		const char *source = pipe_ring_piece(from, at, &piece);
		char *target = pipe_ring_piece(to, at, &piece);

		if (!target)
			return -ENOMEM;
		memcpy(target, source, piece);
		at += piece;
	}
	return 0;
}
