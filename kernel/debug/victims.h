/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory of the kernel that no call of a program may ever change. */
#ifndef DEBUG_VICTIMS_H
#define DEBUG_VICTIMS_H

#include <stdint.h>
#include "kernel/debug/control.h"

/* Returns the victim's address, or 0 if there is none. Context: task. */
uint64_t victim_address(enum debug_victim victim);
/* Context: task. */
uint32_t victims_checksum(void);
/* Returns a checksum of the kernel's text and constants. Context: task. */
uint32_t constants_checksum(void);

#endif
