/* SPDX-License-Identifier: BSD-2-Clause */
/* Facts from QEMU's file, without starting it. */
#ifndef HOST_MACHINE_QEMU_FILE_H
#define HOST_MACHINE_QEMU_FILE_H

#include <stdbool.h>

/* `name` is looked up in PATH. True if this QEMU was built with plugins. */
bool qemu_has_plugins(const char *name);
/* Finds its version; false: the file does not contain it. */
bool qemu_file_version(const char *name, int *major, int *minor);

#endif
