/* SPDX-License-Identifier: BSD-2-Clause */
/* The simulated core outside of the machine, which observes the whole guest: abi/core_page.h. */
#ifndef VISOR_CORE_H
#define VISOR_CORE_H

#include "emulator/visor/vcpu/vcpu.h"

/* Called once, before any guest runs: reports the visor's memory, and detects a core. */
void core_hello(uint64_t base, uint64_t bytes);
/* Assigns a core to this processor, if there is one. */
void core_setup(struct vcpu *vcpu);
/* Returns its name; NULL: there is none. */
const char *core_name(void);
/* Returns the names of its components' events, VISOR_EVENT_BYTES each; NULL: there is no core. */
const char *core_event_names(void);
/* Returns how many names there are. */
unsigned core_nr_events(void);
/* Returns the watches that end a run: without a stopwatch also watches of instructions. */
enum model_stops core_stops(const struct vcpu *vcpu);
/* Before each entry: passes the settings to the core. */
void core_enter(struct vcpu *vcpu);
/* A tool measures: VISOR_MEASURE_* (abi/visor_cpuid.h). */
void core_measure(struct vcpu *vcpu, uint32_t what);
/* After each exit: fills vcpu->core->work with the guest's work since the last one. */
void core_sync(struct vcpu *vcpu);
/* On the first processor, calibrated, before any guest: whether the clock can follow the core. */
void core_offer_clock(struct vcpu *vcpu);
/* Whether the guest's clock can follow the core. */
bool core_has_clock(const struct vcpu *vcpu);
/* Whether it does so while what was counted so far is counted. */
bool core_times(const struct vcpu *vcpu);
/* Before the visor's CR0 or CR4 changes, by which QEMU distinguishes translations of its code. */
void core_unsettle(struct vcpu *vcpu);
/* Before an entry: the machine's clock becomes the guest's, where the core times that, so that the
 * visor's own instructions take none of its time. */
void core_follow_clock(struct vcpu *vcpu);
/* At an NMI exit: whether the core has sent that NMI, which then is used up. */
bool core_took_stop(struct vcpu *vcpu);

#endif
