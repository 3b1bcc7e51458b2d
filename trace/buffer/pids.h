/* SPDX-License-Identifier: BSD-2-Clause */
/* Tracefs's file set_event_pid. */
#ifndef TRACE_BUFFER_PIDS_H
#define TRACE_BUFFER_PIDS_H

#include <stdbool.h>
#include <stdint.h>
#include "kernel/base/text.h"
#include "trace/base/perf.h"

/* Whether the record is of a task that is wanted. Context: interrupts masked. */
bool pids_want(const struct trace_record *record);
/* The file's: adds numbers (0, -EINVAL, -EPERM, -ENOSPC, -ENOMEM), removes all, shows them; `id` is
 * nothing. Context: task. */
int pids_add(const char *text, uint64_t id);
int pids_clear(uint64_t id);
void pids_show(struct text *out, uint64_t id);

#endif
