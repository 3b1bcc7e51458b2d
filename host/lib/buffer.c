/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes that grow in memory, and whole files read into them. */
#include "host/lib/buffer.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "host/lib/buffer.h"
#include "host/lib/report.h"

#define READ_BYTES 65536 /* first read of a file of unknown size */
#define WRITER_MS  1000  /* for a writer of a FIFO */

unsigned char *buffer_reserve(struct buffer *buffer, size_t size)
{
	if (buffer->room - buffer->size < size) {
		buffer->room = buffer->room ? (buffer->room + size) * 2 : size;
		buffer->bytes = realloc(buffer->bytes, buffer->room);
		if (!buffer->bytes)
			die(STATUS_OURS, "out of memory");
	}
	return buffer->bytes + buffer->size;
}

void buffer_append(struct buffer *buffer, const void *bytes, size_t size)
{
	buffer_reserve(buffer, size);
	if (size)
		memcpy(buffer->bytes + buffer->size, bytes, size);
	buffer->size += size;
}

/* Room for as much as the file has now; it may have more when it is read. */
static size_t room_for(int fd, size_t most)
{
	struct stat info;
	size_t size = fstat(fd, &info) || info.st_size <= 0 ? READ_BYTES : (size_t)info.st_size;

	return size < most ? size + 1 : most;
}

/* Waits for a writer of a FIFO with a name, and exits if none arrives within a second: a read would
 * block forever. Returns the number of bytes read in the wait: 0 or 1. */
static size_t await_writer(int fd, const char *path, void *byte)
{
	struct pollfd wait = {.fd = fd, .events = POLLIN};
	struct statfs where;
	struct stat info;
	ssize_t n = -1;

	if (!fstat(fd, &info) && S_ISFIFO(info.st_mode) && !fstatfs(fd, &where) &&
	    where.f_type != PIPEFS_MAGIC && !poll(&wait, 1, WRITER_MS))
		n = read(fd, byte, 1); /* as long as there is a writer this fails */
	if (!n)
		die(STATUS_OURS, "'%s' is a FIFO without a writer", path);
	fcntl(fd, F_SETFL, 0);
	return n > 0;
}

void append_file(struct buffer *buffer, const char *path, size_t most)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : 1;
	size_t done = 0;

	if (fd >= 0) {
		buffer_reserve(buffer, room_for(fd, most));
		done = await_writer(fd, path, buffer->bytes + buffer->size);
		buffer->size += done;
	}
	for (; n > 0 && done < most; done += (size_t)n) {
		if (buffer->size == buffer->room)
			buffer_reserve(buffer, READ_BYTES);
		n = buffer->room - buffer->size < most - done
			? (ssize_t)(buffer->room - buffer->size)
			: (ssize_t)(most - done);
		n = read(fd, buffer->bytes + buffer->size, (size_t)n);
		if (n > 0)
			buffer->size += (size_t)n;
	}
	if (n < 0)
		die(STATUS_OURS, "cannot read '%s': %s", path, strerror(errno));
	close(fd);
}

struct buffer read_start(const char *path, size_t most)
{
	struct buffer buffer = {NULL, 0, 0};

	append_file(&buffer, path, most);
	return buffer;
}

struct buffer read_file(const char *path)
{
	return read_start(path, SIZE_MAX);
}
