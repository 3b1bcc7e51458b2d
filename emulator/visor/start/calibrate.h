/* SPDX-License-Identifier: BSD-2-Clause */
/* Measures QEMU's icount shift and the visor's own cost, and verifies that the stopwatch stops at
 * the given count. */
#ifndef VISOR_CALIBRATE_H
#define VISOR_CALIBRATE_H

#include "emulator/visor/vcpu/vcpu.h"

/* Sets shift, icount and overhead; needs the host's tables and the VMCB's control area. Leaves the
 * VMCB's state area dirty. */
void calibrate(struct vcpu *vcpu);
/* Copies these values from a calibrated processor. */
void calibrate_like(struct vcpu *vcpu, const struct vcpu *other);
/* Waits, as a private guest of the visor, until an NMI comes, and takes it. */
void calibrate_wait(struct vcpu *vcpu);

#endif
