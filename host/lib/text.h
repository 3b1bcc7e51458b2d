/* SPDX-License-Identifier: BSD-2-Clause */
/* Allocated memory and formatted text; both end the command when memory runs out. */
#ifndef HOST_LIB_TEXT_H
#define HOST_LIB_TEXT_H

#include <stddef.h>

/* Returns `size` zeroed bytes. */
void *allocate(size_t size);

/* Returns an allocated text, formatted as by printf(3). */
char *format_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
