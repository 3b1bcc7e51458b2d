/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rows of the event tables, and their common rates.
 *
 * The numbers are invented, plausible and constant (docs/emulated-pmu.md): they describe a
 * processor that retires 4 instructions in 3 cycles. They are consistent: misses are a part of the
 * accesses, reads and writes add up.
 */
#ifndef VISOR_MODEL_EVENT_ROWS_H
#define VISOR_MODEL_EVENT_ROWS_H

#include <stdint.h>

#include "emulator/visor/model/core/events.h"

/* Per EVENT_SCALE (16384) instructions. */
#define CYCLES_RATE   12288
#define REF_RATE      EVENT_SCALE /* the core runs at three quarters of its nominal frequency */
#define BUS_RATE      (REF_RATE / 4)
#define SLOTS_RATE    (6 * CYCLES_RATE) /* Golden Cove is 6 wide */
#define BRANCH_RATE   3072
#define MISPRED_RATE  64
#define LLC_READ_RATE 192
#define LLC_RFO_RATE  64
#define LLC_READ_MISS 12
#define LLC_RFO_MISS  4

/* The unit of a row's rate. */
enum unit {
	PER_INSTRUCTION, /* EVENT_SCALE instructions */
	PER_BRANCH,      /* as PER_INSTRUCTION, but the branches seen where they are known */
	PER_MISPREDICT,  /* likewise, mispredicted ones */
	PER_OFFCORE,     /* OFFCORE_RSP_0 or _1 (`rate` is its number) says what */
};

struct event {
	uint16_t select;
	uint8_t umask;
	uint32_t sets; /* enum event_set: processors that have it */
	uint8_t unit;  /* enum unit */
	uint8_t
	    burst; /* how many of them happen in one cycle, when any do: what CMASK compares with */
	uint32_t rate;
	char name[36];
};

#endif
