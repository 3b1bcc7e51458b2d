/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions of ring 3 whose return somebody waits for. Context of all: task. */
#ifndef TRACE_PROBE_RETURNS_H
#define TRACE_PROBE_RETURNS_H

#include <stdbool.h>
#include <stdint.h>

struct frame;
struct task;
struct uprobe;

/* The current task is about to execute the function's first instruction: it returns to the
 * trampoline. */
void returns_push(struct uprobe *probe, const struct frame *frame, uint64_t function,
		  uint64_t trampoline);
/* The trampoline at the address was hit: the task goes on where it belongs. */
void returns_hit(struct frame *frame, uint64_t address);
/* The child returns from what its parent has called: 0 or -ENOMEM. */
int returns_copy(struct task *child);
/* The task ends. */
void returns_free(struct task *task);

#endif
