/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ACPI's power management timer, which kernels take for the measure of the TSC. With -icount the
 * guest's TSC leaves out what the visor executes, so the timer must, too: the guest reads its own
 * TSC there, in the timer's unit. ACPI specification 6.4, 4.8.2.1 and 4.8.3.3.
 */
#ifndef VISOR_TIMER_PORT_H
#define VISOR_TIMER_PORT_H

#include "emulator/visor/vcpu/vcpu.h"

/* Once: the timer has this port (0: there is none). Its reads then exit. */
void timer_port_setup(uint16_t port);
/* The permission map that every VMCB shares: its physical address. */
uint64_t timer_port_map(void);
/* Exit of an IN or OUT. */
void timer_port_exit(struct vcpu *vcpu);

#endif
