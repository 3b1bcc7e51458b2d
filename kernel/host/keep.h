/* SPDX-License-Identifier: BSD-2-Clause */
/* For a loader that keeps the firmware: frames and the log in memory, and the way back to it. */
#ifndef KERNEL_KEEP_H
#define KERNEL_KEEP_H

#include <stdbool.h>
#include "abi/boot_kept.h"

/* Takes memory for the log when such a loader waits. Context: start, after kalloc_init(). */
void keep_init(void);
/* Such a loader waits. Context: any. */
bool keep_is_on(void);
/* Requests that the loader starts nothing else. Context: any. */
void keep_stop_after(void);

/* Keeps one frame; without memory for it, it is counted as lost. Context: interrupts masked. */
void keep_frame(const struct boot_frame *header, const char *name, const void *payload);

/* Gives the machine back as it was: other processors, interrupt controllers, then the first
 * processor. Context: any, the other processors are stopped. */
_Noreturn void keep_end(void);

#endif
