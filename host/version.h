/* SPDX-License-Identifier: BSD-2-Clause */
/* barepmu --version. */
#ifndef HOST_VERSION_H
#define HOST_VERSION_H

#include <stdbool.h>

/* Prints our version; `verbose`: also QEMU's version and the features that work with it. */
void version_print(bool verbose);

#endif
