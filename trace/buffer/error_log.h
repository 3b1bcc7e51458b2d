/* SPDX-License-Identifier: BSD-2-Clause */
/* Tracefs's file error_log: errors of the last texts written to its files. Context of all: task. */
#ifndef TRACE_BUFFER_ERROR_LOG_H
#define TRACE_BUFFER_ERROR_LOG_H

#include <stdint.h>
#include "kernel/base/text.h"

/* Adds an error: where it occurred, its message, the text, and the position in it. */
void error_log_add(const char *where, const char *what, const char *text, uint32_t at);
/* Contents of the file; written text is ignored, and `id` is unused. */
void error_log_show(struct text *out, uint64_t id);
int error_log_store(const char *text, uint64_t id);
int error_log_clear(uint64_t id);

#endif
