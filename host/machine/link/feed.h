/* SPDX-License-Identifier: BSD-2-Clause */
/* Input of a program on Linux, by COM2. */
#ifndef HOST_MACHINE_FEED_H
#define HOST_MACHINE_FEED_H

#include <stdbool.h>
#include <stdint.h>

#include "host/options.h"

/* True if a pipe or a terminal is the input of a program on Linux. */
bool feed_wanted(const struct options *options);
/* The machine has room for `bytes`. */
void feed_requested(uint32_t bytes);
/* Returns the descriptor to wait for, or -1: the machine has no room. */
int feed_fd(void);
/* Sends what feed_fd() has to the machine; `line`: our end of COM2. */
void feed_serve(int line);
/* Sends the terminal's size. */
void feed_size(int line);

#endif
