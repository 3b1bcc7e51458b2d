/* SPDX-License-Identifier: BSD-2-Clause */
/* The coverage of a boot, as lcov and genhtml read it. */
#ifndef HOST_PROFILE_LCOV_H
#define HOST_PROFILE_LCOV_H

#include "host/profile/profile.h"

/* Writes how often each source line of the symbol files' code ran, by addr2line. Returns how many
 * lines ran; ends the command if the file cannot be written or there is no addr2line. */
size_t lcov_write(const struct profile *profile, const char *path);

#endif
