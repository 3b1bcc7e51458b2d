/* SPDX-License-Identifier: BSD-2-Clause */
/* The visor's loop: enters the guest, counts, handles the exit. */
#ifndef VISOR_EXITS_H
#define VISOR_EXITS_H

#include "emulator/visor/vcpu/vcpu.h"

__attribute__((noreturn)) void visor_loop(struct vcpu *vcpu);
/* One entry and exit without handling it, for calibration and the loop. */
void visor_run(struct vcpu *vcpu);
/* Prints the guest's state and stops the machine. */
__attribute__((noreturn, format(printf, 2, 3))) void guest_died(const struct vcpu *vcpu,
								const char *why, ...);

#endif
