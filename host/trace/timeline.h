/* SPDX-License-Identifier: BSD-2-Clause */
/* A picture of calls over time, which can be zoomed and searched. */
#ifndef HOST_TRACE_TIMELINE_H
#define HOST_TRACE_TIMELINE_H

#include <stddef.h>
#include <stdio.h>

#include "host/trace/stack.h"

#define TIMELINE_ROWS 100 /* deeper calls are left out */

/* A call, or several short ones beside each other. */
struct timeline_bar {
	const char *name; /* of the function; NULL: of several */
	uint64_t begin, end, calls;
	uint32_t tid;
	unsigned level;
};

struct timeline {
	struct timeline_bar *bars;
	size_t nr;
	uint64_t shortest; /* ns: shorter calls are joined with their neighbours */
	struct timeline_thread {
		uint32_t tid;
		const char *command;
		unsigned levels;
		size_t last[TIMELINE_ROWS];
	} * threads;
	size_t nr_threads;
	struct trace_source *source;
};

/* Returns a listener that collects the bars. */
struct trace_listener timeline_collect(struct timeline *timeline);
/* Writes an SVG image. `first` and `last`: the range of time. */
void timeline_draw(const struct timeline *timeline, FILE *out, uint64_t first, uint64_t last,
		   const char *title);

#endif
