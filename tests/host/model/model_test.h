/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Helpers of the model's tests: register numbers and bits from Intel's manual (SDM vol. 4, table
 * 2-2), not from the model's headers, and short forms of its calls.
 */
#ifndef TESTS_HOST_MODEL_TEST_H
#define TESTS_HOST_MODEL_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "emulator/visor/model/model.h"
#include "emulator/visor/model/base/model_state.h"

#define IA32_PMC0              0x0c1
#define IA32_PERFEVTSEL0       0x186
#define IA32_MISC_ENABLE       0x1a0
#define MISC_FEATURE_CONTROL   0x1a4
#define MSR_OFFCORE_RSP_0      0x1a6
#define IA32_DEBUGCTL          0x1d9
#define IA32_FIXED_CTR0        0x309
#define IA32_PERF_CAPABILITY   0x345
#define IA32_FIXED_CTR_CTRL    0x38d
#define IA32_GLOBAL_STATUS     0x38e
#define IA32_GLOBAL_CTRL       0x38f
#define IA32_GLOBAL_OVF_CTRL   0x390 /* version 4: IA32_PERF_GLOBAL_STATUS_RESET */
#define IA32_STATUS_SET        0x391
#define IA32_INUSE             0x392
#define IA32_PEBS_ENABLE       0x3f1
#define MSR_PEBS_DATA_CFG      0x3f2
#define MSR_PLATFORM_INFO      0xce
#define IA32_ARCH_CAPABILITIES 0x10a
#define MSR_PEBS_LD_LAT        0x3f6
#define MSR_PEBS_FRONTEND      0x3f7
#define IA32_A_PMC0            0x4c1
#define IA32_DS_AREA           0x600
#define MSR_PERF_METRICS       0x329
#define LBR_SELECT             0x1c8 /* and LBR_TOS */
#define LBR_CORE_FROM0         0x040 /* Core 2 */
#define LBR_CORE_TO0           0x060
#define LBR_FROM0              0x680
#define LBR_INFO0              0xdc0

/* IA32_PERFEVTSELx */
#define USR      (1ull << 16)
#define OS       (1ull << 17)
#define EDGE     (1ull << 18)
#define INT      (1ull << 20)
#define ANY      (1ull << 21)
#define EN       (1ull << 22)
#define INV      (1ull << 23)
#define CMASK(n) ((uint64_t)(n) << 24)

/* Intel's architectural events: event select and unit mask (SDM vol. 3, "Pre-defined Architectural
 * Performance Events"). */
#define CYCLES       0x003cull
#define INSTRUCTIONS 0x00c0ull
#define REF_CYCLES   0x013cull
#define LLC_REF      0x4f2eull
#define LLC_MISS     0x412eull
#define BRANCHES     0x00c4ull
#define BRANCH_MISS  0x00c5ull

#define CTR_FRZ (1ull << 59)
#define LBR_FRZ (1ull << 58)

#define FREEZE_LBRS_ON_PMI    (1ull << 11)
#define FREEZE_PERFMON_ON_PMI (1ull << 12)

/* The personalities that have global registers and fixed counters. */
__attribute__((unused)) static const char *const with_pmu[] = {"intel-v2", "intel-v3", "intel-v4",
							       "intel-v5"};
#define WITH_PMU (sizeof(with_pmu) / sizeof(with_pmu[0]))

static inline void reset(struct model *m, const char *name)
{
	assert_non_null(personality_find(name));
	model_reset(m, personality_find(name));
}

static inline uint64_t rd(const struct model *m, uint32_t msr)
{
	uint64_t value = 0;

	assert_int_equal(model_rdmsr(m, msr, &value), MODEL_OK);
	return value;
}

static inline void wr(struct model *m, uint32_t msr, uint64_t value)
{
	assert_int_equal(model_wrmsr_check(m, msr, value), MODEL_OK);
	assert_int_equal(model_wrmsr(m, msr, value), MODEL_OK);
}

/* The write faults and leaves the register as it was. */
static inline void wr_faults(struct model *m, uint32_t msr, uint64_t value)
{
	struct model before = *m;

	assert_int_equal(model_wrmsr_check(m, msr, value), MODEL_GP);
	assert_int_equal(model_wrmsr(m, msr, value), MODEL_GP);
	assert_memory_equal(m, &before, sizeof(before));
}

static inline uint64_t rdpmc(const struct model *m, uint32_t index)
{
	uint64_t value = 0;

	assert_int_equal(model_rdpmc(m, index, &value), MODEL_OK);
	return value;
}

static inline void retire(struct model *m, enum model_ring ring, uint64_t instructions)
{
	model_retire(m, &(struct model_work){.instructions = instructions, .ring = ring});
}

/* A fixed sequence of pseudo-random numbers (xorshift64*): tests are the same in every run. */
static inline uint64_t random64(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1dull;
}

static inline uint64_t below(uint64_t *state, uint64_t limit)
{
	return random64(state) % limit;
}

#define TAP_MAIN(name)                                                       \
	int main(void)                                                       \
	{                                                                    \
		cmocka_set_message_output(CM_OUTPUT_TAP);                    \
		return cmocka_run_group_tests_name(name, tests, NULL, NULL); \
	}

/* CPUID as the model turns it, over a machine that answers `machine` in every register. */
static inline void cpuid(const char *name, uint32_t leaf, uint32_t machine, uint32_t regs[4])
{
	struct model m;

	reset(&m, name);
	for (unsigned i = 0; i < 4; i++)
		regs[i] = machine;
	model_cpuid(&m, leaf, 0, regs);
}

#endif
