/* SPDX-License-Identifier: BSD-2-Clause */
/* Start-up of the performance events. */
#include "pmu/pmu.h"

void pmu_init(void)
{
}
