/* SPDX-License-Identifier: BSD-2-Clause */
/* Our terminal: which streams are one, its modes and size. */
#ifndef HOST_MACHINE_TERMINAL_H
#define HOST_MACHINE_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the kernel's options for the streams that are a terminal, or "". */
const char *terminal_words(void);
/* Returns the kernel's options for the streams that are neither a terminal nor a pipe, or "". */
const char *file_words(void);
bool terminal_typed(void);
/* Returns letters, rows and columns for a program on Linux; "": no terminal is typed at. */
const char *terminal_feed(void);
/* Sends each key to the machine from now on, until the command ends. */
void terminal_raw(void);
void terminal_restore(void);
/* Returns the end of a line on stderr for the terminal's present mode. */
const char *terminal_newline(void);
void terminal_size(uint32_t *rows, uint32_t *cols);
/* True if the bytes complete the keys that leave the machine. */
bool terminal_leaves(const unsigned char *bytes, size_t size);

#endif
