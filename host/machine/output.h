/* SPDX-License-Identifier: BSD-2-Clause */
/* A queue in front of stdout and stderr. */
#ifndef HOST_MACHINE_OUTPUT_H
#define HOST_MACHINE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

void output_add(int fd, const void *bytes, size_t size);
/* Writes what can be written without waiting. */
void output_some(void);
/* Returns the number of queued bytes. */
size_t output_pending(void);
/* True if the machine must wait until the queue is shorter. */
bool output_is_full(void);
/* Returns the descriptor that the queue waits for, or -1. */
int output_fd(void);

#endif
