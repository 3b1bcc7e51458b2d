/* SPDX-License-Identifier: BSD-2-Clause */
/* The line for a file that is missing or cannot be used. */
#ifndef HOST_LIB_MISSING_H
#define HOST_LIB_MISSING_H

#include <stdbool.h>

/* Ends the command with `status`: cannot `what` the file `path`, for the reason in errno. With
 * `program` the line also mentions the programs of the image. */
void missing_file(int status, const char *what, const char *path, bool program)
    __attribute__((noreturn));

#endif
