/* SPDX-License-Identifier: BSD-2-Clause */
/* A boot's amounts as JSON, and their comparison with an earlier boot's. */
#ifndef HOST_PROFILE_COMPARE_H
#define HOST_PROFILE_COMPARE_H

#include <stdbool.h>

#include "host/profile/profile.h"

/* Writes the amounts of phases and units, a line each. Returns false and errno if it cannot. */
bool json_write(const struct profile *profile, const char *path);

/* Prints the rows of two such files that differ most, with an increase of more than `tolerance` per
 * cent marked. Returns how many are marked; -1 after a message if a file is no such file, or one is
 * of cycles and the other of instructions. */
int json_compare(const char *before, const char *now, double tolerance, bool waits);

#endif
