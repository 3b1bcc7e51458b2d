/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The branch trace store of a simulated processor: each taken branch and each interrupt goes into
 * the visor's page, from which the visor writes it to the guest's memory. Intel SDM vol. 3, "Branch
 * Trace Store (BTS)". Not called while the store is off.
 */
#ifndef CORE_STORE_H
#define CORE_STORE_H

#include "emulator/sim/cpu/trace.h"

/* store_entered(): the block is the first one after an entry. */
void store_entered(struct core *core, const struct code_block *block);
void store_ended(struct core *core, const struct trace_end *end);

#endif
