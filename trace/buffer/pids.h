/* SPDX-License-Identifier: BSD-2-Clause */
/* Tracefs's file set_event_pid. */
#ifndef TRACE_BUFFER_PIDS_H
#define TRACE_BUFFER_PIDS_H

#include <stdbool.h>
#include <stdint.h>
#include "kernel/base/text.h"
#include "trace/base/perf.h"
#include "trace/buffer/instance.h"

/* True if the record's task is selected. Context: interrupts masked. */
bool pids_want(const struct trace_instance *instance, const struct trace_record *record);
/* Adds the numbers in a text: 0, -EINVAL, -EPERM, -ENOSPC, -ENOMEM. Context of all: task. */
int pids_add(struct trace_instance *instance, const char *text);
void pids_clear(struct trace_instance *instance);
/* An instance gets or loses OPTION_FORK. */
void pids_follow(bool on);
void pids_show(const struct trace_instance *instance, struct text *out);

#endif
