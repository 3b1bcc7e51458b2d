/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What processors of the guest send each other and the real APICs must not see: INIT, SIPI and NMI.
 * A real INIT would end the visor's own work on the processor. They go through mail in the
 * receiver's struct vcpu, and a real NMI that makes it look. Intel SDM vol. 3, 8.4 (MP
 * initialization) and 10.6 (interprocessor interrupts).
 */
#ifndef VISOR_STARTUP_H
#define VISOR_STARTUP_H

#include "emulator/visor/vcpu/vcpu.h"

/* How a processor waits that the guest has not started: until an NMI comes, which it takes. The
 * start fills it: it runs the small guest that it calibrates with. */
extern void (*startup_idle)(struct vcpu *vcpu);

/* The guest on `from` writes its interrupt command register. False: it is the real APIC's to
 * send. */
bool startup_sends(struct vcpu *from, uint32_t icr, uint32_t destination);
/* Whether an APIC with the physical or logical id `destination` is this one. */
bool startup_addressed(const struct vcpu *vcpu, bool logical, uint32_t destination);
/* This processor now runs under the visor. */
void startup_come_online(struct vcpu *vcpu);
/* Before an entry: does what other processors asked for. After an INIT it comes back with the SIPI
 * that follows. */
void startup_open_mail(struct vcpu *vcpu);
/* At an NMI exit, before the NMI is taken: whether another processor has sent one that was not
 * taken yet. After the NMI is taken none of those that it told of will come. */
bool startup_took_kick(struct vcpu *vcpu);
/* Takes an NMI that may be pending and is the visor's own, or another processor's, which then is
 * sent once more. */
void startup_absorb_nmi(struct vcpu *vcpu);
/* The guest's processor waits for a SIPI, as a further processor does after a reset. */
void startup_wait(struct vcpu *vcpu);

#endif
