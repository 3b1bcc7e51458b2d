/* SPDX-License-Identifier: BSD-2-Clause */
/* Learns QEMU's icount shift and the visor's own cost, and proves that the stopwatch stops where it
 * is told. */
#ifndef VISOR_CALIBRATE_H
#define VISOR_CALIBRATE_H

#include "emulator/visor/vcpu/vcpu.h"

/* Fills shift, icount and overhead; needs the host's tables and the VMCB's control area. Leaves the
 * VMCB's state area dirty. */
void calibrate(struct vcpu *vcpu);
/* Takes the same from a processor that was calibrated. */
void calibrate_like(struct vcpu *vcpu, const struct vcpu *other);
/* Waits, as a guest of the visor's own, until an NMI comes, and takes it. */
void calibrate_wait(struct vcpu *vcpu);

#endif
