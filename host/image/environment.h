/* SPDX-License-Identifier: BSD-2-Clause */
/* The program's environment. */
#ifndef HOST_IMAGE_ENVIRONMENT_H
#define HOST_IMAGE_ENVIRONMENT_H

#include <stddef.h>

#include "host/options.h"

/* Returns `nr` texts NAME=VALUE, sorted by name; the caller frees the array. */
const char *const *environment_of(const struct options *options, size_t *nr);

#endif
