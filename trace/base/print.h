/* SPDX-License-Identifier: BSD-2-Clause */
/* Records as text. */
#ifndef TRACE_PRINT_H
#define TRACE_PRINT_H

#include <stdint.h>

struct text;
struct trace_event;

/* Adds the text of the record, of `bytes`, by the event's `print fmt`. Context: task. */
void print_record(const struct trace_event *event, const void *record, uint32_t bytes,
		  struct text *out);
/* Adds a kernel address as a symbol, with or without the offset. */
void print_symbol(struct text *out, uint64_t address, int with_offset);

#endif
