/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages between the guest's processors that the real APICs must not see: INIT, SIPI and NMI. A
 * real INIT would end the visor's own work on the processor. They are put into the receiver's mail
 * in struct vcpu, and a real NMI makes it check. Intel SDM vol. 3, 8.4 (MP initialization) and 10.6
 * (interprocessor interrupts).
 */
#ifndef VISOR_STARTUP_H
#define VISOR_STARTUP_H

#include "emulator/visor/vcpu/vcpu.h"

/* Type and flags of a busy 32-bit TSS segment. */
#define TSS32_BUSY 0x08b

/* Waits on a processor that the guest has not started, until an NMI comes, which it takes. start/
 * sets it: it runs the small guest that it calibrates with. */
extern void (*startup_idle)(struct vcpu *vcpu);

/* The guest on `from` writes its interrupt command register. False: the real APIC must send it. */
bool startup_sends(struct vcpu *from, uint32_t icr, uint32_t destination);
/* True if an APIC with the physical or logical id `destination` is this one. */
bool startup_addressed(const struct vcpu *vcpu, bool logical, uint32_t destination);
/* Marks this processor as running under the visor. */
void startup_come_online(struct vcpu *vcpu);
/* Before an entry: handles other processors' requests. After an INIT it returns with the SIPI that
 * follows. */
void startup_open_mail(struct vcpu *vcpu);
/* At an NMI exit, before the NMI is taken: returns whether another processor has sent one that was
 * not taken yet. After the NMI is taken none of those will come. */
bool startup_took_kick(struct vcpu *vcpu);
/* Takes a pending NMI that is the visor's own, or another processor's, which is then sent again. */
void startup_absorb_nmi(struct vcpu *vcpu);
/* The guest's processor waits for a SIPI, like a further processor after a reset. */
void startup_wait(struct vcpu *vcpu);

#endif
