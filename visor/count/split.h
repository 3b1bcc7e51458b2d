/* SPDX-License-Identifier: BSD-2-Clause */
/* What the visor intercepts at an entry, and the ways between rings that it takes part in to tell
 * user from kernel mode. */
#ifndef VISOR_SPLIT_H
#define VISOR_SPLIT_H

#include "visor/vcpu/vcpu.h"

/* Sets the VMCB's intercepts for the next entry. */
void split_intercept(struct vcpu *vcpu);
/* Exit. */
void split_exception(struct vcpu *vcpu, unsigned vector);

#endif
