/* SPDX-License-Identifier: BSD-2-Clause */
/* The visor's options: the part before "--" of its command line, or of \visor.cfg. */
#ifndef VISOR_OPTIONS_H
#define VISOR_OPTIONS_H

#include <stdbool.h>

#include "emulator/visor/model/core/quirks.h"

#define ICOUNT_UNKNOWN (-1)
#define ICOUNT_MAX     10 /* as QEMU's -icount */

struct options {
	const struct personality *personality;
	bool exact;   /* single-step whatever is counted */
	bool turns;   /* processors take turns under -icount: no clock is one's own */
	bool x2apic;  /* offer an emulated x2APIC */
	unsigned lbr; /* instructions to step before an overflow for branch records; 0: by need */
	struct quirks quirks; /* how awkward the PMU is, for tests */
	int icount;           /* QEMU's -icount shift, or ICOUNT_UNKNOWN */
	unsigned hpet;        /* initial value of the HPET, for tests of the wrap at 2^32 */
};

/* Parses `text`, up to "--" or its end, into `options`; stops the machine with one line if an
 * option is invalid. Returns the text after "--". */
const char *options_parse(struct options *options, const char *text);

#endif
