/* SPDX-License-Identifier: BSD-2-Clause */
/* Options of tracefs's buffer, with Linux's names: the file trace_options, the directory options.
 * Context of all: task. */
#ifndef TRACE_BUFFER_OPTIONS_H
#define TRACE_BUFFER_OPTIONS_H

#include <stdint.h>
#include "kernel/base/text.h"

struct trace_instance;

/* Options that have an effect; the others keep their initial value. */
enum {
	OPTION_CONTEXT = 1 << 0,   /* lines begin with task, processor and time */
	OPTION_NAMES = 1 << 1,     /* names of tasks are kept */
	OPTION_OVERWRITE = 1 << 2, /* the oldest records make room */
	OPTION_FLAGS = 1 << 3,     /* lines show the interrupt state */
	OPTION_MARKERS = 1 << 4,   /* trace_marker takes what is written */
	OPTION_FORK = 1 << 5,      /* set_event_pid's tasks come with their children, and go */
	OPTIONS_AT_FIRST =
	    OPTION_CONTEXT | OPTION_NAMES | OPTION_OVERWRITE | OPTION_FLAGS | OPTION_MARKERS,
};

/* Returns the name of an option, NULL: no more; `at` counts from 0. */
const char *option_name(unsigned at);
/* Files' `make` and `store`: for all options (text: a name, with "no" before it to clear it), and
 * for one, by an id with its number: -EINVAL: it cannot be changed here, -ENODEV. */
void options_show(struct text *out, uint64_t id);
int options_store(const char *text, uint64_t id);
void option_show(struct text *out, uint64_t id);
int option_store(const char *text, uint64_t id);

#endif
