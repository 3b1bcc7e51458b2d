/* SPDX-License-Identifier: BSD-2-Clause */
/* Errors in what a user typed, as one line. */
#ifndef SIM_COMPONENT_ERROR_LINE_H
#define SIM_COMPONENT_ERROR_LINE_H

#include <stddef.h>

/* Prints to `error` of `size` bytes; control characters become question marks. Returns -1. */
__attribute__((format(printf, 3, 4))) int error_line(char *error, size_t size, const char *format,
						     ...);

#endif
