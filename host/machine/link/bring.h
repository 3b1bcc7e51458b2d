/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes of shared directories that come back. All end the command on a failed write. */
#ifndef HOST_MACHINE_BRING_H
#define HOST_MACHINE_BRING_H

#include <stdbool.h>
#include <stdio.h>

/* Notes that the machine saw a name in a directory: if it is gone there at the end, it is removed
 * here. */
void bring_saw(const char *directory, const char *name);
/* Returns a file to write the new contents to. */
FILE *bring_file(const char *path);
/* Sets the permission bits of the file that came; the lower nine count. */
void bring_rights(const char *path, const unsigned char *rights, size_t length);
void bring_symlink(const char *path, const unsigned char *target, size_t length);
/* Takes the names in a directory, each ended by NUL, in any number of pieces. */
void bring_names(const char *path, const unsigned char *names, size_t length, bool last);

#endif
