/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes that grow in memory, and whole files read into them. */
#ifndef HOST_LIB_BUFFER_H
#define HOST_LIB_BUFFER_H

#include <stddef.h>

struct buffer {
	unsigned char *bytes;
	size_t size, room;
};

/* Returns where `size` more bytes go; reserves exactly that many while the buffer is empty. */
unsigned char *buffer_reserve(struct buffer *buffer, size_t size);
void buffer_append(struct buffer *buffer, const void *bytes, size_t size);

/* Appends at most the first `max` bytes of a host file; ends the command on an error, and for a
 * FIFO without a writer. */
void append_file(struct buffer *buffer, const char *path, size_t max);
/* Reads a whole host file, as append_file(). */
struct buffer read_file(const char *path);
/* Reads at most the first `max` bytes, as append_file(). */
struct buffer read_start(const char *path, size_t max);

#endif
