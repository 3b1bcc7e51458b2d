/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The stopwatch: lets the guest run an exact number of instructions. With -icount QEMU ends the
 * processor's budget exactly at the instruction at which the next timer is due; an HPET timer in
 * FSB mode, aimed in QEMU's nanoseconds, then sends an NMI that the visor intercepts. It uses no
 * trap flag, so the guest sees nothing. Without -icount it stops the guest at about that many
 * instructions. Each processor has its own timer.
 */
#ifndef VISOR_HPET_H
#define VISOR_HPET_H

#include "emulator/visor/vcpu/vcpu.h"

#define HPET_BASE 0xfed00000ull

/* vcpu.hpet_rate is a fixed-point number with this number of fractional bits. */
#define HPET_RATE_SHIFT 16

#define HPET_TICK_NS 10 /* HPET_PERIOD_NS of layout.inc */

/* run.asm: instructions from its second RDTSC to the guest's first one (without the sled), and to
 * the write of the comparator. */
#define RUN_ENTRY_INSTRUCTIONS 31
#define RUN_WRITE_INSTRUCTIONS 14
/* run.asm: instructions from its first RDTSC to the second one, without the NOPs between them. */
#define RUN_LEAD_INSTRUCTIONS 12

/* run.asm: the NOPs before the second RDTSC, by the phase in ns that a write of the comparator
 * RUN_WRITE_INSTRUCTIONS after the first one would have within a tick: they bring it to 0 or 1. All
 * 0 without icount. */
extern uint8_t hpet_lead[HPET_TICK_NS];

/* Stops the machine with one line if the timer of processor `index` cannot send an NMI. */
void hpet_check(unsigned index);
/* Allocates the processor's timer, after hpet_check(). */
void hpet_setup(struct vcpu *vcpu);
/* Starts the main counter at a known TSC value, once the icount shift is known; called once, on the
 * first processor. */
void hpet_align(struct vcpu *vcpu);
/* Under -icount, aligned: arms the timer for the end of the counter's epoch. Returns the TSC at
 * which it fires, about. hpet_disarm() must come before it does. */
uint64_t hpet_arm_far(struct vcpu *vcpu);
void hpet_disarm(struct vcpu *vcpu);
/* The main counter, in 10 ns. */
uint64_t hpet_now(const struct vcpu *vcpu);
/* Prepares the next run to stop after `instructions` of the guest (0: after the delivery of an
 * event), NEVER: not at all. */
void hpet_aim(struct vcpu *vcpu, uint64_t instructions);
/* After each run: records when the armed timer fires. */
void hpet_note_exit(struct vcpu *vcpu);
/* At an NMI exit takes the NMI in the host; returns whether it was the deadline's, which is
 * consumed. */
bool hpet_took_nmi(struct vcpu *vcpu);

#endif
