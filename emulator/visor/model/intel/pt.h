/* SPDX-License-Identifier: BSD-2-Clause */
/* Processor Trace, as the visor drives it. */
#ifndef VISOR_MODEL_PT_H
#define VISOR_MODEL_PT_H

#include <stdbool.h>

#include "emulator/visor/model/base/types.h"

struct pt_state; /* abi/pt_state.h */

/* Moves Processor Trace's state to memory that it shares with the simulated core, and resets it. */
void model_share_pt(struct model *model, struct pt_state *state);
/* Returns Processor Trace's state. The caller encodes packets (emulator/pt/). */
struct pt_state *model_pt(struct model *model);
/* True if the processor has PTWRITE. */
bool model_has_ptwrite(const struct model *model);
/* Makes a PMI pending if a region with INT has become full since the last call. */
void model_pt_interrupt(struct model *model);

#endif
