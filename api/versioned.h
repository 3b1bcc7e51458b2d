/* SPDX-License-Identifier: BSD-2-Clause */
/* Structs that have grown with the versions of Linux. */
#ifndef API_VERSIONED_H
#define API_VERSIONED_H

#include <stddef.h>
#include <stdint.h>

/* Copies a user's struct that may be older (shorter) or newer (longer, then zero) than ours.
 * Returns 0, -EFAULT or -E2BIG. Context: task. */
int copy_versioned(void *to, size_t ours, uint64_t from, uint64_t size);

#endif
