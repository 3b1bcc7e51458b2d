/* SPDX-License-Identifier: BSD-2-Clause */
/* The host's directories on stock Linux. */
#ifndef APPS_LINUX_SHARES_H
#define APPS_LINUX_SHARES_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/host_link.h"

#define MAX_SHARES 64

/* Makes the file system with the host's directories, and starts the thread that serves it. The host
 * knows `link`, which is at physical address `address` in a huge page. False: this kernel has no
 * FUSE or no overlays. */
bool shares_begin(char *const *paths, int nr, struct link *link, uint64_t address);
/* Puts each of them below what the archive has there. Waits for the thread: call it in another
 * process. */
void shares_mount(void);

#endif
