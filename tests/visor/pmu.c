/* SPDX-License-Identifier: BSD-2-Clause */
/* Short forms to program the PMU. */
#include "tests/visor/pmu.h"

void pmu_stop(void)
{
	wrmsr(GLOBAL_CTRL, 0);
	wrmsr(FIXED_CTR_CTRL, 0);
	wrmsr(DEBUGCTL, 0);
	for (unsigned i = 0; i < (version4() ? 8 : 2); i++) {
		wrmsr(PERFEVTSEL0 + i, 0);
		wrmsr(PMC0 + i, 0);
	}
	for (unsigned i = 0; i < 3; i++)
		wrmsr(FIXED_CTR0 + i, 0);
	wrmsr(GLOBAL_OVF_CTRL, rdmsr(GLOBAL_STATUS));
}

void pmu_program(unsigned index, uint64_t start, uint32_t event, uint32_t flags)
{
	wrmsr(PMC0 + index, start);
	wrmsr(PERFEVTSEL0 + index, event | flags | EN);
}

void pmu_program_fixed(uint64_t start, uint32_t flags)
{
	uint64_t mask = (version4() ? 1ull << 48 : 1ull << 40) - 1;

	wrmsr(FIXED_CTR0, start & mask);
	wrmsr(FIXED_CTR_CTRL, (flags & OS ? 1 : 0) | (flags & USR ? 2 : 0) | (flags & INT ? 8 : 0));
}
