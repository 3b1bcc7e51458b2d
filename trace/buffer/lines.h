/* SPDX-License-Identifier: BSD-2-Clause */
/* All processors' records as lines, oldest first. Context of all: task. */
#ifndef TRACE_BUFFER_LINES_H
#define TRACE_BUFFER_LINES_H

#include <stddef.h>
#include "trace/buffer/buffer.h"

struct text;

#define LINE_BYTES_MAX 1024 /* bytes; what is longer is cut */

/* Formatted text that the reader has not taken yet. */
struct lines {
	uint32_t begin, end; /* of the unread text */
	char bytes[4 * LINE_BYTES_MAX];
};

/* Adds the line of a processor's record, in the format of Linux's `trace`. */
void print_line(struct text *out, const struct trace_instance *instance, uint32_t cpu,
		uint64_t time, const void *record, uint32_t bytes);
/* Reads the text in `lines`, then more: at most `bytes` to the user's memory. Records come from
 * `places`, one for each processor, or (NULL) are unread ones, which it consumes. Returns the
 * number of bytes, 0: no records; -EFAULT, -ENOMEM. */
long lines_read(const struct trace_instance *instance, struct lines *lines,
		struct buffer_place *places, uint64_t buffer, size_t bytes);
/* True if a processor has an unread record. */
bool lines_are_there(const struct trace_instance *instance);

#endif
