/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A branch predictor for exact counting: deterministic, simple and described in
 * docs/emulated-pmu.md, so that BR_MISP_RETIRED is meaningful where every branch is observed. It
 * models no real processor.
 */
#ifndef VISOR_MODEL_PREDICT_H
#define VISOR_MODEL_PREDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "emulator/visor/model/insn/decode.h"

#define PREDICT_CONDITIONS 1024 /* two-bit counters */
#define PREDICT_TARGETS    256  /* targets of indirect branches */
#define PREDICT_RETURNS    16   /* depth of the return stack */

/* All zeros is the reset state: conditions not taken, no target known. */
struct predictor {
	uint8_t conditions[PREDICT_CONDITIONS]; /* 0, 1: not taken; 2, 3: taken */
	uint64_t targets[PREDICT_TARGETS];
	uint64_t returns[PREDICT_RETURNS];
	uint8_t top; /* where the next return address goes */
};

/*
 * The branch `insn` at address `from` retired and execution continued at `to`: returns whether the
 * predictor had expected something else, and trains it. Far branches and direct jumps are always
 * predicted. Any context, one caller at a time.
 */
bool predict_branch(struct predictor *predictor, struct insn insn, uint64_t from, uint64_t to);

#endif
