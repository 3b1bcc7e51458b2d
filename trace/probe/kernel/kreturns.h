/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernel functions with a return probe. Context of all: interrupts masked, not NMI. */
#ifndef TRACE_PROBE_KRETURNS_H
#define TRACE_PROBE_KRETURNS_H

#include <stdbool.h>
#include <stdint.h>

struct frame;
struct kprobe;

/* Before the function's first instruction: makes it return to the trampoline, if there is room to
 * store the original address. */
void kreturns_push(struct kprobe *probe, struct frame *frame, uint64_t trampoline);
/* A function returned to the trampoline: sets `frame` to the original return address and, if
 * `tell`, reports to the probe's users. */
void kreturns_hit(struct frame *frame, bool report);

/* kprobe.c: reports a hit to the users of calls, or of returns. */
void kprobe_emit(const struct kprobe *probe, struct frame *frame, bool returns);

#endif
