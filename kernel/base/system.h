/* SPDX-License-Identifier: BSD-2-Clause */
/* How the system names itself to programs, and the Linux whose interface it has. */
#ifndef KERNEL_SYSTEM_H
#define KERNEL_SYSTEM_H

#include <stdbool.h>

#define SYSTEM_NODE    "barepmu"
#define SYSTEM_VERSION "#1 barepmu"

extern unsigned system_minor; /* constant after start */

/* Sets the version of Linux by its name, as 6.18: from 6.1 (the default) to 6.19. False: it is none
 * of these. Context: start. */
bool system_set_abi(const char *name);
/* Returns what uname(2) gives as the release. Context: any. */
const char *system_release(void);
/* True if the interface is that of Linux 6.`minor` or later. Context: any. */
static inline bool system_since(unsigned minor)
{
	return system_minor >= minor;
}

#endif
