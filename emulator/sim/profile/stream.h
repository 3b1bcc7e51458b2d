/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the records of abi/boot_profile.h. */
#ifndef SIM_PROFILE_STREAM_H
#define SIM_PROFILE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/boot_profile.h"

/* Starts the stream at a path. Returns false and errno if it cannot be written. */
bool stream_open(const char *path);
/* Appends a record of two parts (the second may be empty) of at most 4 GiB in all. Does nothing
 * before stream_open() and after an error, which is printed once. */
void stream_put(enum profile_type type, const void *head, size_t head_bytes, const void *rest,
		size_t rest_bytes);
/* Writes what is still in memory. */
void stream_flush(void);

#endif
