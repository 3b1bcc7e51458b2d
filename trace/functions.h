/* SPDX-License-Identifier: BSD-2-Clause */
/* Trace events at kernel functions: a jump leads to the wrapper while an event has users. */
#ifndef TRACE_FUNCTIONS_H
#define TRACE_FUNCTIONS_H

#include <stdbool.h>

struct trace_event;

/* Enables or disables an event of PLACE_FUNCTION: 0 or a negative errno. Context: task. */
int function_set(const struct trace_event *event, bool on);

#endif
