/* SPDX-License-Identifier: BSD-2-Clause */
/* Ends the command with one line on stderr, and its exit statuses. */
#ifndef HOST_LIB_REPORT_H
#define HOST_LIB_REPORT_H

#include <stdbool.h>

#include "abi/exit_status.h"

/* Prints "barepmu: ..." as one line on stderr and exits with `status`. */
void die(int status, const char *format, ...) __attribute__((noreturn, format(printf, 2, 3)));

/* Sets a function that die() calls before it prints, such as one that restores the terminal. */
void on_death(void (*function)(void));

#endif
