/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples from the registers of instruction-based sampling. */
#ifndef PMU_IBS_SAMPLE_H
#define PMU_IBS_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>
#include "arch/x86/cpu/frame.h"

struct perf_event;

/* The number of registers of a sample: the control register and those after it. */
#define IBS_FETCH_REGISTERS 3
#define IBS_OP_REGISTERS    7
struct ibs_registers {
	uint32_t control; /* MSR */
	uint8_t nr;
	uint32_t more; /* one elsewhere that raw data ends with; 0: none */
};

#define IBS_OP_LATENCY FIELD(11, 0) /* of attr.config1: a load's least cycles; 0: any op */

/*
 * Ends a period of the event, whose control register reads `control`, and writes the sample. Its
 * raw data are a word of capabilities and the registers. Returns true when the event must stop.
 * Context: NMI.
 */
bool ibs_sample(struct perf_event *event, const struct ibs_registers *registers, uint64_t control,
		struct frame *frame);

#endif
