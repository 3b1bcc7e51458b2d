/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared interface of the suites. */
#ifndef APPS_BENCH_SUITES_H
#define APPS_BENCH_SUITES_H

#include "apps/bench/bench.h"
#include "apps/bench/sheet.h"

#define SUITE_RUNS 4 /* of which the middle half must agree */

/* Returns the options of the command line. */
const struct bench_options *suite_options(void);

/* Sets the events of the following measurements, for the processor of this thread. */
void suite_events(const char *text);

/* Makes a circle of pointers through `nr` slots, `distance` bytes apart from `base` on, in order or
 * at random. With one slot per page, neighbours use different lines, so that no cache level has too
 * many in one set. Returns the first slot's address. */
uint64_t suite_chain(uint8_t *base, size_t nr, size_t distance, bool random);

/* Adds a MOV of a constant to a register to the job's --init, which must have 10 bytes left. */
void suite_init_constant(struct job *job, int reg, uint64_t value);

/* Measures events of `unroll` times this code, in rounds of a loop (0: none). Adds to the sheet's
 * verdict. The outcome is valid until the next call. */
const struct outcome *suite_measured(struct sheet *sheet, const struct job *job, int unroll,
				     int loop);

/* Measures the least of SUITE_RUNS runs of the code by these options. Adds to the sheet's verdict
 * unless the code ends by a fault. The outcome is valid until the next call. */
const struct outcome *suite_tried(struct sheet *sheet, const struct job *job,
				  struct bench_options *options);

/* `cores`, in cores.c, and `instructions`, in instructions.c. */
struct sheet suite_cores(void);
struct sheet suite_instructions(void);
/* Prints the sheet's rows that are complete: a suite may take long. */
void suite_row_done(struct sheet *sheet);

#endif
