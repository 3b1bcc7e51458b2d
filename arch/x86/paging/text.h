/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes of the kernel's own code. */
#ifndef ARCH_X86_TEXT_H
#define ARCH_X86_TEXT_H

#include <stddef.h>
#include <stdint.h>

#define PROBE_SLOTS      512
#define PROBE_SLOT_BYTES 32

/* Slots in the kernel's text for probed instructions: trace/probe/kernel/kprobe.c. Filled with
 * breakpoints at first. */
extern const uint8_t probe_slots[PROBE_SLOTS * PROBE_SLOT_BYTES];

/* Writes bytes of the kernel's text, which no page lets anybody write. Other processors see it by
 * their next interrupt. Context: any. */
void text_write(void *to, const void *from, size_t bytes);

#endif
