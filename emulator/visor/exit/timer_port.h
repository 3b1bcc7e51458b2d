/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ACPI's power management timer, by which kernels calibrate the TSC. With -icount the guest's TSC
 * excludes the visor's instructions, so the timer must as well: the guest reads its own TSC there,
 * in the timer's unit. ACPI specification 6.4, 4.8.2.1 and 4.8.3.3.
 */
#ifndef VISOR_TIMER_PORT_H
#define VISOR_TIMER_PORT_H

#include "emulator/visor/vcpu/vcpu.h"

/* Called once: the timer has this port (0: there is none). Its reads exit from now on. */
void timer_port_setup(uint16_t port);
/* Returns the physical address of the permission map that every VMCB shares. */
uint64_t timer_port_map(void);
/* Handles the exit of an IN or OUT. */
void timer_port_exit(struct vcpu *vcpu);

#endif
