/* SPDX-License-Identifier: BSD-2-Clause */
/* A recorded boot as a page, or its timeline as a picture. */
#ifndef HOST_PROFILE_HTML_H
#define HOST_PROFILE_HTML_H

#include <stdbool.h>

#include "host/profile/profile.h"

/* Writes a page with timeline and tables, or a picture alone if the name ends with .svg. waits:
 * loops that wait count. Returns false and errno if it cannot. */
bool html_write(const struct profile *profile, const char *path, bool waits);

#endif
