/* SPDX-License-Identifier: BSD-2-Clause */
/* A pipe and its ring, whose pages are allocated on demand: for pipe.c and pipe_ring.c only. */
#ifndef KERNEL_PIPE_RING_H
#define KERNEL_PIPE_RING_H

#include <stddef.h>
#include <stdint.h>
#include "kernel/base/list.h"
#include "kernel/mem/memory.h"
#include "kernel/task/waitq.h"

struct pipe {
	uint32_t refs;                       /* open files */
	uint32_t readers, writers;           /* ends that are open */
	uint32_t reader_opens, writer_opens; /* ever: named pipes wait for them */
	uint64_t head, tail;                 /* bytes ever written, ever read */
	uint64_t bytes;                      /* of the ring: a power of two, at least a page */
	uint32_t charged_uid;                /* whose account its pages are on */
	char **pages;
	struct waitq changes;
	struct list files; /* the open ones, by file->same */
};

/* Makes an empty ring of `bytes` (a power of two) and charges it to the user: 0, -EPERM (the
 * account would exceed `limit` pages) or -ENOMEM. Context: task. */
int pipe_ring_init(struct pipe *pipe, uint32_t uid, uint64_t bytes, uint64_t limit);
/* Gives its pages back. Context: task. */
void pipe_ring_free(struct pipe *pipe);
/* Copies the ring's contents to another one, at least as large. Returns 0 or -ENOMEM. Context:
 * task. */
int pipe_ring_copy(struct pipe *to, struct pipe *from);

/* Returns the contiguous piece of the ring at position `at`, at most `bytes` long; NULL: no memory
 * for its page. */
static inline char *pipe_ring_piece(struct pipe *pipe, uint64_t at, size_t *bytes)
{
	uint64_t start = at & (pipe->bytes - 1), room = PAGE_SIZE - start % PAGE_SIZE;
	char **page = &pipe->pages[start / PAGE_SIZE];

	if (!*page)
		*page = page_alloc_dirty();
	if (*bytes > room)
		*bytes = room;
	return *page ? *page + start % PAGE_SIZE : NULL;
}

#endif
