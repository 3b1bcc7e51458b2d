/* SPDX-License-Identifier: BSD-2-Clause */
/* Text on the framebuffer that the firmware left. */
#ifndef KERNEL_FRAMEBUFFER_H
#define KERNEL_FRAMEBUFFER_H

#include <stddef.h>
#include "abi/boot_info.h"

/* Clears the screen and writes on it from now on. `pixels` is the framebuffer mapped for writing.
 * Context: start, after memory_init(). */
void framebuffer_init(const struct boot_framebuffer *info, void *pixels);

/* Writes text; does nothing before framebuffer_init(). Newline, carriage return and tab are obeyed,
 * the screen scrolls. Context: any. */
void framebuffer_write(const char *text, size_t bytes);

#endif
