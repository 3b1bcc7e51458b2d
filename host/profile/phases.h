/* SPDX-License-Identifier: BSD-2-Clause */
/* The phases of a boot, from the slices of its time. */
#ifndef HOST_PROFILE_PHASES_H
#define HOST_PROFILE_PHASES_H

#include "host/profile/profile.h"

/* Divides the time into phases: at the marks with these names (nr of them, by their numbers; NULL:
 * none begins), at marks of the guest, and where firmware, boot loader, kernel and first process
 * begin. The units must be resolved; sets the amounts of units, phases and profile. */
void phases_find(struct profile *profile, const char *const *marks, unsigned nr);
#endif
