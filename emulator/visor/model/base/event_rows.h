/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rows of the event tables, and the shares that they use.
 *
 * The shares, which count where no core is simulated, are invented, plausible and constant
 * (docs/emulated-pmu.md): they describe a processor that retires 4 instructions in 3 cycles. They
 * agree with each other: misses are among the accesses, reads and writes add up.
 */
#ifndef VISOR_MODEL_EVENT_ROWS_H
#define VISOR_MODEL_EVENT_ROWS_H

#include <stdint.h>

#include "emulator/visor/model/base/events.h"

/* Per EVENT_SCALE (16384) instructions. */
#define CYCLES_RATE       12288
#define REF_RATE          EVENT_SCALE /* the core runs at three quarters of its nominal frequency */
#define BUS_RATE          (REF_RATE / 4)
#define SLOTS_RATE        (6 * CYCLES_RATE) /* Golden Cove is 6 wide */
#define BRANCH_RATE       3072
#define MISPRED_RATE      64
#define LLC_READ_RATE     192
#define LLC_RFO_RATE      64
#define LLC_READ_MISS     12
#define LLC_RFO_MISS      4
#define LLC_PREFETCH_RATE 32
#define LLC_PREFETCH_MISS 4

/* The source of the event's name. A host test compares LIST rows with libpfm4, by name and code,
 * and checks that the library lacks LINUX rows. */
enum event_origin {
	LIST,    /* the vendor's list of the processor's events, as libpfm4 has it */
	PERFMON, /* the vendor's later lists or manuals: libpfm4 4.13.0 has no such name */
	LINUX,   /* arch/x86/events: a code of the kernel's that no list has */
};

/* The burst of a row whose quantity is cycles: CMASK, which then belongs to the event, leaves them
 * as they are. */
#define IN_CYCLES 0

#define NO_OFFCORE 0xff

struct event {
	uint32_t sets; /* enum event_set: processors that have it */
	uint16_t select;
	uint8_t umask;
	uint64_t
	    other; /* further bits of the selection that the vendor's list has: CMASK, E, INV */
	uint8_t
	    burst; /* the most events in one cycle, against which CMASK is compared; or IN_CYCLES */
	uint32_t share; /* without a core: events per EVENT_SCALE instructions. 0: not counted */
	const char *name;
	uint8_t origin; /* enum event_origin */
	uint8_t
	    terms[CORE_TERMS]; /* of a core: the quantities that it sums up. None: not counted */
	uint8_t offcore; /* the number of the OFFCORE_RSP register that says what is counted, or
			    NO_OFFCORE */
};

#define SUM_FOUR(a, b, c, d, ...)                      \
	{                                              \
		CORE_##a, CORE_##b, CORE_##c, CORE_##d \
	}
/* One to four quantities (abi/core_quantities.h). */
#define SUM(...) SUM_FOUR(__VA_ARGS__, NONE, NONE, NONE, NONE)
#define NOTHING  SUM(NONE)

#define E(sets, select, umask, other, burst, share, name, origin, ...)                          \
	{                                                                                       \
		sets, select, umask, other, burst, share, name, origin, __VA_ARGS__, NO_OFFCORE \
	}
#define OFFCORE(sets, select, umask, number, name, origin)                  \
	{                                                                   \
		sets, select, umask, 0, 1, 0, name, origin, NOTHING, number \
	}

/* Returns the row of a selection (IA32_PERFEVTSELx), or NULL. Event select, unit mask and the row's
 * other bits must match; a row with other bits comes before one without. */
const struct event *event_find(const struct personality *personality, uint64_t select);

/* Which quantities of a core the row's event counts with the other bits of `select`. */
struct event_sum event_row_sum(const struct event *row, uint64_t select);
/* As event_row_sum(), for the value of an OFFCORE_RSP register. */
struct event_sum event_offcore_sum(uint64_t rsp);

#endif
