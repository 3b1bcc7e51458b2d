/* SPDX-License-Identifier: BSD-2-Clause */
/* The hardware's record of a sample's instruction. */
#ifndef PMU_PRECISE_H
#define PMU_PRECISE_H

#include <stdbool.h>
#include <stdint.h>
#include "arch/x86/cpu/frame.h"

#define WEIGHT_SECOND_SHIFT 32 /* of the second value in PERF_SAMPLE_WEIGHT_STRUCT */

struct precise {
	const struct frame *interrupted; /* the registers at the PMI, later: for call chains */
	bool has_registers;              /* the record has the general registers */
	bool exact;                      /* the sample's address is that of the instruction */
	uint64_t time;                   /* clock_ns() of the instruction */
	uint64_t weight;                 /* cycles that a load took; 0: unknown */
	uint64_t data_source;            /* PERF_MEM_*; 0: unknown */
	uint64_t transaction;            /* PERF_TXN_* */
	uint64_t physical;               /* address of the access; 0: what the page tables say */
	const uint64_t *xmm; /* two words for each vector register; NULL: not recorded */
};

#endif
