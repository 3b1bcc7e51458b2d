/* SPDX-License-Identifier: BSD-2-Clause */
/* Random numbers: from a constant key if an emulated PMU counts exactly, so that runs are
 * reproducible. */
#ifndef KERNEL_RANDOM_H
#define KERNEL_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* Fills with random numbers. Context: task, as below. */
void random_bytes(void *to, size_t bytes);

/*
 * Fills memory of ring 3, for getrandom(2) and reads of /dev/urandom: a pending signal ends it
 * after any 256 bytes. Returns the bytes written, or -EFAULT if there are none.
 */
long random_to_user(uint64_t user, size_t bytes);

#endif
