/* SPDX-License-Identifier: BSD-2-Clause */
/* The PMU as the guest programs it: registers and bits of the SDM vol. 4, table 2-2, and what the
 * personality should have. */
#ifndef TESTS_VISOR_PMU_H
#define TESTS_VISOR_PMU_H

#include "tests/visor/guest.h"

#define PMC0            0x0c1
#define PERFEVTSEL0     0x186
#define DEBUGCTL        0x1d9
#define FIXED_CTR0      0x309
#define CAPABILITIES    0x345
#define FIXED_CTR_CTRL  0x38d
#define GLOBAL_STATUS   0x38e
#define GLOBAL_CTRL     0x38f
#define GLOBAL_OVF_CTRL 0x390
#define STATUS_SET      0x391
#define INUSE           0x392
#define A_PMC0          0x4c1

#define USR (1u << 16)
#define OS  (1u << 17)
#define INT (1u << 20)
#define EN  (1u << 22)

#define CYCLES       0x3c
#define INSTRUCTIONS 0xc0
#define BRANCHES     0xc4
#define BRANCH_MISS  0xc5
#define LLC_REF      0x4f2e

#define FIXED(n) (1u << 30 | (n)) /* RDPMC's index */

#define CTR_FRZ               (1ull << 59)
#define FREEZE_PERFMON_ON_PMI (1ull << 12)

#define LVT_NMI    0x400
#define LVT_MASKED 0x10000

static inline bool version4(void)
{
	return option("intel-v4");
}

/* Everything off and acknowledged, every counter 0. */
void pmu_stop(void);
/* General counter `index` counts `event` from `start` once GLOBAL_CTRL enables it; `flags`: USR,
 * OS, INT. */
void pmu_program(unsigned index, uint64_t start, uint32_t event, uint32_t flags);
/* Fixed counter 0 (instructions), likewise. */
void pmu_program_fixed(uint64_t start, uint32_t flags);

#endif
