/* SPDX-License-Identifier: BSD-2-Clause */
/* Modification of the kernel's own code. */
#ifndef ARCH_X86_TEXT_H
#define ARCH_X86_TEXT_H

#include <stddef.h>
#include <stdint.h>

#define PROBE_SLOTS      512
#define PROBE_SLOT_BYTES 32

/* Slots in the kernel's text for probed instructions: trace/probe/kernel/kprobe.c. Filled with
 * breakpoints at first. */
extern const uint8_t probe_slots[PROBE_SLOTS * PROBE_SLOT_BYTES];

/* Writes bytes of the kernel's text, which is mapped read-only. Other processors see it at their
 * next interrupt at the latest. Context: any. */
void text_write(void *to, const void *from, size_t bytes);

#endif
