/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Queues the program's stdout and stderr in their order. The serial line must not wait for a slow
 * reader: a UART loses data.
 */
#include "host/machine/output.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "host/lib/report.h"
#include "host/lib/text.h"

/* A pipe that poll() calls writable takes so many bytes without blocking (PIPE_BUF). */
#define PIECE 4096

#define MOST_PENDING (256u << 20) /* bytes, before the machine must wait after all */

struct chunk {
	struct chunk *next;
	int fd;
	size_t size, done;
	unsigned char bytes[];
};

static struct chunk *first, **last = &first;
static size_t pending;

/* Writes one piece of the first chunk. Without a reader the command ends as a program that SIGPIPE
 * ends. */
static void write_piece(void)
{
	struct chunk *chunk = first;
	size_t left = chunk->size - chunk->done;
	ssize_t n = write(chunk->fd, chunk->bytes + chunk->done, left < PIECE ? left : PIECE);

	if (n < 0 && errno == EPIPE)
		exit(128 + SIGPIPE);
	if (n < 0 && errno != EINTR && errno != EAGAIN)
		die(STATUS_OURS, "cannot write standard %s: %s",
		    chunk->fd == STDOUT_FILENO ? "output" : "error", strerror(errno));
	if (n <= 0)
		return;
	chunk->done += (size_t)n;
	pending -= (size_t)n;
	if (chunk->done < chunk->size)
		return;
	first = chunk->next;
	if (!first)
		last = &first;
	free(chunk);
}

int output_fd(void)
{
	return first ? first->fd : -1;
}

size_t output_pending(void)
{
	return pending;
}

bool output_is_full(void)
{
	return pending >= MOST_PENDING;
}

void output_some(void)
{
	while (first) {
		struct pollfd fd = {first->fd, POLLOUT, 0};

		if (poll(&fd, 1, 0) != 1)
			return;
		write_piece();
	}
}

void output_add(int fd, const void *bytes, size_t size)
{
	struct chunk *chunk;

	if (!size)
		return;
	chunk = allocate(sizeof(*chunk) + size);
	chunk->fd = fd;
	chunk->size = size;
	memcpy(chunk->bytes, bytes, size);
	*last = chunk;
	last = &chunk->next;
	pending += size;
	output_some();
}
