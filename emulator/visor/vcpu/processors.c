/* SPDX-License-Identifier: BSD-2-Clause */
/* The array of all processors. Constant once they run. */
#include "emulator/visor/vcpu/processors.h"

#include <stddef.h>

static struct vcpu *vcpus[MAX_PROCESSORS];
static unsigned nr_vcpus;

void processors_know(unsigned nr, unsigned index, struct vcpu *vcpu)
{
	nr_vcpus = nr;
	vcpus[index] = vcpu;
}

struct vcpu *visor_processor(unsigned index)
{
	return index < nr_vcpus ? vcpus[index] : NULL;
}

bool visor_has_several(void)
{
	return nr_vcpus > 1;
}
