/* SPDX-License-Identifier: BSD-2-Clause */
/* Macros for the tables of timings. Private to them. */
#ifndef CORE_PIPE_TIMINGS_H
#define CORE_PIPE_TIMINGS_H

#include <stddef.h>

#include "emulator/sim/config/pipeline_config.h"

/* n micro-operations of that unit. */
#define U(unit, n)             \
	{                      \
		UNIT_##unit, n \
	}
/* A row: latency, slots (0: as many as micro-operations), cycles of the divider or the sequencer of
 * microcode, micro-operations. */
#define TIMING(latency, slots, busy, ...)           \
	{                                           \
		latency, slots, {__VA_ARGS__}, busy \
	}

#endif
