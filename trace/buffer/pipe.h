/* SPDX-License-Identifier: BSD-2-Clause */
/* Tracefs's file trace_pipe: lines that programs print, and records, read once. */
#ifndef TRACE_PIPE_H
#define TRACE_PIPE_H

#include <stddef.h>
#include <stdint.h>

/* Allocates the buffer, once: 0 or -ENOMEM. Context: task. */
int trace_pipe_prepare(void);
/* Adds a line by the current task; dropped if there is no room. Context: any. */
void trace_pipe_print(const char *text);
struct inode;
/* Returns a new inode of an instance's file, with one reference; NULL: no memory. Context: task. */
struct inode *trace_pipe_inode(uint64_t id);

#endif
