/* SPDX-License-Identifier: BSD-2-Clause */
/* The built-in predictors of a conditional branch's direction: bimodal, gshare, TAGE. */
#ifndef CORE_BRANCH_DIRECTION_H
#define CORE_BRANCH_DIRECTION_H

#include "abi/sim.h"
#include "emulator/sim/config/config.h"

enum { TAGE_TABLES_MAX = 8, TAGE_HISTORY_MAX = 128 };

/* By enum predictor_kind; NULL at the end. */
extern const struct sim_component *const direction_builtin[];

/* TAGE's step(): the caller may compare pointers, and call it directly, which the compiler can
 * inline. */
bool direction_tage_step(void *self, uint64_t pc, bool taken, uint64_t target);

/* Sets the parameters of the core's built-in predictor. */
void direction_parameters(const struct branch_config *config,
			  uint64_t parameters[SIM_PARAMETERS_MAX]);

#endif
