/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes of the kernel's own code. */
#ifndef ARCH_X86_TEXT_H
#define ARCH_X86_TEXT_H

#include <stddef.h>

#define PROBE_SLOTS 512 /* of 32 bytes, from probe_slots on: arch/x86/trap/slots.asm */

/* Writes bytes of the kernel's text, which no page lets anybody write. Other processors see it by
 * their next interrupt. Context: any. */
void text_write(void *to, const void *from, size_t bytes);

#endif
