/* SPDX-License-Identifier: BSD-2-Clause */
/* Fields and names of perf_event_open(2) from after Linux 6.1, in effect with abi= of the command
 * line (kernel/base/system.h). include/uapi/linux/perf_event.h of 6.13 and 6.19. */
#ifndef PMU_LATER_H
#define PMU_LATER_H

#include "abi/linux/perf_event.h"

/* 6.13: bits of the word that 6.1 calls __reserved_3. */
#define ATTR_AUX_START_PAUSED 1u
#define ATTR_AUX_PAUSE        2u
#define ATTR_AUX_RESUME       4u
#define ATTR_AUX_ACTION       (ATTR_AUX_START_PAUSED | ATTR_AUX_PAUSE | ATTR_AUX_RESUME)

/* 6.19: flags that follow sigtrap, in the field that 6.1 calls __reserved_1. */
#define ATTR_DEFER_CALLCHAIN 1u
#define ATTR_DEFER_OUTPUT    2u
#define ATTR_DEFER           (ATTR_DEFER_CALLCHAIN | ATTR_DEFER_OUTPUT)

/* Our own, beside those flags: a sample does more than write a record: it adapts a
 * frequency, sends SIGTRAP, or pauses or resumes a trace. */
#define ATTR_ACTS (1u << 25)

#define PERF_RECORD_CALLCHAIN_DEFERRED 22
#define PERF_CONTEXT_USER_DEFERRED     ((uint64_t)-640)

#endif
