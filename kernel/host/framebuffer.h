/* SPDX-License-Identifier: BSD-2-Clause */
/* Text on the framebuffer that the firmware left. */
#ifndef KERNEL_FRAMEBUFFER_H
#define KERNEL_FRAMEBUFFER_H

/* Adds the framebuffer to the console, if the boot loader found one: UTF-8 (as far as the font
 * covers it), colours (escape.h), scrolling. Context: start, after memory_init(). */
void framebuffer_init(void);
/* Shows scrolled-out lines: moves by `pages` up (negative) or down. Does nothing without a screen.
 * Context: interrupts masked. */
void framebuffer_page(int pages);

#endif
