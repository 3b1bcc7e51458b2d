/* SPDX-License-Identifier: BSD-2-Clause */
/* AMD's instruction-based sampling: the PMUs ibs_fetch and ibs_op. */
#ifndef PMU_IBS_H
#define PMU_IBS_H

#include <stdbool.h>
#include <stdint.h>
#include "arch/x86/cpu/frame.h"

struct perf_event;

/* Features of IBS: CPUID leaf 8000001BH, EAX. 0: none. Constant after start. */
#define IBS_CAPS_VALID          BIT(0)
#define IBS_CAPS_FETCH          BIT(1)
#define IBS_CAPS_OP             BIT(2)
#define IBS_CAPS_COUNT          BIT(3) /* the count of ops can be read and written */
#define IBS_CAPS_OP_COUNT       BIT(4) /* ops can be counted, not only cycles */
#define IBS_CAPS_TARGET         BIT(5)
#define IBS_CAPS_LONG_COUNT     BIT(6)
#define IBS_CAPS_RIP_INVALID    BIT(7) /* it says so when it does not know the address */
#define IBS_CAPS_FETCH_EXTENDED BIT(9)
#define IBS_CAPS_L3_ONLY        BIT(11) /* Zen 4: filters, finer data sources */
#define IBS_CAPS_LOAD_LATENCY   BIT(12) /* Zen 5: a filter for slow loads */
extern uint32_t ibs_caps;

/* Detects IBS, prepares every processor and registers ibs_fetch as `type` and ibs_op as the next
 * type. Returns the number of PMUs. Context: start. */
unsigned ibs_init(uint32_t type);

#define IBS_MAX_PRECISE 2
/* Turns a precise event of the processor's PMU into one of ibs_op, if it counts cycles or
 * micro-operations. Returns true when it did. Context: task. */
bool ibs_takes_precise(struct perf_event *event);

/* Handles IBS NMIs: the nmi_handler of arch/x86/trap/nmi.h. */
bool ibs_nmi(struct frame *frame);

#endif
