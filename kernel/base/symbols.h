/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's own function names, linked into the image. */
#ifndef KERNEL_SYMBOLS_H
#define KERNEL_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Number of functions; they are sorted by address. Context of all: any. */
uint32_t symbols_count(void);
/* Name of function `index`, and its address. */
const char *symbols_get(uint32_t index, uint64_t *address);
/* True if the function is visible outside of its file. */
bool symbols_global(uint32_t index);
/* The function that contains `address`, and the offset in it; NULL outside of the kernel's text. */
const char *symbols_find(uint64_t address, uint64_t *offset);
/* Returns the bytes from that function's start to the next one's; 0: outside. */
uint64_t symbols_size(uint64_t address);
/* Copies up to `bytes` of the kernel's code; returns the number of bytes that are in its text. */
size_t symbols_code(void *to, uint64_t address, size_t bytes);

#endif
