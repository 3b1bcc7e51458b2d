/* SPDX-License-Identifier: BSD-2-Clause */
/* Random numbers: of a constant key where an emulated PMU counts exactly, so that runs repeat. */
#ifndef KERNEL_RANDOM_H
#define KERNEL_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* Fills with random numbers. Context: task, as below. */
void random_bytes(void *to, size_t bytes);

/*
 * Fills memory of ring 3, as getrandom(2) and reads of /dev/urandom do: a pending signal ends it
 * after any 256 bytes. Returns how many were written, or -EFAULT when none was.
 */
long random_to_user(uint64_t user, size_t bytes);

#endif
