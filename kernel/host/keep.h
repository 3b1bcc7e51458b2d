/* SPDX-License-Identifier: BSD-2-Clause */
/* For a loader that keeps the firmware: frames and the log in memory, and the return to it. */
#ifndef KERNEL_KEEP_H
#define KERNEL_KEEP_H

#include <stdbool.h>
#include "abi/boot_kept.h"

/* Allocates the log's memory if such a loader waits. Context: start, after kalloc_init(). */
void keep_init(void);
/* True if such a loader waits. Context: any. */
bool keep_is_on(void);
/* Requests that the loader starts nothing else. Context: any. */
void keep_stop_after(void);

/* Stores one frame; counts it as lost if there is no memory. Context: interrupts masked. */
void keep_frame(const struct boot_frame *header, const char *name, const void *payload);

/* Restores the machine for the loader: other processors, interrupt controllers, then the first
 * processor. Context: any, the other processors are stopped. */
_Noreturn void keep_end(void);

#endif
