/* SPDX-License-Identifier: BSD-2-Clause */
/* Text on the framebuffer that the firmware left. */
#ifndef KERNEL_FRAMEBUFFER_H
#define KERNEL_FRAMEBUFFER_H

/* Adds the framebuffer to the console, if the boot loader found one. Newline, carriage return and
 * tab are obeyed, the screen scrolls. Context: start, after memory_init(). */
void framebuffer_init(void);

#endif
