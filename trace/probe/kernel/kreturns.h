/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions of the kernel whose return somebody waits for. Context of all: interrupts masked, not
 * NMI. */
#ifndef TRACE_PROBE_KRETURNS_H
#define TRACE_PROBE_KRETURNS_H

#include <stdbool.h>
#include <stdint.h>

struct frame;
struct kprobe;

/* The function's first instruction comes next: it returns to the trampoline, if there is room to
 * keep where it belongs. */
void kreturns_push(struct kprobe *probe, struct frame *frame, uint64_t trampoline);
/* The trampoline was reached: `frame` goes on where it belongs; who waits is told (`tell`). */
void kreturns_hit(struct frame *frame, bool tell);

/* kprobe.c: tells those that want to know of calls, or of returns. */
void kprobe_tell(const struct kprobe *probe, struct frame *frame, bool returns);

#endif
