/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processor Trace in the visor, and when the branch trace store (store.h) is written. If the
 * simulated core can stop the guest, it encodes the guest's control flow
 * (emulator/sim/cpu/trace.c); else each traced instruction is stepped.
 */
#ifndef VISOR_TRACE_H
#define VISOR_TRACE_H

#include "emulator/visor/vcpu/vcpu.h"

/* Called once, after core_setup(). */
void trace_setup(struct vcpu *vcpu);
/* Called before and after a write of a register: ends the trace if `value` clears TraceEn, starts
 * it if it was set. */
void trace_before_write(struct vcpu *vcpu, uint32_t msr, uint64_t value);
void trace_choose(struct vcpu *vcpu);
/* trace_steps(): every instruction must be stepped now. trace_awaits_return(): only the return from
 * an untraced kernel must be intercepted.
 */
bool trace_steps(const struct vcpu *vcpu);
bool trace_awaits_return(const struct vcpu *vcpu);
/* Called before an entry, and before and after the core has settled a run. */
void trace_enter(struct vcpu *vcpu);
void trace_exit(struct vcpu *vcpu);
void trace_settled(struct vcpu *vcpu);
/* Encodes a finished step. */
void trace_step(struct vcpu *vcpu, bool retired);
/* Encodes a far branch between rings, at `from`, that the visor has executed for the guest. */
void trace_far(struct vcpu *vcpu, uint64_t from);
/* Encodes the PTWRITE at RIP, which the visor has executed for the guest: the low `bytes` of
 * `value`. */
void trace_value(struct vcpu *vcpu, uint64_t value, unsigned bytes);

#endif
