/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples from the registers of instruction-based sampling. */
#ifndef PMU_IBS_SAMPLE_H
#define PMU_IBS_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>
#include "arch/x86/cpu/frame.h"

struct perf_event;

/* Registers of a sample: the control register, and those after it. */
#define IBS_FETCH_REGISTERS 3
#define IBS_OP_REGISTERS    7
struct ibs_registers {
	uint32_t control; /* MSR */
	uint8_t nr;
	uint32_t more; /* one elsewhere that raw data ends with; 0: none */
};

/*
 * The period of the event has ended, and its control register reads `control`: writes the sample,
 * whose raw data are a word of capabilities and the registers. True: the event must stop now.
 * Context: NMI.
 */
bool ibs_sample(struct perf_event *event, const struct ibs_registers *registers, uint64_t control,
		struct frame *frame);

#endif
