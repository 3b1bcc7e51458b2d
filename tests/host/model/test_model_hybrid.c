/* SPDX-License-Identifier: BSD-2-Clause */
/* The model of a hybrid machine: the kind of each processor, its CPUID, its registers.
 * Expectations: SDM vol. 2, CPUID leaves 07H, 0AH, 1AH; vol. 4, Alder Lake. */
#include <string.h>

#include "emulator/visor/model/base/personality.h"
#include "tests/host/model/model_test.h"

enum { EAX, EBX, ECX, EDX };

/* Lunar Lake: version 6, by leaf 23H; the counters have further numbers. */
static void test_lunar_lake(void **state)
{
	const struct personality *core = personality_find("lunar-lake"),
				 *atom = personality_of_processor(core, 1, 2);
	uint32_t regs[4] = {0};
	struct model m;

	(void)state;
	assert_ptr_not_equal(core, atom);
	model_reset(&m, core);
	model_cpuid(&m, 0, 0, regs);
	assert_int_equal(regs[EAX], 0x23);
	model_cpuid(&m, 7, 1, memset(regs, 0, sizeof(regs)));
	assert_int_equal(regs[EAX], 1 << 8);
	model_cpuid(&m, 0x23, 0, memset(regs, 0xff, sizeof(regs)));
	assert_int_equal(regs[EAX], 0xb);
	model_cpuid(&m, 0x23, 1, regs);
	assert_int_equal(regs[EAX], 0xff);
	assert_int_equal(regs[EBX], 0xf);
	model_cpuid(&m, 0x23, 3, regs);
	assert_int_equal(regs[EAX], 0xff);
	model_cpuid(&m, 0x23, 2, regs);
	assert_int_equal(regs[EAX] | regs[EBX] | regs[ECX] | regs[EDX], 0);
	wr(&m, 0x1900 + 4 * 7, 77); /* IA32_PMC_GP7_CTR, _CFG_A; IA32_PMC_FX3_CTR */
	assert_int_equal(rd(&m, IA32_PMC0 + 7), 77);
	wr(&m, 0x1901 + 4 * 7, 0x4300c0);
	assert_int_equal(rd(&m, IA32_PERFEVTSEL0 + 7), 0x4300c0);
	wr(&m, 0x1980 + 4 * 3, 78);
	assert_int_equal(rd(&m, IA32_FIXED_CTR0 + 3), 78);
	model_reset(&m, atom);
	wr_faults(&m, 0x1980 + 4 * 3, 78);
	model_cpuid(&m, 0x23, 1, regs);
	assert_int_equal(regs[EBX], 0x7);
}

static const struct personality *processor(unsigned index, unsigned nr)
{
	return personality_of_processor(personality_find("intel-hybrid"), index, nr);
}

static uint32_t cpuid_register(const struct personality *p, uint32_t leaf, unsigned reg)
{
	uint32_t regs[4] = {0};
	struct model m;

	model_reset(&m, p);
	model_cpuid(&m, leaf, 0, regs);
	return regs[reg];
}

static uint32_t core_type(unsigned index, unsigned nr)
{
	return cpuid_register(processor(index, nr), 0x1a, EAX) >> 24;
}

static void test_halves(void **state)
{
	(void)state;
	for (unsigned nr = 1; nr <= 9; nr++)
		for (unsigned i = 0; i < nr; i++)
			assert_int_equal(core_type(i, nr), 2 * i < nr ? 0x40 : 0x20);
	for (unsigned i = 0; personality_at(i); i++)
		if (!personality_at(i)->efficient)
			assert_ptr_equal(personality_of_processor(personality_at(i), 3, 4),
					 personality_at(i));
}

/* Both kinds report the counters that all have. */
static void test_cpuid(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		const struct personality *p = processor(i, 2);

		assert_int_equal(cpuid_register(p, 0, EAX), 0x1c);
		assert_int_equal(cpuid_register(p, 1, EAX) >> 4, 0x9067); /* family 6, model 97H */
		assert_int_equal(cpuid_register(p, 7, EDX), 1u << 15 | 1u << 19 | 1u << 29);
		assert_int_equal(cpuid_register(p, 0xa, EAX), 0x07300605);
		assert_int_equal(cpuid_register(p, 0xa, EBX), 0);
		assert_int_equal(cpuid_register(p, 0xa, ECX), 7);
		assert_int_equal(cpuid_register(p, 0xa, EDX), 0x8603);
		assert_string_equal(personality_name(p), "alder-lake");
	}
}

/* The counters that there are, and no others. */
static void check_counters(const struct personality *p, unsigned general, unsigned fixed)
{
	struct model m;
	uint64_t value;

	model_reset(&m, p);
	for (unsigned i = 0; i < 8; i++) {
		bool there = i < general;

		assert_int_equal(model_wrmsr(&m, IA32_A_PMC0 + i, 5 + i),
				 there ? MODEL_OK : MODEL_GP);
		assert_int_equal(model_rdpmc(&m, i, &value), there ? MODEL_OK : MODEL_GP);
		if (there)
			assert_int_equal(value, 5 + i);
	}
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(model_rdmsr(&m, IA32_FIXED_CTR0 + i, &value),
				 i < fixed ? MODEL_OK : MODEL_GP);
	wr(&m, IA32_GLOBAL_CTRL, (1ull << general) - 1);
	wr_faults(&m, IA32_GLOBAL_CTRL, 1ull << general);
	wr(&m, IA32_GLOBAL_CTRL, ((1ull << fixed) - 1) << 32);
	wr_faults(&m, IA32_GLOBAL_CTRL, 1ull << (32 + fixed));
}

static void test_counters(void **state)
{
	(void)state;
	check_counters(processor(0, 2), 8, 4);
	check_counters(processor(1, 2), 6, 3);
}

/* Metrics and front-end events are the performance cores' alone; off-core responses and PEBS are
 * both kinds'. */
static void test_registers(void **state)
{
	struct model core, atom;

	(void)state;
	model_reset(&core, processor(0, 2));
	model_reset(&atom, processor(1, 2));
	wr(&core, MSR_PERF_METRICS, UINT64_MAX); /* with level 2 */
	wr_faults(&atom, MSR_PERF_METRICS, 0);
	wr(&core, MSR_PEBS_FRONTEND, 0x7fff1f);
	wr_faults(&atom, MSR_PEBS_FRONTEND, 0);
	wr(&core, MSR_OFFCORE_RSP_0, 0x3fffffffff);
	wr(&atom, MSR_OFFCORE_RSP_0, 0x3fffffffff);
	wr(&core, IA32_PEBS_ENABLE, 0xf000000ff);
	wr(&atom, IA32_PEBS_ENABLE, 0x70000003f);
	wr_faults(&atom, IA32_PEBS_ENABLE, 1 << 6);
	assert_int_equal(rd(&core, IA32_PERF_CAPABILITY) ^ rd(&atom, IA32_PERF_CAPABILITY),
			 1 << 15); /* PERF_METRICS_AVAILABLE */
}

/* Returns the count of an event on one kind while 2^20 instructions retire. */
static uint64_t counted(unsigned index, uint64_t select)
{
	struct model m;

	model_reset(&m, processor(index, 2));
	wr(&m, IA32_PERFEVTSEL0, select | USR | EN);
	wr(&m, IA32_GLOBAL_CTRL, 1);
	retire(&m, MODEL_USER, 1 << 20);
	return rd(&m, IA32_PMC0);
}

static void test_events(void **state)
{
	uint64_t slots;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(counted(i, INSTRUCTIONS), 1 << 20);
		assert_true(counted(i, BRANCHES) > 0);
		assert_true(counted(i, 0x81d0) > counted(i, 0x82d0)); /* loads, stores */
	}
	assert_true(counted(0, 0x0e12) && !counted(1, 0x0e12)); /* DTLB_LOAD_MISSES of each */
	assert_true(!counted(0, 0x0e08) && counted(1, 0x0e08));
	/* Gracemont's events divide its slots, five for each cycle. */
	slots = counted(1, 0x00c2) + counted(1, 0x0073) + counted(1, 0x0071) + counted(1, 0x0074);
	assert_int_equal(slots, 5 * counted(1, CYCLES));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_lunar_lake), cmocka_unit_test(test_halves),
    cmocka_unit_test(test_cpuid),      cmocka_unit_test(test_counters),
    cmocka_unit_test(test_registers),  cmocka_unit_test(test_events),
};

TAP_MAIN("model: hybrid")
