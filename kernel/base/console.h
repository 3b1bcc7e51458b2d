/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the kernel's own text goes: the first serial line and the framebuffer. */
#ifndef KERNEL_CONSOLE_H
#define KERNEL_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>

/* Sets the serial line to 115200 8n1 (when there is one). Context: start. */
void console_init(void);

typedef void console_writer(const char *text, size_t bytes);

/* Also sends the console's text to `writer` from now on. Context: start. */
void console_add(console_writer *writer);

/* Also sends everything that the console shows to `writer`. Context: start. */
void console_keep_in(console_writer *writer);

/* Writes text; each device converts newlines as it needs. Context: any but NMI; in a panic any. */
void console_write(const char *text, size_t bytes);

#endif
