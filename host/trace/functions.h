/* SPDX-License-Identifier: BSD-2-Clause */
/* How often each function was called, and its exact instructions and time. */
#ifndef HOST_TRACE_FUNCTIONS_H
#define HOST_TRACE_FUNCTIONS_H

#include <stddef.h>
#include <stdio.h>

#include "host/trace/stack.h"

struct trace_function {
	const char *name, *file;
	uint64_t calls, instructions; /* without the calls that it made */
	uint64_t self, total;         /* ns; total: of the outermost calls */
};

struct trace_functions {
	struct trace_function *list;
	size_t nr, room;
};

/* Returns a listener that counts. */
struct trace_listener trace_functions_count(struct trace_functions *functions);
/* Sorts by time and prints a table. */
void trace_functions_print(struct trace_functions *functions, FILE *out);
/* Sorts by time, the longest first. */
void trace_functions_sort(struct trace_functions *functions);

#endif
