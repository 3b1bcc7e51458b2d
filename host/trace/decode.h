/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes a trace by libipt (intel-pt.h, intel-pt.h(7) of libipt-dev). */
#ifndef HOST_TRACE_DECODE_H
#define HOST_TRACE_DECODE_H

#include "host/trace/stack.h"

struct trace_result {
	uint64_t instructions, errors;
	uint64_t first, last; /* ns */
	const char *error;    /* the first one; NULL: none */
};

/* Decodes all processors' traces in the order of time, and reports what ran to the output. */
void trace_decode(struct trace_output *output, struct trace_result *result);

#endif
