/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions of ring 3 with a return probe. Context of all: task. */
#ifndef TRACE_PROBE_RETURNS_H
#define TRACE_PROBE_RETURNS_H

#include <stdbool.h>
#include <stdint.h>

struct frame;
struct task;
struct uprobe;

/* Before the current task executes the function's first instruction: makes it return to the
 * trampoline. */
void returns_push(struct uprobe *probe, const struct frame *frame, uint64_t function,
		  uint64_t trampoline);
/* The trampoline at `address` was hit: sets the frame to the original return address and reports
 * the return. */
void returns_hit(struct frame *frame, uint64_t address);
/* Copies the parent's pending returns to the child: 0 or -ENOMEM. */
int returns_copy(struct task *child);
/* The task ends. */
void returns_free(struct task *task);

#endif
