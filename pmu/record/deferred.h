/* SPDX-License-Identifier: BSD-2-Clause */
/* Deferred call chains of Linux 6.19: a sample has a cookie in place of the chain of ring 3, and a
 * CALLCHAIN_DEFERRED record brings the chain with that cookie afterwards. */
#ifndef PMU_RECORD_DEFERRED_H
#define PMU_RECORD_DEFERRED_H

#include <stdint.h>

/* Returns the cookie of the record that will have the current task's chain. Context: any,
 * interrupts masked. */
uint64_t deferred_request(void);

#endif
