/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints a trace as a list of calls, or of instructions. */
#ifndef HOST_TRACE_LIST_H
#define HOST_TRACE_LIST_H

#include <stdio.h>

#include "host/trace/stack.h"

struct trace_list {
	FILE *out;
	struct trace_source *source;
	bool started;
	uint64_t first; /* ns, of the first line */
	uint32_t tid;   /* of the last line */
	unsigned depth; /* calls deeper than this are left out */
	bool waits;     /* the line of the newest call is not written yet: it may be one line */
	unsigned level; /* of that call */
	uint64_t begin; /* of that call */
	char name[512]; /* of that call */
};

/* Return listeners that write calls, or each instruction. */
struct trace_listener trace_list_calls(struct trace_list *list);
struct trace_listener trace_list_instructions(struct trace_list *list);
/* Writes what is pending. */
void trace_list_end(struct trace_list *list);

#endif
