/* SPDX-License-Identifier: BSD-2-Clause */
/* Records of all processors as lines, the oldest first. Context of all: task. */
#ifndef TRACE_BUFFER_LINES_H
#define TRACE_BUFFER_LINES_H

#include <stddef.h>
#include "trace/buffer/buffer.h"

struct text;

#define LINE_MOST 1024 /* bytes; what is longer is cut */

/* Text on its way to who reads. */
struct lines {
	uint32_t begin, end; /* of what is not read yet */
	char bytes[4 * LINE_MOST];
};

/* Adds the line of a record of the processor's, as Linux's `trace` has it. */
void print_line(struct text *out, const struct trace_instance *instance, uint32_t cpu,
		uint64_t time, const void *record, uint32_t bytes);
/* Reads what is in `lines`, then more: at most `bytes` to the user's memory. The records are those
 * from the places on, one for each processor, or (NULL) what nobody has read, which is taken out.
 * Returns how many bytes, 0: there is nothing; -EFAULT, -ENOMEM. */
long lines_read(const struct trace_instance *instance, struct lines *lines,
		struct buffer_place *places, uint64_t buffer, size_t bytes);
/* Whether somewhere is a record that nobody has read. */
bool lines_are_there(const struct trace_instance *instance);

#endif
