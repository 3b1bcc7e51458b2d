/* SPDX-License-Identifier: BSD-2-Clause */
/* The visor's options: words before "--" on its command line, or in \visor.cfg. */
#ifndef VISOR_OPTIONS_H
#define VISOR_OPTIONS_H

#include <stdbool.h>

#include "emulator/visor/model/core/quirks.h"

#define ICOUNT_UNKNOWN (-1)

struct options {
	const struct personality *personality;
	bool exact;   /* single-step whatever is counted */
	bool turns;   /* processors take turns under -icount: no clock is one's own */
	bool x2apic;  /* offer an emulated x2APIC */
	unsigned lbr; /* instructions to step before an overflow for branch records; 0: by need */
	struct quirks quirks; /* how awkward the PMU is, for tests */
	int icount;           /* QEMU's -icount shift, or ICOUNT_UNKNOWN */
	unsigned hpet;        /* the HPET starts at this tick, for tests of what happens at 2^32 */
};

/* Fills `options` from `text`, up to "--" or its end; stops the machine with one line if a word is
 * wrong. Gives what follows "--". */
const char *options_parse(struct options *options, const char *text);

#endif
