/* SPDX-License-Identifier: BSD-2-Clause */
/* Trace events that functions of the kernel are, which a jump leads to while somebody wants to
 * know. */
#ifndef TRACE_FUNCTIONS_H
#define TRACE_FUNCTIONS_H

#include <stdbool.h>

struct trace_event;

/* Switches an event of PLACE_FUNCTION: 0 or a negative errno. Context: task. */
int function_set(const struct trace_event *event, bool on);

#endif
