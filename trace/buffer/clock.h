/* SPDX-License-Identifier: BSD-2-Clause */
/* What records of tracefs's buffer are stamped by: the file trace_clock. */
#ifndef TRACE_BUFFER_CLOCK_H
#define TRACE_BUFFER_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct text;

/* The chosen clock, `mono` at first. Context: any. */
uint64_t trace_clock_now(void);
/* Whether it counts nanoseconds. Context: any. */
bool trace_clock_is_ns(void);
/* Chooses another: 0, or -EINVAL: there is none of that name. Context: task. */
int trace_clock_choose(const char *name);
/* All names, the chosen one in brackets. Context: task. */
void trace_clock_list(struct text *out);

#endif
