/* SPDX-License-Identifier: BSD-2-Clause */
/* Internals of the probes in programs. Context of all: task. */
#ifndef TRACE_PROBE_UPROBE_HOOKS_H
#define TRACE_PROBE_UPROBE_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

struct frame;
struct uprobe;
struct vma;

/* Adds or removes a reason for the hooks of traps and address spaces. */
void uprobe_hooks_use(void);
void uprobe_hooks_drop(void);

/* ---- uprobe.c ---- */

void uprobe_get(struct uprobe *probe);
void uprobe_put(struct uprobe *probe);
/* Reports a hit to the users of calls, or of returns. */
void uprobe_emit(const struct uprobe *probe, struct frame *frame, uint64_t function, bool returns);
/* #BP of ring 3: false if it is no probe's. */
bool uprobe_breakpoint(struct frame *frame);
/* An area was mapped, or its protection changed. */
void uprobe_mapped(struct vma *vma);

#endif
