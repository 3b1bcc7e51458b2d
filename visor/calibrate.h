/* SPDX-License-Identifier: BSD-2-Clause */
/* Learns QEMU's icount shift and the visor's own cost, and proves that the stopwatch stops where it
 * is told. */
#ifndef VISOR_CALIBRATE_H
#define VISOR_CALIBRATE_H

#include "visor/vcpu.h"

/* Fills shift, icount and overhead; needs the host's tables and the VMCB's control area. Leaves the
 * VMCB's state area dirty. */
void calibrate(struct vcpu *vcpu);

#endif
