/* SPDX-License-Identifier: BSD-2-Clause */
/* Text on the framebuffer that the firmware left. */
#ifndef KERNEL_FRAMEBUFFER_H
#define KERNEL_FRAMEBUFFER_H

/* Adds the framebuffer to the console, if the boot loader found one: UTF-8, as far as the font has
 * it, colours (escape.h); the screen scrolls. Context: start, after memory_init(). */
void framebuffer_init(void);
/* Shows what has left the screen: so many pages up (negative) or down. Nothing without a screen.
 * Context: interrupts masked. */
void framebuffer_page(int pages);

#endif
