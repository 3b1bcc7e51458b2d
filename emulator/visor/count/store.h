/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The branch trace store in the visor. If the simulated core can stop the guest, it collects the
 * branches (emulator/sim/cpu/store.c); else each instruction is stepped, as for Processor Trace
 * (trace.c).
 */
#ifndef VISOR_STORE_H
#define VISOR_STORE_H

#include "emulator/visor/vcpu/vcpu.h"

/* Called after a write of a register. */
void store_choose(struct vcpu *vcpu);
/* Called before an entry, and after the core has settled a run. */
void store_enter(struct vcpu *vcpu);
void store_settled(struct vcpu *vcpu);
/* Stores a taken branch or an interrupt that was stepped or emulated, and began in `ring`. */
void store_branch(struct vcpu *vcpu, enum model_ring ring, uint64_t from, uint64_t to);

#endif
