/* SPDX-License-Identifier: BSD-2-Clause */
/* The drivers in a firmware's file, with their names. */
#ifndef HOST_PROFILE_VOLUME_H
#define HOST_PROFILE_VOLUME_H

#include <stdbool.h>
#include <stddef.h>

#include "host/profile/profile.h"

/* Walks all firmware volumes of a file and names the images that were made from their drivers: by
 * the name in the volume, else by the driver's GUID. Returns how many were named. Damaged volumes
 * are left out. */
size_t volume_name_images(struct profile *profile, const unsigned char *bytes, size_t size);

#endif
