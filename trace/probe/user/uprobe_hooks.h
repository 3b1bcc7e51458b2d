/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of probes in programs offer each other. Context of all: task. */
#ifndef TRACE_PROBE_UPROBE_HOOKS_H
#define TRACE_PROBE_UPROBE_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

struct frame;
struct uprobe;
struct vma;

/* One more, one less reason that traps of ring 3 and changes of address spaces come here. */
void uprobe_hooks_use(void);
void uprobe_hooks_drop(void);

/* ---- uprobe.c ---- */

void uprobe_get(struct uprobe *probe);
void uprobe_put(struct uprobe *probe);
/* Reports a hit to the users of calls, or of returns. */
void uprobe_tell(const struct uprobe *probe, struct frame *frame, uint64_t function, bool returns);
/* #BP of ring 3: false when it is no probe's. */
bool uprobe_breakpoint(struct frame *frame);
/* An area was mapped, or has other rights. */
void uprobe_mapped(struct vma *vma);

#endif
