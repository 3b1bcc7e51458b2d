/* SPDX-License-Identifier: BSD-2-Clause */
/* Results as text for people. */
#ifndef HOST_PROFILE_TABLE_H
#define HOST_PROFILE_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "host/profile/profile.h"

/* Prints phases, the dearest units and the dearest functions. waits: loops that wait count. */
void table_print(FILE *out, const struct profile *profile, bool waits);

#endif
