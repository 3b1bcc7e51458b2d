/* SPDX-License-Identifier: BSD-2-Clause */
/* Clocks for records of tracefs's buffer: the file trace_clock. */
#ifndef TRACE_BUFFER_CLOCK_H
#define TRACE_BUFFER_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct text;

struct trace_clock;

/* `mono`. Context: any. */
const struct trace_clock *trace_clock_first(void);
uint64_t trace_clock_now(const struct trace_clock *clock);
/* True if it counts nanoseconds. Context: any. */
bool trace_clock_is_ns(const struct trace_clock *clock);
/* Returns the clock of that name, NULL: there is none. Context: task. */
const struct trace_clock *trace_clock_find(const char *name);
/* All names, the chosen one in brackets. Context: task. */
void trace_clock_list(struct text *out, const struct trace_clock *chosen);

#endif
