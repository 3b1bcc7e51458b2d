/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of units: from symbol files, from the guest's memory and log, from the firmware's file. */
#ifndef HOST_PROFILE_NAMES_H
#define HOST_PROFILE_NAMES_H

#include "host/lib/words.h"
#include "host/profile/profile.h"

/* Names the images: by the paths in their debug directories, by lines of the firmware's log, by the
 * volumes of these files. */
void names_of_images(struct profile *profile, const struct words *firmware);
/* Makes units of symbol files: FILE, FILE@ADDRESS, a directory. Files that do not fit the code that
 * ran are named on stderr, unless `quiet` or in a directory. Before units_resolve(). */
void names_of_symbols(struct profile *profile, const struct words *files, bool quiet);
/* Returns the address at which the first of the files that are lists of a kernel's symbols (nm's
 * format) has its _text, 0: there is none; or the linked address of one of its functions. */
uint64_t names_kernel(const struct words *files);
uint64_t names_function(const struct words *files, const char *name, bool *slides);

#endif
